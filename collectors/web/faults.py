"""What can go wrong with an action, in one form."""

from __future__ import annotations

import re

from worldtape.errors import InputError
from worldtape.schemas import Status

_REASONS = (
    re.compile(r"(element is not [a-z ]+)"),
    re.compile(r"(<.*> (?:from <.*> )?intercepts pointer events|.* intercepts pointer events)"),
    re.compile(r"(element is outside of the viewport)"),
    re.compile(r"(did not find some options)"),
    re.compile(r"(option being selected is not enabled)"),
)
_DONE = ("click action done", "waiting for scheduled navigations to finish", "performing click action")
_NET = re.compile(r"(net::ERR_[A-Z_0-9]+)")
_COUNT = re.compile(r"^\s*-?\s*(?:\d+ × )?")
_PREFIX = re.compile(r"^(?:Error: )?[A-Za-z]+\.[a-z_A-Z]+: ")
_LONGEST = 300
ABORTED = "net::ERR_ABORTED"


class Fault(InputError):
    """An action that did not do what was asked.

    Attributes:
        status: how it ended.
        kind: one word: `unknown_element`, `not_actionable`, `net::ERR_…`, …
        message: what the page's reader is told.
    """

    def __init__(self, status: Status, kind: str, message: str) -> None:
        super().__init__(message)
        self.status, self.kind, self.message = status, kind, message


def fault_of(error: Exception, doing: str, *, timed_out: bool) -> Fault | None:
    """Return what an error of Playwright means while `doing` an action; None where the action was done all the same."""
    text = str(error)
    first = _PREFIX.sub("", text.strip().partition("\n")[0])
    if net := _NET.search(text):
        kind = net[1]
        if kind == ABORTED:
            return Fault(Status.INTERRUPTED, kind, f"{doing}: the navigation was cancelled")
        return Fault(Status.ENV_ERROR, kind, f"{doing}: {kind}")
    if timed_out:
        if doing in {"goto", "reload", "go_back", "go_forward"}:
            return Fault(Status.TIMEOUT_STILL_RUNNING, "timeout", f"{doing}: the page did not answer in time")
        if any(word in text for word in _DONE[:2]):
            return None
        reason = _reason(text)
        return Fault(Status.TOOL_ERROR, "not_actionable", f"{doing}: {reason or 'the element could not be acted upon'}")
    if "is not attached to the DOM" in text:
        return Fault(Status.TOOL_ERROR, "element_gone", f"{doing}: the element is gone")
    if "crashed" in text:
        return Fault(Status.ENV_ERROR, "page_crashed", f"{doing}: the page crashed")
    return Fault(Status.TOOL_ERROR, "not_possible", f"{doing}: {first[:_LONGEST]}")


def _reason(text: str) -> str | None:
    found: str | None = None
    for line in text.splitlines():
        line = _COUNT.sub("", line).strip()
        for pattern in _REASONS:
            if match := pattern.search(line):
                found = match[1][:_LONGEST]
    return found


__all__ = ["ABORTED", "Fault", "fault_of"]
