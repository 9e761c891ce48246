"""Pages of the forum to read: boards, threads, search, members."""

from __future__ import annotations

from collections.abc import Callable
from http import HTTPStatus
from typing import Any

from worldtape.collectors.web.site.app import Routes
from worldtape.collectors.web.site.form import Form
from worldtape.collectors.web.site.forum.model import Member, Post, Thread
from worldtape.collectors.web.site.forum.store import Forum
from worldtape.collectors.web.site.paging import paged
from worldtape.collectors.web.site.request import whole
from worldtape.collectors.web.site.response import Response
from worldtape.collectors.web.site.visit import Visit

_THREADS = 3
"""On one page."""
_POSTS = 4
_MEMBERS = 6
_HITS = 6
_LEAST = 3
"""Letters of a word to search for."""
_SORTS: dict[str, tuple[str, Callable[[Thread], Any]]] = {
    "newest": ("Newest post", lambda thread: -thread.newest.timestamp()),
    "replies": ("Most replies", lambda thread: -len(thread.posts)),
    "views": ("Most views", lambda thread: -thread.views),
    "title": ("Title", lambda thread: thread.title),
}


def home(visit: Visit[Forum]) -> Response:
    """All boards, and what is new."""
    recent = sorted(visit.store.open_to(None), key=lambda thread: thread.newest, reverse=True)[:5]
    return visit.page("home.html.j2", recent=recent)


def board(visit: Visit[Forum], slug: str) -> Response:
    """The threads of a board."""
    found, member = visit.store.board(slug), visit.store.member(visit.session)
    if found is None:
        return visit.missing("board")
    if found["closed"] and (member is None or not member.moderator):
        return visit.denied("This board is for moderators only.")
    threads = visit.store.on(slug)
    if visit.query.one("open"):
        threads = [thread for thread in threads if not thread.solved]
    if visit.query.one("sort") in _SORTS:
        threads.sort(key=_SORTS[visit.query.one("sort")][1])
    page = paged(threads, visit.query.whole("page", 1), _THREADS)
    if page is None:
        return visit.missing("page of threads")
    return visit.page("board.html.j2", board=found, page=page, sorts={name: one[0] for name, one in _SORTS.items()})


def thread(visit: Visit[Forum], number: str, form: Form | None = None) -> Response:
    """One thread with the form for a reply."""
    found = readable(visit, number)
    if isinstance(found, Response):
        return found
    wanted = visit.query.whole("page", 1)
    page = paged(found.posts, len(found.posts) if form else wanted, _POSTS)
    if page is None and form:
        page = paged(found.posts, -(-len(found.posts) // _POSTS), _POSTS)
    if page is None:
        return visit.missing("page of posts")
    if visit.request.method == "GET":
        found.views += 1
    status = 422 if form and form.errors else 200
    others = [one for one in visit.store.on(found.board) if one is not found][:3]
    return visit.page(
        "thread.html.j2",
        status=status,
        thread=found,
        page=page,
        form=form or Form(),
        others=others,
        board=visit.store.board(found.board),
    )


def export(visit: Visit[Forum], number: str) -> Response:
    """Hand out a thread as text."""
    found = readable(visit, number)
    if isinstance(found, Response):
        return found
    text = visit.app.render("thread.txt.j2", thread=found)
    return Response.download(f"thread-{number}.txt", text, "text/plain; charset=utf-8")


def search(visit: Visit[Forum]) -> Response:
    """Find posts by words, board, author and place."""
    query, member = visit.query, visit.store.member(visit.session)
    words = query.one("q").lower()
    form = Form(query, board=query.one("board"), author=query.one("author"), where=query.one("where", "posts"))
    form.values["q"] = query.one("q")
    if "q" not in query:
        return visit.page("search.html.j2", form=form, page=None)
    if len(words) < _LEAST:
        form.fault("q", f"Please enter at least {_LEAST} letters.")
    author = query.one("author")
    if author and author not in visit.store.members:
        form.fault("author", f"There is no member called “{author}”.")
    if form.errors:
        return visit.page("search.html.j2", status=422, form=form, page=None)
    titles = query.one("where") == "titles"
    hits = [
        (one, post)
        for one in visit.store.open_to(member)
        for post in (one.posts[:1] if titles else one.posts)
        if not post.removed
        and all(word in (one.title if titles else f"{one.title} {post.text}").lower() for word in words.split())
        and query.one("board") in ("", one.board)
        and author in ("", post.author)
    ]
    hits.sort(key=lambda hit: hit[1].written, reverse=True)
    page = paged(hits, query.whole("page", 1), _HITS)
    return visit.page("search.html.j2", form=form, page=page) if page else visit.missing("page of results")


def suggest(visit: Visit[Forum]) -> Response:
    """Return the list below the search field, as a piece of HTML."""
    words = visit.query.one("q").lower()
    found = [one for one in visit.store.open_to(None) if len(words) > 1 and words in one.title.lower()]
    return visit.page("suggest.html.j2", found=found[:6])


def members(visit: Visit[Forum]) -> Response:
    """Everybody, sorted."""
    sort = visit.query.one("sort", "name")
    count = {name: len(visit.store.written_by(name)) for name in visit.store.members}
    keys: dict[str, Callable[[Member], Any]] = {
        "joined": lambda member: member.joined,
        "name": lambda member: member.name,
        "posts": lambda member: -count[member.name],
    }
    everybody = sorted(visit.store.members.values(), key=keys.get(sort, keys["name"]))
    page = paged(everybody, visit.query.whole("page", 1), _MEMBERS)
    return visit.page("members.html.j2", page=page, count=count) if page else visit.missing("page of members")


def profile(visit: Visit[Forum], name: str) -> Response:
    """One member: about, posts."""
    found = visit.store.members.get(name)
    if found is None:
        return visit.missing("member")
    return visit.page("profile.html.j2", one=found, written=visit.store.written_by(name))


def rules(visit: Visit[Forum]) -> Response:
    """How people behave here."""
    return visit.page("rules.html.j2")


def statistics(visit: Visit[Forum]) -> Response:
    """Counts that take a while."""
    rows = [
        (one["name"], len(threads), sum(len(thread.posts) for thread in threads))
        for one in visit.store.boards
        if not one["closed"]
        for threads in [visit.store.on(one["slug"])]
    ]
    return visit.page("statistics.html.j2", delay_s=1.2, rows=rows)


def archive(visit: Visit[Forum]) -> Response:
    """A part of the forum that is broken."""
    return visit.page("broken.html.j2", status=HTTPStatus.INTERNAL_SERVER_ERROR, incident="AR-118")


def never(visit: Visit[Forum]) -> Response:
    """A page that takes a minute; nothing leads to it."""
    return visit.page("rules.html.j2", delay_s=60)


def readable(visit: Visit[Forum], number: str) -> Thread | Response:
    """Return a thread that the visitor may read, or the page that says why not."""
    found = visit.store.threads.get(wanted) if (wanted := whole(number)) is not None else None
    if found is None:
        return visit.missing("thread")
    if found not in visit.store.open_to(visit.store.member(visit.session)):
        return visit.denied("This board is for moderators only.")
    return found


def readable_post(visit: Visit[Forum], number: str) -> tuple[Thread, Post] | Response:
    """Return a post that the visitor may read, with its thread, or the page that says why not."""
    pair = visit.store.post(wanted) if (wanted := whole(number)) is not None else None
    if pair is None or pair[1].removed:
        return visit.missing("post")
    found = readable(visit, str(pair[0].number))
    return found if isinstance(found, Response) else pair


ROUTES: Routes = (
    ("GET", "/", home),
    ("GET", "/board/<slug>", board),
    ("GET", "/thread/<number>", thread),
    ("GET", "/thread/<number>/export.txt", export),
    ("GET", "/search", search),
    ("GET", "/suggest", suggest),
    ("GET", "/members", members),
    ("GET", "/member/<name>", profile),
    ("GET", "/rules", rules),
    ("GET", "/statistics", statistics),
    ("GET", "/archive", archive),
    ("GET", "/never", never),
)
