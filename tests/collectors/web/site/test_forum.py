"""The forum: what can be done on it, what cannot, and what its state says afterwards."""

from __future__ import annotations

from typing import Any

import pytest

from tests.collectors.web.site._browser import Browser
from worldtape.collectors.web.site import Site

LENA = {"name": "lena_k", "password": "soldering9"}
KEEPER = {"name": "oldsolder", "password": "flux-and-wick1"}
TEXT = "I had exactly that, and it was the loose screw behind the cover."


@pytest.fixture
def site() -> Site:
    return Site("forum", seed=2)


@pytest.fixture
def browser(site: Site) -> Browser:
    return Browser(site)


def number(site: Site, **facts: Any) -> str:
    """Return an open thread with these facts."""
    threads: dict[str, dict[str, Any]] = site.state()["threads"]
    wanted = {"locked": False} | facts
    fitting = [key for key, one in threads.items() if all(one[name] == value for name, value in wanted.items())]
    return next(key for key in fitting if threads[key]["board"] != "moderators")


def test_boards_and_pages(site: Site, browser: Browser) -> None:
    assert browser.get("/") == 200
    assert "Moderators only" not in browser.text
    assert browser.get("/board/bicycles?sort=title") == 200
    assert browser.get("/board/bicycles?page=2&open=") == 200
    assert browser.get("/board/bicycles?page=9") == 404
    assert browser.get("/board/nothing") == 404
    assert browser.get("/board/moderators") == 403
    assert browser.get("/members?sort=posts&page=2") == 200
    long = next(key for key, one in site.state()["threads"].items() if len(one["posts"]) > 4)
    assert browser.get(f"/thread/{long}?page=2") == 200
    assert browser.get(f"/thread/{long}?page=3") == 404
    assert browser.get(f"/thread/{long}/export.txt") == 200


@pytest.mark.parametrize(
    ("query", "status", "told"),
    [
        ("q=solder", 200, "found"),
        ("q=solder&where=titles", 200, "found"),
        ("q=the&author=paulo&board=wood", 200, "found"),
        ("q=qzxv", 200, "0 posts found"),
        ("q=ab", 422, "at least 3 letters"),
        ("q=solder&author=nobody", 422, "no member called"),
    ],
)
def test_search(browser: Browser, query: str, status: int, told: str) -> None:
    assert browser.get(f"/search?{query}") == status
    assert told in browser.text


def test_threads_are_begun_answered_solved(site: Site, browser: Browser) -> None:
    assert browser.get("/new") == 200
    assert browser.at.startswith("/login?next=%2Fnew")
    browser.post("/login", **LENA)
    new = {"board": "wood", "title": "Hinge of a wardrobe squeaks", "text": TEXT, "tags": "hinge, oil", "follow": "on"}
    assert browser.post("/new", **(new | {"title": "Short"})) == 422
    assert browser.post("/new", **(new | {"tags": "a,b,c,d,e"})) == 422
    assert browser.post("/new", **(new | {"board": "moderators"})) == 422
    assert browser.post("/new", **new) == 200
    mine = browser.at.removeprefix("/thread/")
    assert browser.post("/new", **new) == 422, "the title is taken"
    assert browser.post(f"/thread/{mine}/reply", text="short") == 422
    assert browser.post(f"/thread/{mine}/reply", text=TEXT + " It was!") == 200
    assert browser.post(f"/thread/{mine}/reply", text=TEXT + " It was!") == 422
    browser.post(f"/thread/{mine}/solve")
    thread = site.state()["threads"][mine]
    assert (thread["solved"], thread["followers"], thread["tags"], len(thread["posts"])) == (
        True,
        ["lena_k"],
        ["hinge", "oil"],
        2,
    )


def test_likes_edits_deletes_reports(site: Site, browser: Browser) -> None:
    browser.post("/login", **LENA)
    posts = [post for one in site.state()["threads"].values() if one["board"] != "moderators" for post in one["posts"]]
    mine = next(one["number"] for one in posts if one["author"] == "lena_k")
    other = next(one for one in posts if one["author"] != "lena_k" and "lena_k" not in one["likes"])
    browser.post(f"/post/{mine}/like")
    assert "cannot like your own" in browser.text
    browser.post(f"/post/{other['number']}/like")
    assert browser.post(f"/post/{mine}/edit", text=TEXT) == 200
    assert browser.post(f"/post/{mine}/edit", text="") == 422
    assert browser.post(f"/post/{other['number']}/edit", text=TEXT) == 403
    assert browser.post(f"/post/{other['number']}/delete") == 403
    browser.post(f"/post/{other['number']}/report")
    assert "choose a reason" in browser.text
    browser.post(f"/post/{other['number']}/report", reason="Advertising", note="Looks like a shop.")
    state = site.state()
    after = {post["number"]: post for one in state["threads"].values() for post in one["posts"]}
    assert "lena_k" in after[other["number"]]["likes"]
    assert (after[mine]["text"], after[mine]["edited"]) == (TEXT, True)
    assert state["reports"][-1]["note"] == "Looks like a shop."
    assert browser.post("/post/1/like") == 404


def test_accounts_and_settings(site: Site, browser: Browser) -> None:
    new = {"name": "new-one", "email": "n@post.example", "password": "hammer-77", "riddle": "four", "rules": "on"}
    for fault in ({"name": "X"}, {"name": "admin"}, {"name": "paulo"}, {"riddle": "three"}, {"password": "letters-"}):
        assert browser.post("/register", **(new | fault)) == 422
    assert browser.post("/register", **new) == 200
    assert browser.post("/settings", about="Fixes things.", place="Here", digest="weekly") == 200
    assert browser.post("/settings", about="x" * 201, place="Here", digest="hourly") == 422
    member = site.state()["members"]["new-one"]
    assert (member["about"], member["digest"]) == ("Fixes things.", "weekly")
    assert browser.post("/letters", to="nobody", subject="Hi", text="Hello there") == 422
    assert browser.post("/letters", to="paulo", subject="Hi", text="Hello there") == 200
    assert site.state()["letters"][-1]["receiver"] == "paulo"
    assert browser.post("/shouts", shout="Hello!") == 200
    assert site.state()["shouts"][-1] == {"author": "new-one", "text": "Hello!"}
    browser.post("/logout")
    assert browser.post("/shouts", shout="Hello!") == 422
    assert browser.post("/login", name="new-one", password="x") == 401


def test_moderators(site: Site, browser: Browser) -> None:
    thread = number(site)
    assert browser.get("/moderation") == 403
    assert browser.post(f"/thread/{thread}/manage", board="cafe") == 403
    browser.post("/login", **KEEPER)
    assert browser.get("/board/moderators") == 200
    browser.post("/moderation/1", verdict="removed")
    browser.post("/moderation/2", verdict="")
    assert "choose a verdict" in browser.text
    browser.post(f"/thread/{thread}/manage", board="cafe", locked="on")
    browser.post("/member/paulo/ban")
    state = site.state()
    report = state["reports"][0]
    assert report["verdict"] == "removed"
    assert any(
        post["removed"]
        for one in state["threads"].values()
        for post in one["posts"]
        if post["number"] == report["post"]
    )
    assert (state["threads"][thread]["board"], state["threads"][thread]["locked"]) == ("cafe", True)
    browser.post("/logout")
    assert browser.post("/login", name="paulo", password="dovetail22") == 403
    browser.post("/login", **LENA)
    assert browser.post(f"/thread/{thread}/reply", text=TEXT) == 422
    assert "is locked" in browser.text


@pytest.mark.parametrize(("page", "status"), [("/archive", 500), ("/thread/17", 404), ("/member/x", 404), ("/x", 404)])
def test_pages_that_fail(browser: Browser, page: str, status: int) -> None:
    assert browser.get(page) == status


def test_text_is_text(site: Site, browser: Browser) -> None:
    browser.post("/login", **LENA)
    thread = number(site)
    browser.post(f"/thread/{thread}/reply", text="> <b>bold</b>\n> second\n\n<script>alert(1)</script> & more")
    assert "<script>alert" not in browser.page
    assert "<blockquote>&lt;b&gt;bold&lt;/b&gt; second</blockquote>" in browser.page
