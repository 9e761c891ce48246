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
_DONE = ("click action done", "waiting for scheduled navigations to finish")
_TRAVELS = {"goto", "reload", "go_back", "go_forward"} | {f"browser_navigate{way}" for way in ("", "_back", "_forward")}
_KNOWN = (
    ("is not attached to the DOM", Status.TOOL_ERROR, "element_gone", "the element is gone"),
    ("crashed", Status.ENV_ERROR, "page_crashed", "the page crashed"),
    ("has been closed", Status.TOOL_ERROR, "tab_closed", "the tab was closed"),
)
"""Words of an error, and what they mean."""
_NET = re.compile(r"(net::ERR_[A-Z_0-9]+)")
_COUNT = re.compile(r"^\s*-?\s*(?:\d+ × )?")
_PREFIX = re.compile(r"^(?:Error: )?[A-Za-z]+\.[a-z_A-Z]+: ")
_LONGEST = 300
ABORTED = "net::ERR_ABORTED"


class ActionError(InputError):
    """An action that did not do what was asked.

    Attributes:
        status: how it ended.
        kind: one word: `unknown_element`, `not_actionable`, `net::ERR_…`, …
        message: what the page's reader is told.
    """

    def __init__(self, status: Status, kind: str, message: str) -> None:
        super().__init__(message)
        self.status, self.kind, self.message = status, kind, message


def fault_of(error: Exception, doing: str, *, timed_out: bool) -> ActionError | None:
    """Return what an error of Playwright means while `doing` an action; None where the action was done all the same."""
    text = str(error)
    if net := _NET.search(text):
        if net[1] == ABORTED:
            return ActionError(Status.INTERRUPTED, ABORTED, f"{doing}: the navigation was cancelled")
        return ActionError(Status.ENV_ERROR, net[1], f"{doing}: {net[1]}")
    if timed_out:
        return _late(text, doing)
    for words, status, kind, message in _KNOWN:
        if words in text:
            return ActionError(status, kind, f"{doing}: {message}")
    first = _PREFIX.sub("", text.strip().partition("\n")[0])
    return ActionError(Status.TOOL_ERROR, "not_possible", f"{doing}: {first[:_LONGEST]}")


def _late(text: str, doing: str) -> ActionError | None:
    if doing in _TRAVELS:
        return ActionError(Status.TIMEOUT_KILLED, "timeout", f"{doing}: the page did not answer in time")
    if any(words in text for words in _DONE):
        return None
    reason = _reason(text)
    if reason is None:
        return ActionError(Status.TIMEOUT_STILL_RUNNING, "timeout", f"{doing}: the page did not get to it in time")
    return ActionError(Status.TOOL_ERROR, "not_actionable", f"{doing}: {reason}")


def _reason(text: str) -> str | None:
    found: str | None = None
    for line in text.splitlines():
        for pattern in _REASONS:
            if match := pattern.search(_COUNT.sub("", line).strip()):
                found = match[1][:_LONGEST]
    return found


__all__ = ["ABORTED", "ActionError", "fault_of"]
