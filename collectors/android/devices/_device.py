"""What every device can do, whatever its driver."""

from __future__ import annotations

import math
import time
from abc import ABC, abstractmethod
from dataclasses import dataclass
from threading import Event
from typing import Any

from worldtape.collectors.android.actions import (
    InputText,
    LongPress,
    Move,
    OpenApp,
    Scroll,
    Swipe,
    Wait,
)
from worldtape.collectors.android.config import AndroidConfig
from worldtape.collectors.android.elements import Bounds, Element
from worldtape.collectors.android.faults import ActionError
from worldtape.collectors.android.installed import Installed
from worldtape.collectors.android.session import Session
from worldtape.schemas import Status

_TAP_MS = 50
_SCROLL_MS = 400
_REACH = 0.6
"""How much of a screen or an element one scroll moves over."""


@dataclass(frozen=True, slots=True)
class Aim:
    """What an action is aimed at: an element of the newest observation, a point, or an XPath."""

    element: Element | None = None
    point: tuple[float, float] | None = None
    path: str = ""

    def __bool__(self) -> bool:
        return bool(self.element or self.point or self.path)

    @property
    def bounds(self) -> Bounds | None:
        """Where its element is."""
        return None if self.element is None else self.element.bounds


class Device(ABC):
    """One session with a device, used by one thread at a time.

    Every method may raise what its client raises; `fault_of` reads that.

    Attributes:
        automation: the name of the driver, as capabilities have it.
        installed: what can be opened.
        size: of the screen, pixels; None until it was looked at.
    """

    automation: str
    package = ""
    """The driver's package of Node.js."""

    def __init__(self, config: AndroidConfig, url: str, installed: Installed) -> None:
        self.config = config
        self.installed = installed
        self.size: tuple[int, int] | None = None
        self._url = url
        self._until = math.inf
        self._closing = Event()
        self.session = Session(url, self.capabilities() | config.capabilities, start_s=config.session_s)

    @abstractmethod
    def capabilities(self) -> dict[str, Any]:
        """Return what is asked of the server."""

    @abstractmethod
    def look(self) -> dict[str, Any]:
        """Return a capture, as `worldtape.collectors.android.capture` describes it, without what is said of it."""

    @abstractmethod
    def state(self) -> dict[str, Any]:
        """Return what stands beside a dump: package, app, activity, orientation, keyboard, focus; null: unknown."""

    def open(self) -> None:  # noqa: B027
        """Bring it to its start."""

    def rest(self, seconds: float) -> bool:  # noqa: ARG002
        """Wait until an event says that it rests, so many seconds at most; False: it went on moving."""
        return True

    def trouble(self) -> ActionError | None:
        """Return what went wrong although no command failed, such as a page that was answered with an error."""
        return None

    def papers(self) -> dict[str, tuple[str, bytes]]:
        """Return what else is kept of a screen: channel to media type and bytes."""
        return {}

    def facts(self) -> Any:
        """Return what the app in front holds, where it says so; None: it does not."""
        return None

    def picture(self) -> bytes:
        """Return the screen as PNG."""
        return bytes(self.remote.get_screenshot_as_png())

    def close(self) -> None:
        """End it, whatever is going on."""
        self.end()

    def end(self) -> bool:
        """End the session, and say whether the server did."""
        self._closing.set()
        return self.session.close()

    def limit(self, seconds: float) -> None:
        """Wait no longer than so many seconds for each answer from now on."""
        self._until = time.monotonic() + seconds
        self.session.limit(seconds)

    @property
    def remote(self) -> Any:
        """The client of Appium."""
        return self.session.remote

    def act(self, name: str, move: Move, aim: Aim) -> None:
        """Carry out one action.

        Raises:
            ActionError: it cannot be done.
        """
        getattr(self, f"do_{name}")(move, aim)

    def do_click(self, move: Move, aim: Aim) -> None:  # noqa: ARG002
        """Tap; what is found by an XPath is clicked by the driver, with its errors."""
        if aim.path:
            self.remote.find_element("xpath", aim.path).click()
        else:
            self.touch([self.point_of(aim)], hold_ms=_TAP_MS)

    def do_long_press(self, move: Move, aim: Aim) -> None:
        """Press and hold."""
        assert isinstance(move, LongPress)
        self.touch([self.point_of(aim)], hold_ms=move.duration_ms)

    def do_input_text(self, move: Move, aim: Aim) -> None:
        """Give a field the focus and type into it."""
        assert isinstance(move, InputText)
        if aim:
            self.do_click(move, aim)
        field = self.remote.switch_to.active_element
        if move.clear_text:
            field.clear()
        field.send_keys(move.text)

    def do_scroll(self, move: Move, aim: Aim) -> None:
        """Move the content against the direction."""
        assert isinstance(move, Scroll)
        begin, end = self.way(move.direction, aim.bounds, point=aim.point)
        self.touch([end, begin], over_ms=_SCROLL_MS, still_ms=_TAP_MS)

    def do_swipe(self, move: Move, aim: Aim) -> None:  # noqa: ARG002
        """Move a finger."""
        assert isinstance(move, Swipe)
        if move.start is not None and move.end is not None:
            begin, end = move.start, move.end
        else:
            begin, end = self.way(move.direction or "up", None)
        self.touch([begin, end], over_ms=move.duration_ms)

    def do_open_app(self, move: Move, aim: Aim) -> None:  # noqa: ARG002
        """Bring an app to the front."""
        assert isinstance(move, OpenApp)
        self.open_app(move.app_name)

    def do_back(self, move: Move, aim: Aim) -> None:  # noqa: ARG002
        """Press back."""
        self.remote.back()

    @abstractmethod
    def do_home(self, move: Move, aim: Aim) -> None:
        """Press home."""

    def do_enter(self, move: Move, aim: Aim) -> None:  # noqa: ARG002
        """Press Enter."""
        self.remote.switch_to.active_element.send_keys("\ue007")

    def do_wait(self, move: Move, aim: Aim) -> None:  # noqa: ARG002
        """Do nothing for as long as was asked, or until it is closed."""
        assert isinstance(move, Wait)
        left = self._until - time.monotonic()
        self._closing.wait(min(move.seconds, max(0.0, left)))
        if move.seconds > left:
            raise ActionError(Status.TIMEOUT_STILL_RUNNING, "timeout", "the time was over before the wait was")

    def open_app(self, name: str) -> None:
        """Bring the app of that name to the front.

        Raises:
            ActionError: there is none.
        """
        raise ActionError(Status.TOOL_ERROR, "unknown_app", f"there is no app {name!r}")

    def found_app(self, name: str) -> str:
        """Return what an app's name stands for; how it is written does not matter.

        Raises:
            ActionError: there is none.
        """
        for known, target in self.installed.apps.items():
            if known.casefold() == name.strip().casefold():
                return target
        raise ActionError(Status.TOOL_ERROR, "unknown_app", f"there is no app {name!r}")

    def point_of(self, aim: Aim) -> tuple[float, float]:
        """Return the point that an action touches.

        Raises:
            ActionError: its element is nowhere.
        """
        if aim.point is not None:
            return aim.point
        if aim.element is not None and aim.element.center is not None:
            return aim.element.center
        if aim.path:
            return self.middle(self.remote.find_element("xpath", aim.path))
        raise ActionError(Status.TOOL_ERROR, "nowhere", "nobody knows where the element is")

    def middle(self, handle: Any) -> tuple[float, float]:
        """Return the point in the middle of an element that the driver has found."""
        box = handle.rect
        return (box["x"] + box["width"] / 2, box["y"] + box["height"] / 2)

    def way(
        self, direction: str, bounds: Bounds | None, *, point: tuple[float, float] | None = None
    ) -> tuple[tuple[float, float], tuple[float, float]]:
        """Return where a finger begins and ends that goes in a direction, over an element or the screen."""
        left, top, right, bottom = bounds or (0, 0, *(self.size or (self.config.width, self.config.height)))
        x, y = point or ((left + right) / 2, (top + bottom) / 2)
        across, along = (right - left) * _REACH / 2, (bottom - top) * _REACH / 2
        dx, dy = {"up": (0, -along), "down": (0, along), "left": (-across, 0), "right": (across, 0)}[direction]
        return (x - dx, y - dy), (x + dx, y + dy)

    def touch(
        self, points: list[tuple[float, float]], *, hold_ms: int = 0, over_ms: int = 0, still_ms: int = 0
    ) -> None:
        """Put a finger down on the first point and lift it at the last.

        Args:
            points: in pixels.
            hold_ms: how long it stays on the first.
            over_ms: how long each way takes.
            still_ms: how long it stays on the last, so that nothing goes on gliding.
        """
        steps: list[dict[str, Any]] = [_to(points[0], 0), {"type": "pointerDown", "button": 0}]
        steps += [{"type": "pause", "duration": hold_ms}] if hold_ms else []
        steps += [_to(point, over_ms) for point in points[1:]]
        steps += [{"type": "pause", "duration": still_ms}] if still_ms else []
        steps.append({"type": "pointerUp", "button": 0})
        finger = {"type": "pointer", "id": "finger", "parameters": {"pointerType": "touch"}, "actions": steps}
        self.remote.execute("actions", {"actions": [finger]})


def _to(point: tuple[float, float], duration: int) -> dict[str, Any]:
    x, y = point
    return {"type": "pointerMove", "duration": duration, "x": round(x), "y": round(y), "origin": "viewport"}


__all__ = ["Aim", "Device"]
