"""What the client of Appium raises, and what it means."""

from __future__ import annotations

import pytest
from selenium.common import exceptions as said
from urllib3 import HTTPConnectionPool
from urllib3.exceptions import NewConnectionError, ProtocolError, ReadTimeoutError

from worldtape.collectors.android.faults import fault_of
from worldtape.schemas import Status

POOL = HTTPConnectionPool("127.0.0.1", 1)
PROXIED = "Could not proxy command to the remote server. Original error: socket hang up"


@pytest.mark.parametrize(
    ("error", "status", "kind", "gone"),
    [
        (said.StaleElementReferenceException("stale"), Status.TOOL_ERROR, "stale_element", None),
        (said.NoSuchElementException("none"), Status.TOOL_ERROR, "no_such_element", None),
        (said.UnexpectedAlertPresentException("open"), Status.TOOL_ERROR, "dialog_open", None),
        (said.MoveTargetOutOfBoundsException("out"), Status.TOOL_ERROR, "out_of_bounds", None),
        (said.WebDriverException("no reason known"), Status.TOOL_ERROR, "not_possible", None),
        (said.TimeoutException("slow"), Status.TIMEOUT_STILL_RUNNING, "timeout", None),
        (said.WebDriverException("unknown error: net::ERR_ABORTED"), Status.ENV_ERROR, "net::ERR_ABORTED", None),
        (said.InvalidSessionIdException("over"), Status.ENV_ERROR, "app_gone", "app"),
        (said.WebDriverException(PROXIED), Status.ENV_ERROR, "app_gone", "app"),
        (
            said.WebDriverException("'GET /source' cannot be proxied: the instrumentation process is not running"),
            Status.ENV_ERROR,
            "app_gone",
            "app",
        ),
        (ReadTimeoutError(POOL, "/", "late"), Status.TIMEOUT_STILL_RUNNING, "no_answer", None),
        (NewConnectionError(POOL, "refused"), Status.INFRA_ERROR, "server_gone", "server"),  # type: ignore[arg-type]
        (ProtocolError("closed"), Status.INFRA_ERROR, "server_gone", "server"),
        (ConnectionResetError(), Status.INFRA_ERROR, "server_gone", "server"),
        (KeyError("x"), Status.INFRA_ERROR, "client", None),
    ],
)
def test_every_error_has_its_meaning(error: Exception, status: Status, kind: str, gone: str | None) -> None:
    fault = fault_of(error)
    assert (fault.status, fault.kind, fault.gone) == (status, kind, gone)


def test_only_the_first_line_of_what_was_said_is_kept() -> None:
    error = said.WebDriverException(
        "\nno such element: nothing\n  (Session info: chrome=1)\n#0 <unknown>; For documentation on this error, see x"
    )
    assert fault_of(error).message == "no such element: nothing"
    error = said.NoSuchElementException("gone (Session info: chrome=1)")
    assert fault_of(error).message == "gone"
    assert len(fault_of(said.WebDriverException("x" * 9_999)).message) == 300
