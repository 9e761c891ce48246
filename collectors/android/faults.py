"""What can go wrong with an action on a device, in one form."""

from __future__ import annotations

import re

from worldtape.errors import InputError
from worldtape.schemas import Status

_LONGEST = 300
_NET = re.compile(r"net::ERR_[A-Z_0-9]+")


class ActionError(InputError):
    """An action that did not do what was asked.

    Attributes:
        status: how it ended.
        kind: one word: `unknown_element`, `stale_element`, `dialog_open`, …
        message: in the words of the driver, or ours where nothing was tried.
        gone: `server`, `session` or `app` where nothing can be done any more.
    """

    def __init__(self, status: Status, kind: str, message: str, *, gone: str | None = None) -> None:
        super().__init__(message)
        self.status, self.kind, self.message, self.gone = status, kind, message, gone


_KINDS = {
    "ElementClickInterceptedException": "covered",
    "ElementNotInteractableException": "not_interactable",
    "ElementNotVisibleException": "not_visible",
    "InvalidArgumentException": "invalid_argument",
    "InvalidElementStateException": "invalid_state",
    "InvalidSelectorException": "invalid_selector",
    "JavascriptException": "script_failed",
    "MoveTargetOutOfBoundsException": "out_of_bounds",
    "NoAlertPresentException": "no_dialog",
    "NoSuchElementException": "no_such_element",
    "StaleElementReferenceException": "stale_element",
    "UnexpectedAlertPresentException": "dialog_open",
    "UnknownMethodException": "not_supported",
}
"""Selenium's error to our word for it: the device lives, and says no."""
_GONE = (
    "chrome not reachable",
    "disconnected",
    "instrumentation process is not running",
    "no such window",
    "not connected to DevTools",
    "session deleted",
    "socket hang up",
    "tab crashed",
    "target frame detached",
    "ECONNREFUSED",
    "ECONNRESET",
)
"""Words of a driver behind which the app or the device is no more."""
_LATE = ("ScriptTimeoutException", "TimeoutException")
_NO_SESSION = ("InvalidSessionIdException", "NoSuchDriverException", "NoSuchWindowException")


def fault_of(error: Exception) -> ActionError:
    """Return what an error of the client, the server or the connection between them means."""
    from selenium.common.exceptions import WebDriverException
    from urllib3.exceptions import HTTPError, NewConnectionError
    from urllib3.exceptions import TimeoutError as LateError

    if isinstance(error, WebDriverException):
        return _refused(error)
    if isinstance(error, LateError) and not isinstance(error, NewConnectionError):
        return ActionError(Status.TIMEOUT_STILL_RUNNING, "no_answer", "the device did not answer in time")
    if isinstance(error, HTTPError | OSError):
        return ActionError(Status.INFRA_ERROR, "server_gone", "the Appium server is gone", gone="server")
    return ActionError(Status.INFRA_ERROR, "client", f"{type(error).__name__}: {error}"[:_LONGEST])


def _refused(error: Exception) -> ActionError:
    """Return what the answer of a server means."""
    said, name = said_by(error), type(error).__name__
    if name in _LATE:
        return ActionError(Status.TIMEOUT_STILL_RUNNING, "timeout", said)
    if name in _NO_SESSION or any(words in said for words in _GONE):
        return ActionError(Status.ENV_ERROR, "app_gone", said, gone="app")
    if net := _NET.search(said):
        return ActionError(Status.ENV_ERROR, net[0], said)
    return ActionError(Status.TOOL_ERROR, _KINDS.get(name, "not_possible"), said)


def said_by(error: Exception) -> str:
    """Return the first line of what a driver said, without our paths in it."""
    text = str(getattr(error, "msg", None) or error)
    first = next((line for line in text.splitlines() if line.strip()), type(error).__name__)
    first = re.sub(r";? For documentation on this error.*", "", first)
    first = re.sub(r"\s*\(Session info: .*", "", first)
    return first.strip()[:_LONGEST]


__all__ = ["ActionError", "fault_of", "said_by"]
