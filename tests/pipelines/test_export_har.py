"""HTTP archives of web trajectories: of tapes written by hand, and of pages that load again from the archive alone."""

from __future__ import annotations

import asyncio
import hashlib
import json
from pathlib import Path
from typing import Any

import pytest

from tests.collectors.web._needs import needs_chromium
from tests.pipelines.har import body_of, checked
from tests.pipelines.lakes import Written
from worldtape import export, open_recorder, project
from worldtape.collectors.web import Web, WebConfig, browser_call, elements
from worldtape.collectors.web.engine import engine
from worldtape.pipelines.exporting import ExportReport
from worldtape.schemas import EnvironmentSpec, EventKind
from worldtape.storage import Lake, TapeReader

SITE = "http://forum.example"
PAGE = f"{SITE}/login"


def archive(lake: Path) -> tuple[ExportReport, dict[str, Any]]:
    """Export a lake of one trajectory and return its log; the same lake gives the same bytes."""
    project(lake, workers=0)
    files = []
    for _ in range(2):
        report = export(lake, lake.parent / "out", format="har", workers=0)
        (path,) = (lake.parent / "out").glob("*.har")
        files.append(path.read_bytes())
    assert files[0] == files[1]
    return report, checked(json.loads(files[0]))


class Browsed(Written):
    """A web tape written by hand."""

    def begins(self, url: str, *exchanges: dict[str, Any]) -> None:
        """The start, at `url`, and what was asked for by then."""
        self.asked(*exchanges)
        found = EnvironmentSpec(kind="web", backend="chromium", versions={"chromium": "156"}).to_dict()
        self.ready(environment=found, initial_state={"probes": {"url": url, "title": "Start"}})

    def did(self, step: int, url: str, *exchanges: dict[str, Any]) -> None:
        """A step that led to `url`."""
        action = {"kind": "browser_call", "text": "noop()", "actor": "agent"}
        self.tape.append(EventKind.ACTION, action, step=step)
        self.asked(*exchanges)
        self.captured(step)
        told = {"outcome": {"status": "ok"}, "timing": {"started_at": 1_796_122_469_000_000 + step}}
        self.tape.append(EventKind.RESULT, told | {"state_after": {"url": url, "title": f"Page {step}"}}, step=step)

    def asked(self, *exchanges: dict[str, Any]) -> None:
        """Requests as `collectors.web.network` writes them; a body that is given as bytes is written before."""
        for each in exchanges:
            body, told = each.get("body"), each
            if isinstance(body, bytes):
                self.tape("body", body, 0)
                told = each | {"body": {"sha256": hashlib.sha256(body).hexdigest(), "bytes": len(body)}}
            whole = {"method": "GET", "type": "document", "request": {}, "status": 200, "headers": {}} | told
            line = {name: value for name, value in whole.items() if value is not None}
            self.tape("network", json.dumps(line).encode() + b"\n", 0)


def browsed(lake: Path) -> Browsed:
    return Browsed(lake, domain="web", environment=EnvironmentSpec(kind="web", backend="chromium"))


def test_steps_that_navigated_are_pages(tmp_path: Path) -> None:
    tape = browsed(tmp_path / "lake")
    tape.begins("https://a.test/", {"url": "https://a.test/"}, {"url": "https://a.test/frame"})
    tape.did(0, "https://a.test/#down", {"url": "https://a.test/data", "type": "fetch"})
    tape.did(1, "https://a.test/", {"url": "https://a.test/frame?2"})
    tape.did(2, "https://a.test/b#top", {"url": "https://a.test/b"}, {"url": "https://a.test/frame"})
    tape.did(3, "https://a.test/c")
    tape.did(4, "chrome-error://chromewebdata/", {"url": "https://gone.test/", "status": None, "failure": "net::ERR"})
    tape.seal()
    report, log = archive(tmp_path / "lake")
    assert (report.transitions, report.skipped) == (5, 0)
    assert [(page["id"], page["title"]) for page in log["pages"]] == [
        ("start", "Start"),
        ("step_2", "Page 2"),
        ("step_4", "Page 4"),
    ]
    assert [page["_worldtape"] for page in log["pages"]] == [{"trajectory": "one", "step": n} for n in (None, 2, 4)]
    assert [(entry["pageref"], entry["_worldtape"]["step"]) for entry in log["entries"]] == [
        *[("start", None)] * 2,
        ("start", 0),
        ("start", 1),
        *[("step_2", 2)] * 2,
        ("step_4", 4),
    ]
    assert log["pages"][1]["startedDateTime"] == "2026-12-01T10:54:29.000002Z"
    assert (log["browser"]["version"], log["_worldtape"]["trajectory"]["domain"]) == ("156", "web")


def test_a_request_and_its_response(tmp_path: Path) -> None:
    posted = {
        "method": "POST",
        "posted": "a=1&b=&a=%C3%A9",
        "request": {"content-type": "application/X-WWW-form-urlencoded; x"},
    }
    moved = {
        "url": "https://a.test/in?q=%20&r",
        "status": 303,
        "headers": {"location": "../on"},
        "body": None,
        "why": "none",
    }
    tape = browsed(tmp_path / "lake")
    tape.begins("https://a.test/", posted | moved, moved | {"headers": {"location": "http://["}})
    tape.seal()
    entry, astray = archive(tmp_path / "lake")[1]["entries"]
    request, response = entry["request"], entry["response"]
    assert request["queryString"] == [{"name": "q", "value": " "}, {"name": "r", "value": ""}]
    assert request["postData"]["text"] == posted["posted"]
    assert [(each["name"], each["value"]) for each in request["postData"]["params"]] == [
        ("a", "1"),
        ("b", ""),
        ("a", "é"),
    ]
    assert (response["status"], response["redirectURL"]) == (303, "https://a.test/on")
    assert astray["response"]["redirectURL"] == "http://["
    assert response["content"] == {"size": -1, "mimeType": "x-unknown", "comment": "none"}


def test_bodies(tmp_path: Path) -> None:
    picture, long = bytes(range(256)), b"\xff" + b"long" * 20_000
    kept = [("é\u2028".encode(), "text/html"), (picture, "image/png"), (long, "image/png"), (b"", "text/css")]
    lost = {"sha256": "0" * 64, "bytes": 7}
    tape = browsed(tmp_path / "lake")
    tape.begins(
        "https://a.test/",
        *({"url": "https://a.test/", "body": body, "headers": {"content-type": kind}} for body, kind in kept),
        {"url": "https://a.test/again", "body": {"sha256": hashlib.sha256(picture).hexdigest(), "bytes": 256}},
        {"url": "https://a.test/large", "body": None, "bytes": 5_000_000, "why": "too large"},
        {"url": "https://a.test/lost", "body": lost},
        {"url": "http://[", "status": None, "failure": "net::ERR_ABORTED"},
    )
    tape.seal()
    entries = archive(tmp_path / "lake")[1]["entries"]
    assert [body_of(entry) for entry in entries] == [*(body for body, _ in kept), picture, None, None, None]
    contents = [entry["response"]["content"] for entry in entries]
    assert [content.get("encoding") for content in contents[:5]] == [None, "base64", "base64", None, "base64"]
    assert [content["mimeType"] for content in contents[:4]] == [kind for _, kind in kept]
    assert contents[5] == {"size": 5_000_000, "mimeType": "x-unknown", "comment": "too large"}
    assert contents[6]["comment"] == "not on the tape"
    assert (entries[7]["response"]["status"], entries[7]["response"]["_failureText"]) == (-1, "net::ERR_ABORTED")


def test_what_has_no_requests_is_left_out(tmp_path: Path) -> None:
    tape = browsed(tmp_path / "lake")
    tape.begins("about:blank")
    tape.seal()
    other = Written(tmp_path / "lake", "two")
    other.ready()
    other.seal()
    project(tmp_path / "lake", workers=0)
    report = export(tmp_path / "lake", tmp_path / "out", format="har", workers=0)
    assert (report.ok, dict(report.left_out)) == (True, {"domain terminal": 1, "no request": 1})


async def sign_in(lake: Path) -> None:
    """Record a few steps on the project's forum."""
    web = Web(WebConfig(site="forum", site_seed=1, url="/login", screenshot="none"))
    async with open_recorder(web, lake) as recorder:
        for name, role, label, *value in (
            ("fill", "textbox", "Name", "lena_k"),
            ("fill", "textbox", "Password", "soldering9"),
            ("click", "button", "Sign in"),
        ):
            found = next(one for one in elements(web.tree) if (one.role, one.name) == (role, label))
            await recorder.step(browser_call(name, *value, element=found))
        await recorder.step(f'goto("{SITE}/nowhere")')


def pages_on(lake: Path) -> dict[int | None, list[str]]:
    """The HTML that was kept of each step, the page's own first."""
    found: dict[int | None, list[str]] = {}
    for ref in Lake.open(lake).tapes():
        tape = TapeReader(ref.path)
        for event in tape.events():
            if event.data.get("channel") == "html":
                found.setdefault(event.step, []).append(tape.payload(event).decode())
    return found


async def replay(har: Path) -> tuple[list[tuple[str, str]], list[str]]:
    """Do the same with no site but the archive; return address and HTML of each page, and what it lacked."""
    running = await engine().borrow(None, headless=True)
    missing: list[str] = []
    seen: list[tuple[str, str]] = []
    context = await running.browser.new_context(reduced_motion="reduce")
    try:
        context.on("requestfailed", lambda one: None if one.is_navigation_request() else missing.append(one.url))
        await context.route_from_har(har, not_found="abort")
        page = await context.new_page()
        await page.goto(PAGE, wait_until="networkidle")
        seen.append((page.url, await page.content()))
        await page.get_by_role("textbox", name="Name").fill("lena_k")
        await page.get_by_role("textbox", name="Password").fill("soldering9")
        await page.get_by_role("button", name="Sign in").click()
        await page.wait_for_load_state("networkidle")
        seen.append((page.url, await page.content()))
        answer = await page.goto(f"{SITE}/nowhere", wait_until="networkidle")
        assert answer is not None
        assert answer.status == 404
        seen.append((page.url, await page.content()))
    finally:
        await context.close()
        engine().give_back(running)
    return seen, missing


@pytest.mark.web
def test_the_pages_load_from_the_archive_alone(tmp_path: Path) -> None:
    needs_chromium()
    asyncio.run(sign_in(tmp_path / "lake"))
    report, log = archive(tmp_path / "lake")
    assert (report.trajectories, report.transitions) == (1, 4)
    assert [page["id"] for page in log["pages"]] == ["start", "step_2", "step_3"]
    assert [page["title"].partition(" - ")[0] for page in log["pages"][:2]] == ["Sign in", "Boards"]
    (har,) = (tmp_path / "out").glob("*.har")
    seen, missing = asyncio.run(engine().call(replay(har)))
    kept = pages_on(tmp_path / "lake")
    assert missing == []
    assert seen == [
        (address, kept[step][0]) for address, step in ((PAGE, None), (f"{SITE}/", 2), (f"{SITE}/nowhere", 3))
    ]
