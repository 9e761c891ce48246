"""Acts, waits and looks: one step of a device after the other."""

from __future__ import annotations

import hashlib
import time
from collections import Counter
from typing import Any

from worldtape.collectors.android.actions import Aimed, Move, read_move
from worldtape.collectors.android.capture import line, read_line
from worldtape.collectors.android.config import AndroidConfig
from worldtape.collectors.android.devices import Aim, Device
from worldtape.collectors.android.faults import ActionError, fault_of
from worldtape.collectors.android.look import Look, look
from worldtape.collectors.android.screen import Screen
from worldtape.errors import ComponentError, InputError
from worldtape.schemas import (
    Action,
    ErrorInfo,
    Observation,
    Outcome,
    Part,
    Rendering,
    Sink,
    Status,
    StepResult,
    Timing,
    canonical_json,
)

_INLINE = 64 * 1024
_LOOK_S = 8.0
"""So long each question of a look may take, although the action's time is over."""
_OVER = ActionError(Status.NOT_EXECUTED, "over", "the device is gone")


class Driver:
    """Steps a `Device`; every method blocks, and they are called one at a time.

    Attributes:
        state: what the newest look found, beside what is shown.
        tree: the newest capture.
    """

    def __init__(self, config: AndroidConfig, device: Device) -> None:
        from worldtape.collectors.renderers import make_renderer

        self.config = config
        self.device = device
        self.state: dict[str, Any] | None = None
        self.tree: dict[str, Any] = {}
        self._renderer = make_renderer(Rendering(name=config.renderer, version="1"))
        self._received: Counter[str] = Counter()
        self._sink: Sink | None = None
        self._first_mono: int | None = None
        self._digest: str | None = None
        self._over = False

    def start(self, sink: Sink) -> Observation:
        """Open what is to be open, and look.

        Raises:
            ComponentError: it cannot be opened, or not looked at.
        """
        self._sink = sink
        try:
            self.device.open()
            seen = look(self.device, self.config, time.monotonic() + self.config.timeout_s)
        except Exception as error:
            what = error if isinstance(error, ActionError) else fault_of(error)
            raise ComponentError(f"the app cannot be opened: {what.message}", where=self.config.app) from error
        if seen.fault is not None:
            raise ComponentError(f"the screen cannot be looked at: {seen.fault.message}", where=self.config.driver)
        return self._observe(seen, None)

    def step(self, action: Action, sink: Sink, until: float | None) -> StepResult:
        """Carry out one action; `until` is the moment (monotonic s) of the last look."""
        started, mono = time.time_ns() // 1000, time.monotonic_ns()
        self._sink, self._first_mono = sink, None
        deadline = time.monotonic() + (action.timeout_s or self.config.timeout_s)
        if until is not None:
            deadline = min(deadline, until)
        fault = _OVER if self._over else self._act(action, deadline)
        if self._over or (fault is not None and fault.gone):
            seen = Look(fault=fault)
        else:
            self.device.limit(max(_LOOK_S, deadline - time.monotonic()))
            seen = look(self.device, self.config, deadline)
        fault = fault or _unseen(seen.fault) or self._trouble()
        if seen.fault is not None and seen.fault.gone:
            fault = seen.fault
        self._over = self._over or (fault is not None and fault.gone is not None)
        observation = self._observe(seen, fault)
        took = time.monotonic_ns() - mono
        first = self._first_mono
        return StepResult(
            observation=observation,
            outcome=_outcome(fault),
            timing=Timing(
                started_at=started,
                first_output_at=None if first is None else started + (first - mono) // 1000,
                ended_at=started + took // 1000,
                duration_ms=took / 1e6,
            ),
            state_after=None if seen.fault is not None else self.state,
            done=self._over,
        )

    def detach(self) -> None:
        """Write nothing any more: the tape is not ours now."""
        self._sink = None

    def aim(self, move: Move) -> Aim:
        """Return what an action is aimed at on the newest screen.

        Raises:
            ActionError: there is no such element.
        """
        if not isinstance(move, Aimed):
            return Aim()
        screen = Screen(self.tree)
        if move.index is not None:
            element = screen.element(move.index)
            if element is None:
                count = len(screen.elements)
                there = f"there are 0 to {count - 1}" if count else "there are none"
                raise ActionError(Status.TOOL_ERROR, "unknown_element", f"no element {move.index}: {there}")
            return Aim(element)
        if move.x is not None and move.y is not None:
            return Aim(point=(move.x, move.y))
        return Aim() if move.selector is None else _selected(screen, move.selector)

    def _act(self, action: Action, deadline: float) -> ActionError | None:
        try:
            name, move = read_move(action.text)
        except InputError as error:
            return ActionError(Status.REJECTED, "invalid_action", error.what)
        try:
            self.device.limit(deadline - time.monotonic())
            self.device.act(name, move, self.aim(move))
        except ActionError as error:
            return error
        except Exception as error:  # noqa: BLE001 - whatever the client raises is an outcome
            return fault_of(error)
        return None

    def _trouble(self) -> ActionError | None:
        try:
            return self.device.trouble()
        except ActionError as error:
            return error

    def _observe(self, seen: Look, fault: ActionError | None) -> Observation:
        capture = dict(seen.capture)
        if fault is not None:
            capture["error"] = {"type": fault.kind, "message": fault.message}
        if seen.fault is not None:
            capture = {"error": capture.get("error")} | ({"gone": seen.fault.gone or "app"} if self._over else {})
        data = line(capture)
        self._write("hierarchy", data)
        self._renderer.feed("hierarchy", data)
        parts = [Part(channel="hierarchy", media_type="application/json", bytes=len(data), blob=_blob(data))]
        for channel, (media_type, paper) in seen.papers.items():
            parts.append(self._keep(channel, paper, media_type))
        if seen.picture:
            parts.append(self._keep("screenshot", seen.picture, "image/png"))
        self.tree = read_line(data)
        if seen.fault is None:
            self._remember(seen)
        return Observation(
            text=self._renderer.render(),
            renderer=self._renderer.rendering,
            parts=tuple(parts),
            settled_by=None if seen.fault is not None else seen.settled_by,
            received={channel: count for channel, count in self._received.items() if count},
        )

    def _remember(self, seen: Look) -> None:
        kept = ("source", "overlay", "size", "state", "alert")
        digest = hashlib.sha256(canonical_json({name: seen.capture.get(name) for name in kept}).encode()).hexdigest()
        alert = seen.capture.get("alert") or {}
        self.state = dict(seen.capture.get("state") or {}) | {
            "size": seen.capture.get("size"),
            "dialog": alert.get("text"),
            "tree": f"sha256:{digest}",
            "changed": None if self._digest is None else digest != self._digest,
            "fresh": seen.fresh,
            "flags": sorted({*seen.capture.get("flags", ()), *Screen(seen.capture).flags}),
            "capture": {"order": seen.order, "gap_ms": seen.gap_ms, "dumps": seen.dumps},
        }
        self._digest = digest

    def _write(self, channel: str, data: bytes) -> None:
        if self._sink is None:
            return
        now = time.monotonic_ns()
        self._first_mono = self._first_mono or now
        self._sink(channel, data, now)
        self._received[channel] += len(data)

    def _keep(self, channel: str, data: bytes, media_type: str) -> Part:
        self._write(channel, data)
        return Part(channel=channel, media_type=media_type, bytes=len(data), blob=_blob(data))


def _selected(screen: Screen, selector: str) -> Aim:
    by, _, value = selector.partition("=")
    if by == "xpath" and value:
        return Aim(path=value)
    said = {"text": "text", "desc": "desc", "id": "res", "class": "cls"}.get(by)
    if said is None:
        what = f"{selector!r} is no selector: write text=…, desc=…, id=…, class=… or xpath=…"
        raise ActionError(Status.REJECTED, "invalid_action", what)
    for element in screen.elements:
        if getattr(element, said) == value:
            return Aim(element)
    raise ActionError(Status.TOOL_ERROR, "no_such_element", f"no element has {selector}")


def _unseen(fault: ActionError | None) -> ActionError | None:
    if fault is None or fault.gone or fault.status is Status.TIMEOUT_STILL_RUNNING:
        return fault
    return ActionError(Status.INFRA_ERROR, "not_seen", f"the screen could not be looked at: {fault.message}")


def _outcome(fault: ActionError | None) -> Outcome:
    if fault is None:
        return Outcome(status=Status.OK)
    return Outcome(status=fault.status, error=ErrorInfo(type=fault.kind, message=fault.message))


def _blob(data: bytes) -> str | None:
    return f"sha256:{hashlib.sha256(data).hexdigest()}" if len(data) > _INLINE else None


__all__ = ["Driver"]
