"""One session of an Appium server."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress
from typing import Any

from worldtape.collectors.android.faults import fault_of
from worldtape.collectors.mcp._secrets import address
from worldtape.errors import ComponentError
from worldtape.schemas import Status

_PREFIX = "appium:"
_STANDARD = {
    "acceptInsecureCerts", "browserName", "browserVersion", "pageLoadStrategy", "platformName", "proxy",
    "setWindowRect", "timeouts", "unhandledPromptBehavior", "webSocketUrl",
}  # fmt: skip
_CLOSE_S = 10.0
_NEVER_TWICE = {"init_args_for_pool_manager": {"retries": False}}
"""What was sent and not answered is not sent again: it may have been done."""


def prefixed(capabilities: dict[str, Any]) -> dict[str, Any]:
    """Return capabilities with Appium's prefix where a name needs one."""
    return {
        name if name in _STANDARD or ":" in name else f"{_PREFIX}{name}": value for name, value in capabilities.items()
    }


class Session:
    """Opens a session, and lets go of it.

    Args:
        url: of the server.
        capabilities: what is asked for.
        start_s: seconds until it must have begun.

    Attributes:
        remote: the client of Appium.

    Raises:
        ComponentError: there is no session to be had.
    """

    def __init__(self, url: str, capabilities: dict[str, Any], *, start_s: float) -> None:
        from appium import webdriver
        from appium.options.common import AppiumOptions
        from appium.webdriver.client_config import AppiumClientConfig

        self._client = AppiumClientConfig(
            remote_server_addr=url, timeout=start_s, init_args_for_pool_manager=_NEVER_TWICE
        )
        options = AppiumOptions().load_capabilities(prefixed(capabilities))
        try:
            self.remote: Any = webdriver.Remote(url, options=options, client_config=self._client)
        except Exception as error:
            what = fault_of(error)
            raise ComponentError(f"there is no session: {what.message}", where=address(url)) from error

    def limit(self, seconds: float) -> None:
        """Wait no longer than so many seconds for each answer from now on."""
        self._client.timeout = max(0.05, seconds)

    @property
    def found(self) -> dict[str, Any]:
        """The capabilities that the session has."""
        return dict(self.remote.capabilities)

    def close(self) -> bool:
        """End the session, and say whether the server did; one that does not answer is left alone."""
        self.limit(_CLOSE_S)
        try:
            self.remote.quit()
        except Exception as error:  # noqa: BLE001 - it is over, whatever is said
            return fault_of(error).status is not Status.TIMEOUT_STILL_RUNNING
        finally:
            with suppress(Exception):
                self.remote.command_executor.close()
        return True

    def ask(self, what: Callable[[Any], Any], default: Any = None) -> Any:
        """Return what the driver answers, or `default` where it does not know that question.

        Raises:
            ActionError: the server, the session or the app is gone, or does not answer in time.
        """
        try:
            return what(self.remote)
        except Exception as error:
            fault = fault_of(error)
            if fault.gone or fault.status is Status.TIMEOUT_STILL_RUNNING:
                raise fault from error
            return default


__all__ = ["Session", "prefixed"]
