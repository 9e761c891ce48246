"""A phone-sized page in Chromium: real script, real touches, dumps in the words of Android."""

from __future__ import annotations

import json
import os
import shutil
import signal
import time
from contextlib import suppress
from typing import Any

from worldtape.collectors.android.actions import InputText, Move
from worldtape.collectors.android.devices._device import Aim, Device
from worldtape.collectors.android.faults import ActionError, fault_of
from worldtape.collectors.android.server import free_port
from worldtape.collectors.android.walker import walker
from worldtape.collectors.web._quiet import REST, WATCH
from worldtape.collectors.web.engine import find_chromium
from worldtape.errors import ComponentError
from worldtape.schemas import Status

HOW = "apt-get install chromium chromium-driver"
_RESTS = f"const [quiet, cap, done] = arguments; ({REST})([quiet, cap]).then(([rests]) => done(rests));"
_ARGS = (
    "--headless=new", "--disable-background-networking", "--disable-component-update", "--disable-default-apps",
    "--disable-quic", "--no-first-run", "--force-color-profile=srgb",
    "--force-prefers-reduced-motion", "--hide-scrollbars", "--lang=en-US",
)  # fmt: skip
_FOLDED = 4
_CDP = "executeCdpCommand"
_FACTS = "return window.worldtape ? window.worldtape.facts() : null;"
_MS = 1000
_PART = 0.8
"""How much of an action's time a page has to load: what has not is stopped, and looked at as it is."""
_MIDDLE = "const box = arguments[0].getBoundingClientRect(); return [box.x + box.width / 2, box.y + box.height / 2];"
_MODAL = "return document.querySelector(':modal') !== null;"
_ANSWERED = """const broken = location.protocol === "chrome-error:", said = document.body?.innerText || "";
return [performance.timeOrigin, broken ? (said.match(/ERR_[A-Z_0-9]+/) || ["ERR_FAILED"])[0] : null,
  performance.getEntriesByType("navigation")[0]?.responseStatus || 0];"""
_LEAST_ERROR = 400
_ESCAPE = "\ue00c"


class Chromium(Device):
    """Apps are pages; home is the first of them. A dialog of a page holds everything up until it is answered."""

    automation = "chromium"
    package = "appium-chromium-driver"

    def capabilities(self) -> dict[str, Any]:
        """Return what is asked of the server.

        Raises:
            ComponentError: there is no Chromium, or no chromedriver.
        """
        binary = self.config.executable or find_chromium()
        driver = self.config.chromedriver or shutil.which("chromedriver")
        if binary is None or driver is None:
            raise ComponentError(f"there is no {'Chromium' if binary is None else 'chromedriver'}", fix=HOW)
        metrics = {"width": self.config.width, "height": self.config.height, "pixelRatio": 1.0, "touch": True}
        return {
            "platformName": "linux",
            "browserName": "chrome",
            "automationName": "Chromium",
            "executable": driver,
            "autodownloadEnabled": False,
            "chromedriverPort": free_port(),
            "newCommandTimeout": 3_600,
            "timeouts": {"pageLoad": round(self.config.timeout_s * _PART * _MS)},
            "unhandledPromptBehavior": "ignore",
            "goog:loggingPrefs": {"performance": "ALL"},
            "goog:chromeOptions": {
                "binary": binary,
                "args": [*_ARGS, *([] if os.getuid() else ["--no-sandbox"])],
                "mobileEmulation": {"deviceMetrics": metrics},
                "perfLoggingPrefs": {"enableNetwork": False, "enablePage": True},
            },
        }

    def open(self) -> None:
        """Open the first page."""
        self.size = (self.config.width, self.config.height)
        self._dialog: dict[str, Any] = {}
        self._page = 0.0
        self.remote.command_executor.add_command(_CDP, "POST", "/session/$sessionId/goog/cdp/execute")
        script = {"cmd": "Page.addScriptToEvaluateOnNewDocument", "params": {"source": WATCH}}
        self.remote.execute(_CDP, script)
        self.remote.get(self._first)

    def rest(self, seconds: float) -> bool:
        """Wait until the document is loaded and does not change; a page that goes elsewhere is waited for again."""
        until = time.monotonic() + seconds
        for _ in range(_FOLDED):
            cap = max(1.0, (until - time.monotonic()) * _MS)
            try:
                return bool(self.remote.execute_async_script(_RESTS, self.config.quiet_ms, cap))
            except Exception as error:
                fault = fault_of(error)
                if fault.kind == "dialog_open":
                    return True
                if fault.kind == "timeout":
                    return False
                if fault.kind != "script_failed":
                    raise
        return False

    def look(self) -> dict[str, Any]:
        """Return what shows of the page, or the dialog before it."""
        text = self.session.ask(lambda remote: remote.switch_to.alert.text)
        if text is not None:
            return {"size": list(self.size or ()), "alert": self._alert(str(text))}
        found = self.remote.execute_script(walker())
        return {"source": found["source"], "size": found["size"], "state": found["state"]}

    def state(self) -> dict[str, Any]:
        """Return what is known while a dialog is open: nothing."""
        return {"package": None, "app": None, "activity": None, "orientation": None, "keyboard": None, "focus": None}

    def trouble(self) -> ActionError | None:
        """Return what a page that is new was answered with, where that is an error."""
        found = self.session.ask(lambda remote: remote.execute_script(_ANSWERED))
        if found is None or found[0] == self._page:
            return None
        self._page, error, status = found
        if error is not None:
            return ActionError(Status.ENV_ERROR, f"net::{error}", f"net::{error}")
        if status >= _LEAST_ERROR:
            return ActionError(Status.TOOL_ERROR, "http_error", f"the page answered {status}")
        return None

    def papers(self) -> dict[str, tuple[str, bytes]]:
        """Return the HTML of the page."""
        if not self.config.html:
            return {}
        html = self.session.ask(lambda remote: remote.page_source)
        return {} if html is None else {"html": ("text/html", str(html).encode("utf-8", "backslashreplace"))}

    def facts(self) -> Any:
        """Return what Worldtape's own pages hold; of others nobody knows."""
        return self.session.ask(lambda remote: remote.execute_script(_FACTS))

    def open_app(self, name: str) -> None:
        """Open an app's page."""
        self.remote.get(self.found_app(name))

    def close(self) -> None:
        """End the session; a browser that hangs is killed, where it is ours."""
        if not self.end() and self.config.server_url is None:
            with suppress(ProcessLookupError, KeyError):
                os.kill(self.session.found["goog:processID"], signal.SIGKILL)

    def do_click(self, move: Move, aim: Aim) -> None:
        """Tap, or answer the dialog."""
        does = None if aim.element is None else aim.element.alert
        if does == "accept":
            self.remote.switch_to.alert.accept()
        elif does == "dismiss":
            self.remote.switch_to.alert.dismiss()
        elif aim.element is None or aim.element.path:
            super().do_click(move, aim)

    def do_input_text(self, move: Move, aim: Aim) -> None:
        """Type into a field, or into the dialog's."""
        assert isinstance(move, InputText)
        if aim.element is not None and aim.element.alert is not None:
            self.remote.switch_to.alert.send_keys(move.text)
        else:
            super().do_input_text(move, aim)

    def do_back(self, move: Move, aim: Aim) -> None:
        """Close the dialog that is open, be it the browser's or the page's; else go back to the page before."""
        if self.session.ask(lambda remote: remote.switch_to.alert.text) is not None:
            self.remote.switch_to.alert.dismiss()
        elif self.session.ask(lambda remote: remote.execute_script(_MODAL), False):
            self.remote.switch_to.active_element.send_keys(_ESCAPE)
        else:
            super().do_back(move, aim)

    def do_home(self, move: Move, aim: Aim) -> None:  # noqa: ARG002
        """Open the home screen."""
        self.remote.get(self.installed.home or self._first)

    def do_enter(self, move: Move, aim: Aim) -> None:
        """Press Enter in the field that has the focus; it accepts a dialog."""
        if self.session.ask(lambda remote: remote.switch_to.alert.text) is not None:
            self.remote.switch_to.alert.accept()
        else:
            super().do_enter(move, aim)

    def middle(self, handle: Any) -> tuple[float, float]:
        """Return the point in the middle of an element, in pixels of the viewport."""
        x, y = self.remote.execute_script(_MIDDLE, handle)
        return (x, y)

    @property
    def _first(self) -> str:
        return self.installed.first or "about:blank"

    def _alert(self, text: str) -> dict[str, Any]:
        """Return the dialog with its kind, which the browser's own log tells."""
        for entry in self.session.ask(lambda remote: remote.get_log("performance"), []):
            message = json.loads(entry["message"])["message"]
            if message.get("method") == "Page.javascriptDialogOpening":
                self._dialog = message["params"]
        kind = self._dialog.get("type") if self._dialog.get("message") == text else None
        return {"text": text, "type": kind or "confirm", "prompt": kind == "prompt"}


__all__ = ["Chromium"]
