"""Pages of the forum to write: threads, replies, edits, likes, reports."""

from __future__ import annotations

from worldtape.collectors.web.site.app import Routes
from worldtape.collectors.web.site.form import Form
from worldtape.collectors.web.site.forum.model import Post, Report, Thread
from worldtape.collectors.web.site.forum.read import readable, readable_post
from worldtape.collectors.web.site.forum.read import thread as thread_page
from worldtape.collectors.web.site.forum.store import Forum
from worldtape.collectors.web.site.response import Response
from worldtape.collectors.web.site.visit import Visit

_TEXT = 1500
_TAGS = 4
_TITLE = 8
_PAGE = 4
"""Posts on one page of a thread."""


def new(visit: Visit[Forum], form: Form | None = None) -> Response:
    """The form for a new thread."""
    if visit.store.member(visit.session) is None:
        return visit.sign_in()
    form = form or Form(board=visit.query.one("board"))
    return visit.page("new.html.j2", status=422 if form.errors else 200, form=form)


def take_new(visit: Visit[Forum]) -> Response:
    """Begin a thread."""
    forum, member = visit.store, visit.store.member(visit.session)
    if member is None:
        return visit.sign_in()
    form = Form(visit.form)
    board = form.choice("board", "Board", [one["slug"] for one in forum.boards if not one["closed"]])
    title = form.text("title", "Title", least=_TITLE, most=80)
    text = form.text("text", "Text", least=20, most=_TEXT)
    tags = [tag.strip().lower() for tag in form.text("tags", "Tags", most=80).split(",") if tag.strip()]
    if len(tags) > _TAGS:
        form.fault("tags", f"At most {_TAGS} tags, please.")
    if any(one.title.lower() == title.lower() for one in forum.threads.values()):
        form.fault("title", "There is already a thread with this title. Please search for it first.")
    followers = [member.name] if form.ticked("follow") else []
    if form.errors:
        return new(visit, form)
    number = max(forum.threads) + 1
    first = Post(forum.next_post(), member.name, text, forum.clock.now)
    forum.threads[number] = Thread(number, board, title, tags, [first], followers=followers)
    return visit.go(f"/thread/{number}", "Your thread has been published.")


def reply(visit: Visit[Forum], number: str) -> Response:
    """Answer in a thread."""
    found, member = readable(visit, number), visit.store.member(visit.session)
    if isinstance(found, Response):
        return found
    if member is None:
        return visit.sign_in()
    form = Form(visit.form)
    text = form.text("text", "Reply", least=10, most=_TEXT)
    if found.locked:
        form.fault("text", "This thread is locked. No more replies are taken.")
    if found.posts[-1].author == member.name and found.posts[-1].text == text:
        form.fault("text", "You have just written exactly that.")
    if form.errors:
        return thread_page(visit, number, form)
    post = Post(visit.store.next_post(), member.name, text, visit.store.clock.now)
    found.posts.append(post)
    last = -(-len(found.posts) // _PAGE)
    return visit.go(f"/thread/{number}?page={last}#post-{post.number}", "Your reply has been published.")


def follow(visit: Visit[Forum], number: str) -> Response:
    """Follow a thread, or stop."""
    found, member = readable(visit, number), visit.store.member(visit.session)
    if isinstance(found, Response):
        return found
    if member is None:
        return visit.sign_in()
    if member.name in found.followers:
        found.followers.remove(member.name)
        return visit.go(f"/thread/{number}", "You no longer follow this thread.")
    found.followers.append(member.name)
    return visit.go(f"/thread/{number}", "You follow this thread now.")


def solve(visit: Visit[Forum], number: str) -> Response:
    """Mark a thread as solved; its author may, and moderators."""
    found, member = readable(visit, number), visit.store.member(visit.session)
    if isinstance(found, Response):
        return found
    if member is None or not (member.moderator or member.name == found.author):
        return visit.denied("Only the author can mark a thread as solved.")
    found.solved = not found.solved
    return visit.go(f"/thread/{number}", "Marked as solved." if found.solved else "Marked as open.")


def like(visit: Visit[Forum], number: str) -> Response:
    """Like a post, or take it back."""
    pair, member = readable_post(visit, number), visit.store.member(visit.session)
    if isinstance(pair, Response):
        return pair
    if member is None:
        return visit.sign_in()
    thread, post = pair
    back = _at(thread, post)
    if post.author == member.name:
        return visit.go(back, "You cannot like your own post.", kind="alert")
    if member.name in post.likes:
        post.likes.remove(member.name)
        return visit.go(back, "You took your like back.")
    post.likes.append(member.name)
    return visit.go(back, f"You like {post.author}'s post.")


def edit(visit: Visit[Forum], number: str, form: Form | None = None) -> Response:
    """The form to change a post."""
    pair = _own(visit, number)
    if isinstance(pair, Response):
        return pair
    form = form or Form(text=pair[1].text)
    return visit.page("edit.html.j2", status=422 if form.errors else 200, post=pair[1], thread=pair[0], form=form)


def take_edit(visit: Visit[Forum], number: str) -> Response:
    """Change a post."""
    pair = _own(visit, number)
    if isinstance(pair, Response):
        return pair
    form = Form(visit.form)
    text = form.text("text", "Text", least=10, most=_TEXT)
    if form.errors:
        return edit(visit, number, form)
    pair[1].text, pair[1].edited = text, visit.store.clock.now
    return visit.go(_at(*pair), "Your changes have been saved.")


def delete(visit: Visit[Forum], number: str) -> Response:
    """Remove a post; the first one of a thread stays."""
    pair = _own(visit, number)
    if isinstance(pair, Response):
        return pair
    thread, post = pair
    if post is thread.posts[0]:
        return visit.go(_at(thread, post), "The first post of a thread cannot be deleted.", kind="alert")
    post.removed = True
    return visit.go(_at(thread, post), "The post has been deleted.")


def report(visit: Visit[Forum], number: str) -> Response:
    """Tell the moderators of a post."""
    pair, member = readable_post(visit, number), visit.store.member(visit.session)
    if isinstance(pair, Response):
        return pair
    if member is None:
        return visit.sign_in()
    form = Form(visit.form)
    reason = form.choice("reason", "Reason", visit.store.reasons)
    note = form.text("note", "Note", most=300)
    if form.errors:
        return visit.go(_at(*pair), "Please choose a reason for your report.", kind="alert")
    visit.store.reports.append(Report(len(visit.store.reports) + 1, pair[1].number, member.name, reason, note))
    return visit.go(_at(*pair), "Thank you. A moderator will look at it.")


def shouts(visit: Visit[Forum], form: Form | None = None) -> Response:
    """What stands in the frame: short messages."""
    return visit.page("shouts.html.j2", status=422 if form and form.errors else 200, form=form or Form())


def shout(visit: Visit[Forum]) -> Response:
    """Take a short message."""
    form, member = Form(visit.form), visit.store.member(visit.session)
    text = form.text("shout", "Message", least=1, most=80)
    if member is None:
        form.fault("shout", "Please sign in to write here.")
    if form.errors:
        return shouts(visit, form)
    assert member is not None
    visit.store.shouts.append((member.name, text))
    return visit.go("/shouts")


def _at(thread: Thread, post: Post) -> str:
    page = thread.posts.index(post) // _PAGE + 1
    return f"/thread/{thread.number}?page={page}#post-{post.number}"


def _own(visit: Visit[Forum], number: str) -> tuple[Thread, Post] | Response:
    """Return a post that the visitor may change, with its thread."""
    pair, member = readable_post(visit, number), visit.store.member(visit.session)
    if isinstance(pair, Response):
        return pair
    if member is None:
        return visit.sign_in()
    if member.moderator or pair[1].author == member.name:
        return pair
    return visit.denied("This post belongs to somebody else.")


ROUTES: Routes = (
    ("GET", "/new", new),
    ("POST", "/new", take_new),
    ("POST", "/thread/<number>/reply", reply),
    ("POST", "/thread/<number>/follow", follow),
    ("POST", "/thread/<number>/solve", solve),
    ("POST", "/post/<number>/like", like),
    ("GET", "/post/<number>/edit", edit),
    ("POST", "/post/<number>/edit", take_edit),
    ("POST", "/post/<number>/delete", delete),
    ("POST", "/post/<number>/report", report),
    ("GET", "/shouts", shouts),
    ("POST", "/shouts", shout),
)
