"""What one step found: as a tree, and as an outcome."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from worldtape.collectors.web.capture import Captured
from worldtape.collectors.web.faults import ABORTED, ActionError
from worldtape.collectors.web.settle import Settled
from worldtape.collectors.web.tab import Tab
from worldtape.schemas import ErrorInfo, Outcome, Status

if TYPE_CHECKING:
    from worldtape.collectors.web.session import Session

VERSION = 1
"""Of the lines of the channel `tree`."""
_LEAST_ERROR = 400


@dataclass(slots=True)
class Found:
    """How a step went, as far as it is known."""

    fault: ActionError | None = None
    settled: Settled | None = None
    captured: Captured | None = None


def tree_of(session: Session, found: Found) -> dict[str, Any]:
    """Return what is kept of a page for its renderers; the events since the last one are taken."""
    seen, tab = found.captured, session.active
    events = session.take_events()
    tree: dict[str, Any] = {"version": VERSION}
    if seen is not None:
        tree |= {"url": seen.url, "title": seen.title}
    elif tab is not None:
        tree |= {"url": tab.page.url, "title": tab.title}
    tree["tabs"] = [
        {"title": one.title, "url": one.page.url} | ({"active": True} if one is tab else {}) for one in session.tabs
    ]
    tree["viewport"] = [session.config.width, session.config.height]
    if seen is not None:
        tree |= {"scroll": seen.scroll, "size": seen.size}
    if session.dead or (tab is not None and tab.crashed):
        tree["gone"] = "browser" if session.dead else "page"
    if (dialog := session.dialogs.shown()) is not None:
        tree["dialog"] = dialog
    if found.fault is not None:
        tree["error"] = {"type": found.fault.kind, "message": found.fault.message}
    if events:
        tree["events"] = events
    tree["frames"] = [] if seen is None else seen.merged.frames
    tree["nodes"] = [] if seen is None else seen.merged.nodes
    return tree


def outcome_of(session: Session, found: Found, before: Tab | None, answers: int) -> Outcome:
    """Return how a step ended; `before` was in front, and had had so many answers."""
    fault = found.fault
    if session.gone.is_set() and (fault is None or fault.status is not Status.NOT_EXECUTED):
        return _gone(session)
    if fault is not None:
        return _bad(fault.status, fault.kind, fault.message)
    if (shown := _answered(session, before, answers)) is not None:
        return shown
    if session.stopped:
        return _bad(Status.TIMEOUT_KILLED, "timeout", "the page did not answer in time")
    if found.settled is not None and not found.settled.loaded:
        return _bad(Status.TIMEOUT_STILL_RUNNING, "timeout", "the page was still loading")
    return Outcome(status=Status.OK)


def _gone(session: Session) -> Outcome:
    if session.lost:
        return _bad(Status.INFRA_ERROR, "driver_died", "Playwright's driver died")
    if session.dead:
        return _bad(Status.ENV_ERROR, "browser_crashed", "the browser died")
    return _bad(Status.ENV_ERROR, "page_crashed", "the page crashed")


def _answered(session: Session, before: Tab | None, answers: int) -> Outcome | None:
    """Return the outcome where the page in front was newly answered, and badly."""
    front = session.active
    if front is None or (front is before and front.answers <= answers):
        return None
    if front.failure and ABORTED not in front.failure:
        return _bad(Status.ENV_ERROR, front.failure, front.failure)
    if front.status is None or front.status < _LEAST_ERROR:
        return None
    return _bad(Status.TOOL_ERROR, "http_error", f"the page answered {front.status}", front.status)


def _bad(status: Status, kind: str, message: str, code: int | None = None) -> Outcome:
    return Outcome(status=status, error=ErrorInfo(type=kind, message=message, code=code))


__all__ = ["VERSION", "Found", "outcome_of", "tree_of"]
