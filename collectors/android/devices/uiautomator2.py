"""Android itself, by UiAutomator2: an emulator or a device that `adb devices` lists."""

from __future__ import annotations

from typing import Any

from worldtape.collectors.android.actions import Move
from worldtape.collectors.android.devices._device import Aim, Device
from worldtape.collectors.android.faults import ActionError
from worldtape.schemas import Status

_HOME, _BACK, _ENTER = 3, 4, 66
"""Android's codes of keys."""


class UiAutomator2(Device):
    """Apps are packages. Before each dump the cache of accessibility nodes is cleared, which otherwise lags."""

    automation = "uiautomator2"
    package = "appium-uiautomator2-driver"

    def capabilities(self) -> dict[str, Any]:
        """Return what is asked of the server; further ones (`udid`, `avd`, …) stand in the configuration."""
        asked: dict[str, Any] = {
            "platformName": "Android",
            "automationName": "UiAutomator2",
            "newCommandTimeout": 3_600,
            "autoGrantPermissions": True,
        }
        app = self.installed.first
        if app is None:
            return asked
        if app.endswith((".apk", ".apks")):
            return asked | {"app": app}
        package, _, activity = app.partition("/")
        return asked | {"appPackage": package} | ({"appActivity": activity} if activity else {})

    def open(self) -> None:
        """Say how long a dump waits for an idle screen."""
        self.remote.update_settings({"waitForIdleTimeout": self.config.idle_ms})
        box = self.remote.get_window_size()
        self.size = (box["width"], box["height"])

    def look(self) -> dict[str, Any]:
        """Return a dump, taken after the cache was cleared."""
        cleared = self.session.ask(lambda remote: (remote.execute_script("mobile: resetAccessibilityCache"), True)[1])
        source = self.remote.page_source
        box = self.remote.get_window_size()
        self.size = (box["width"], box["height"])
        found: dict[str, Any] = {"source": source, "size": list(self.size)}
        return found if cleared else found | {"flags": ["cached"]}

    def state(self) -> dict[str, Any]:
        """Return package, activity, orientation and keyboard."""
        ask = self.session.ask
        return {
            "package": ask(lambda remote: remote.current_package),
            "app": None,
            "activity": ask(lambda remote: remote.current_activity),
            "orientation": ask(lambda remote: remote.orientation),
            "keyboard": ask(lambda remote: remote.is_keyboard_shown()),
            "focus": None,
        }

    def open_app(self, name: str) -> None:
        """Bring a package to the front; a package may be named although `apps` does not know it."""
        target = name if "." in name and name not in self.installed.apps else self.found_app(name)
        if "/" in target:
            self.remote.execute_script("mobile: startActivity", {"intent": target})
        elif self.session.ask(lambda remote: remote.is_app_installed(target), True):
            self.remote.activate_app(target)
        else:
            raise ActionError(Status.TOOL_ERROR, "unknown_app", f"there is no app {name!r}")

    def do_back(self, move: Move, aim: Aim) -> None:  # noqa: ARG002
        """Press back."""
        self.remote.press_keycode(_BACK)

    def do_home(self, move: Move, aim: Aim) -> None:  # noqa: ARG002
        """Press home."""
        self.remote.press_keycode(_HOME)

    def do_enter(self, move: Move, aim: Aim) -> None:  # noqa: ARG002
        """Press Enter."""
        self.remote.press_keycode(_ENTER)


__all__ = ["UiAutomator2"]
