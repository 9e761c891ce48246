"""The fake driver: a device of XML, whose dumps never change; what does change is asked of each element."""

from __future__ import annotations

from typing import Any

from worldtape.collectors.android.actions import InputText, Move
from worldtape.collectors.android.devices._device import Aim, Device
from worldtape.collectors.android.faults import ActionError
from worldtape.collectors.android.hierarchy import parse
from worldtape.collectors.android.screen import Screen
from worldtape.collectors.android.session import Session
from worldtape.errors import ComponentError
from worldtape.schemas import Status

_FIELD = "MockInputField"


class Fake(Device):
    """Each app is a file, and a session of its own, which is kept while another is in front."""

    automation = "fake"
    package = "@appium/fake-driver"

    def capabilities(self) -> dict[str, Any]:
        """Return what is asked of the server: the first app."""
        return self._asked(self._first)

    def open(self) -> None:
        """The first app is open already."""
        self._front = self._first
        self._open: dict[str, Session] = {self._front: self.session}
        self._focus: dict[str, str] = {}
        self._handles: dict[tuple[str, str], Any] = {}

    def look(self) -> dict[str, Any]:
        """Return the app's source, its dialog, and what its elements say of themselves."""
        remote = self.remote
        source = remote.page_source
        box = remote.get_window_size()
        self.size = (box["width"], box["height"])
        found: dict[str, Any] = {"source": source, "size": list(self.size)}
        overlay = {path: told for path in Screen(found).asked if (told := self._told(path))}
        if overlay:
            found["overlay"] = overlay
        text = self.session.ask(lambda remote: remote.switch_to.alert.text)
        if text is not None:
            found["alert"] = {"text": text, "type": "confirm", "prompt": _has_prompt(source, text)}
        return found

    def state(self) -> dict[str, Any]:
        """Return the app and the orientation."""
        name = next((name for name, file in self.installed.apps.items() if file == self._front), None)
        return {
            "package": None,
            "app": name,
            "activity": None,
            "orientation": self.session.ask(lambda remote: remote.orientation),
            "keyboard": None,
            "focus": None,
        }

    def close(self) -> None:
        """End the sessions of all apps."""
        super().close()
        for session in getattr(self, "_open", {}).values():
            if session is not self.session:
                session.close()

    def limit(self, seconds: float) -> None:
        """Wait no longer than so many seconds for each answer from now on."""
        super().limit(seconds)
        for session in self._open.values():
            session.limit(seconds)

    def open_app(self, name: str) -> None:
        """Bring an app to the front, as it was left."""
        file = self.found_app(name)
        if file not in self._open:
            asked = self._asked(file) | self.config.capabilities
            try:
                self._open[file] = Session(self._url, asked, start_s=self.config.session_s)
            except ComponentError as error:
                raise ActionError(Status.TOOL_ERROR, "unknown_app", error.what) from error
        self._front, self.session = file, self._open[file]

    def do_click(self, move: Move, aim: Aim) -> None:  # noqa: ARG002
        """Tap an element; where a point has none, the device takes the touch and does nothing."""
        does = None if aim.element is None else aim.element.alert
        if does is not None:
            self._answer(does)
            return
        path = self._path(aim)
        if not path:
            self.touch([self.point_of(aim)], hold_ms=50)
            return
        self._handle(path).click()
        self._focus[self._front] = path

    def do_input_text(self, move: Move, aim: Aim) -> None:
        """Type into a field, or into the dialog's."""
        assert isinstance(move, InputText)
        if aim.element is not None and aim.element.alert == "prompt":
            self.remote.switch_to.alert.send_keys(move.text)
            return
        if aim:
            self.do_click(move, aim)
        path = self._path(aim) or self._focus.get(self._front, "")
        if not path:
            raise ActionError(Status.TOOL_ERROR, "no_focus", "no field has the focus")
        field = self._handle(path)
        before = "" if move.clear_text else str(field.text or "")
        field.send_keys(before + move.text)

    def do_back(self, move: Move, aim: Aim) -> None:  # noqa: ARG002
        """Close the dialog that is open; else the driver says that it knows no such button."""
        if self.session.ask(lambda remote: remote.switch_to.alert.text) is not None:
            self._answer("dismiss")
        else:
            self.remote.back()

    def do_enter(self, move: Move, aim: Aim) -> None:  # noqa: ARG002
        """Accept the dialog; there is nothing else that takes it."""
        self._answer("accept")

    def do_home(self, move: Move, aim: Aim) -> None:  # noqa: ARG002
        """Bring the first app to the front."""
        self._front = self._first
        self.session = self._open[self._front]

    def _answer(self, does: str) -> None:
        alert = self.remote.switch_to.alert
        if does == "accept":
            alert.accept()
        elif does == "dismiss":
            alert.dismiss()

    @property
    def _first(self) -> str:
        return str(self.installed.first)

    def _asked(self, file: str) -> dict[str, Any]:
        asked = {"platformName": "Fake", "automationName": "Fake", "deviceName": "Fake", "app": file}
        return asked | {"newCommandTimeout": 3_600}

    def _path(self, aim: Aim) -> str:
        """Return the XPath of what is meant: the element itself, or the innermost at a point."""
        if aim.element is not None:
            return aim.element.path
        if aim.path or aim.point is None:
            return aim.path
        x, y = aim.point
        at = [
            one
            for one in Screen(self.look()).elements
            if one.bounds and one.bounds[0] <= x < one.bounds[2] and one.bounds[1] <= y < one.bounds[3]
        ]
        return at[-1].path if at else ""

    def _handle(self, path: str) -> Any:
        key = (self._front, path)
        if key not in self._handles:
            self._handles[key] = self.remote.find_element("xpath", path)
        return self._handles[key]

    def _told(self, path: str) -> dict[str, str]:
        handle = self._handle(path)
        told = {"focused": "true"} if path == self._focus.get(self._front) else {}
        if path.rpartition("/")[2].startswith(_FIELD):
            return told | {"value": value} if (value := handle.text) else told
        clicks = handle.get_attribute("clicks")
        return told | {"clicks": str(clicks)} if clicks else told


def _has_prompt(source: str, text: str) -> bool:
    nodes = parse(source).nodes
    return any(node.tag == "alert" and node.get("text") == text and node.holds("hasPrompt") for node in nodes)


__all__ = ["Fake"]
