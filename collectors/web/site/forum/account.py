"""Accounts of the forum, private messages, and what moderators do."""

from __future__ import annotations

import re
from http import HTTPStatus

from worldtape.collectors.web.site.app import Routes
from worldtape.collectors.web.site.form import Form
from worldtape.collectors.web.site.forum.model import Letter, Member
from worldtape.collectors.web.site.forum.read import readable
from worldtape.collectors.web.site.forum.store import Forum
from worldtape.collectors.web.site.response import Response
from worldtape.collectors.web.site.visit import Visit

_NAME = re.compile(r"[a-z][a-z0-9_-]{2,19}")
_RESERVED = {"admin", "moderator", "root", "system"}
DIGESTS = ("never", "daily", "weekly")


def sign_in(visit: Visit[Forum], form: Form | None = None, status: int = HTTPStatus.OK) -> Response:
    """The login form."""
    return visit.page("login.html.j2", status=status, form=form or Form(next=visit.query.one("next")))


def take_sign_in(visit: Visit[Forum]) -> Response:
    """Check name and password."""
    form = Form(visit.form, next=visit.form.one("next"))
    name, password = form.text("name", "Name", least=1), form.text("password", "Password", least=1)
    if form.errors:
        return sign_in(visit, form, HTTPStatus.UNPROCESSABLE_ENTITY)
    member = visit.store.members.get(name)
    if member is None or member.password != password:
        form.fault("password", "Name or password is not right.")
        return sign_in(visit, form, HTTPStatus.UNAUTHORIZED)
    if member.banned:
        return visit.denied("This account has been suspended by a moderator.")
    visit.session.user = name
    back = form.values["next"]
    safe = back.startswith("/") and not back.startswith("//")
    return visit.go(back if safe else "/", f"Welcome back, {name}.")


def sign_out(visit: Visit[Forum]) -> Response:
    """Forget who it was."""
    visit.session.user = None
    return visit.go("/", "You are signed out.")


def register(visit: Visit[Forum], form: Form | None = None) -> Response:
    """The form for a new account."""
    return visit.page("register.html.j2", status=422 if form and form.errors else 200, form=form or Form())


def take_register(visit: Visit[Forum]) -> Response:
    """Make an account."""
    form = Form(visit.form)
    name = form.text("name", "Name", least=1)
    if name and not _NAME.fullmatch(name):
        form.fault("name", "3 to 20 small letters, digits, - or _, beginning with a letter.")
    if name in _RESERVED:
        form.fault("name", f"The name “{name}” is reserved.")
    if name in visit.store.members:
        form.fault("name", f"The name “{name}” is taken.")
    form.email()
    password = form.text("password", "Password", least=8)
    if form.ok and not any(char.isdigit() for char in password):
        form.fault("password", "Password must contain a digit.")
    if form.text("riddle", "Answer", least=1).lower() not in {"four", "4"}:
        form.fault("riddle", "That is not how many legs a chair has.")
    form.ticked("rules", "Please read and accept the rules.")
    if form.errors:
        return register(visit, form)
    visit.store.members[name] = Member(name, password, visit.store.clock.now)
    visit.session.user = name
    return visit.go(f"/member/{name}", f"Welcome, {name}. Tell the others something about you.")


def settings(visit: Visit[Forum], form: Form | None = None) -> Response:
    """Profile and digest."""
    member = visit.store.member(visit.session)
    if member is None:
        return visit.sign_in()
    form = form or Form(about=member.about, place=member.place, digest=member.digest)
    return visit.page("settings.html.j2", status=422 if form.errors else 200, form=form, digests=DIGESTS)


def take_settings(visit: Visit[Forum]) -> Response:
    """Change profile and digest."""
    member = visit.store.member(visit.session)
    if member is None:
        return visit.sign_in()
    form = Form(visit.form)
    about, place = form.text("about", "About you", most=200), form.text("place", "Where you live", most=40)
    digest = form.choice("digest", "Summary by email", DIGESTS)
    if form.errors:
        return settings(visit, form)
    member.about, member.place, member.digest = about, place, digest
    return visit.go(f"/member/{member.name}", "Your profile has been saved.")


def letters(visit: Visit[Forum], form: Form | None = None) -> Response:
    """Private messages, and the form for a new one."""
    member = visit.store.member(visit.session)
    if member is None:
        return visit.sign_in()
    own = [one for one in visit.store.letters if member.name in (one.sender, one.receiver)]
    for one in own:
        one.read = one.read or one.receiver == member.name
    form = form or Form(to=visit.query.one("to"))
    return visit.page("letters.html.j2", status=422 if form.errors else 200, form=form, own=own[::-1], member=member)


def take_letter(visit: Visit[Forum]) -> Response:
    """Send a private message."""
    member = visit.store.member(visit.session)
    if member is None:
        return visit.sign_in()
    form = Form(visit.form)
    receiver = form.text("to", "To", least=1)
    subject = form.text("subject", "Subject", least=1, most=60)
    text = form.text("text", "Message", least=5, most=1000)
    if receiver and receiver not in visit.store.members:
        form.fault("to", f"There is no member called “{receiver}”.")
    if receiver == member.name:
        form.fault("to", "You cannot write to yourself.")
    if form.errors:
        return letters(visit, form)
    visit.store.letters.append(Letter(member.name, receiver, subject, text, visit.store.clock.now))
    return visit.go("/letters", f"Your message to {receiver} is on its way.")


def moderation(visit: Visit[Forum]) -> Response:
    """Reports that nobody has looked at yet, and those that somebody has."""
    if not _moderates(visit):
        return visit.denied("This page is for moderators only.")
    rows = [(report, *pair) for report in visit.store.reports if (pair := visit.store.post(report.post))]
    return visit.page("moderation.html.j2", rows=rows)


def judge(visit: Visit[Forum], number: str) -> Response:
    """Keep or remove a reported post."""
    if not _moderates(visit):
        return visit.denied("This page is for moderators only.")
    found = next((one for one in visit.store.reports if str(one.number) == number), None)
    if found is None or (pair := visit.store.post(found.post)) is None:
        return visit.missing("report")
    verdict = Form(visit.form).choice("verdict", "Verdict", ("kept", "removed"))
    if verdict not in {"kept", "removed"}:
        return visit.go("/moderation", "Please choose a verdict.", kind="alert")
    found.verdict = verdict
    pair[1].removed = verdict == "removed"
    return visit.go("/moderation", f"Report {number}: the post is {verdict}.")


def manage(visit: Visit[Forum], number: str) -> Response:
    """Pin, lock or move a thread."""
    if not _moderates(visit):
        return visit.denied("Only moderators can do this.")
    found = readable(visit, number)
    if isinstance(found, Response):
        return found
    form = Form(visit.form)
    board = form.choice("board", "Board", [one["slug"] for one in visit.store.boards])
    if form.errors:
        return visit.go(f"/thread/{number}", form.errors["board"], kind="alert")
    found.board, found.pinned, found.locked = board, form.ticked("pinned"), form.ticked("locked")
    return visit.go(f"/thread/{number}", "The thread has been changed.")


def ban(visit: Visit[Forum], name: str) -> Response:
    """Suspend an account, or let it in again."""
    found = visit.store.members.get(name)
    if not _moderates(visit):
        return visit.denied("Only moderators can do this.")
    if found is None:
        return visit.missing("member")
    if found.moderator:
        return visit.go(f"/member/{name}", "A moderator cannot be suspended.", kind="alert")
    found.banned = not found.banned
    return visit.go(f"/member/{name}", f"{name} is suspended." if found.banned else f"{name} may write again.")


def _moderates(visit: Visit[Forum]) -> bool:
    member = visit.store.member(visit.session)
    return member is not None and member.moderator


ROUTES: Routes = (
    ("GET", "/login", sign_in),
    ("POST", "/login", take_sign_in),
    ("POST", "/logout", sign_out),
    ("GET", "/register", register),
    ("POST", "/register", take_register),
    ("GET", "/settings", settings),
    ("POST", "/settings", take_settings),
    ("GET", "/letters", letters),
    ("POST", "/letters", take_letter),
    ("GET", "/moderation", moderation),
    ("POST", "/moderation/<number>", judge),
    ("POST", "/thread/<number>/manage", manage),
    ("POST", "/member/<name>/ban", ban),
)
