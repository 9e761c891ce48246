"""Looks at a device until a dump is proved fresh, or is flagged."""

from __future__ import annotations

import time
from dataclasses import dataclass, field
from typing import Any

from worldtape.collectors.android.config import AndroidConfig
from worldtape.collectors.android.devices import Device
from worldtape.collectors.android.faults import ActionError, fault_of
from worldtape.schemas import SettledBy

_AGAIN = 3
_STALE = "stale"


@dataclass(slots=True)
class Look:
    """One look.

    Attributes:
        capture: as the channel `hierarchy` holds it.
        fresh: two dumps, one after the other, were the same.
        rested: an event said that the screen rests, or the driver's dumps wait for that.
        dumps: how many were taken.
        picture: PNG; empty: none.
        papers: channel to media type and bytes.
        gap_ms: between the end of the last dump and the end of the picture.
        order: what was captured, in this order.
        fault: why there is nothing to be seen.
    """

    capture: dict[str, Any] = field(default_factory=dict)
    fresh: bool = False
    rested: bool = False
    dumps: int = 0
    picture: bytes = b""
    papers: dict[str, tuple[str, bytes]] = field(default_factory=dict)
    gap_ms: float | None = None
    order: list[str] = field(default_factory=list)
    fault: ActionError | None = None

    @property
    def settled_by(self) -> SettledBy:
        """What ended the wait."""
        return SettledBy.REST if self.fresh and self.rested else SettledBy.DEADLINE


def look(device: Device, config: AndroidConfig, deadline: float) -> Look:
    """Look at a device; what goes wrong stands in the `fault` of the answer.

    Args:
        device: it is free.
        config: how long to be patient.
        deadline: the moment (monotonic s) after which no further dump is waited for.
    """
    found = Look()
    for left in reversed(range(_AGAIN)):
        try:
            _dumped(found, device, min(deadline, time.monotonic() + config.patience_s))
            _beside(found, device, config)
        except Exception as error:  # noqa: BLE001 - whatever the client raises is told
            fault = fault_of(error) if not isinstance(error, ActionError) else error
            if fault.gone or not left or time.monotonic() >= deadline:
                found.fault = fault
                return found
        else:
            return found
    raise AssertionError


def _dumped(found: Look, device: Device, until: float) -> None:
    before: dict[str, Any] | None = None
    found.fresh = False
    while True:
        found.rested = device.rest(max(0.0, until - time.monotonic()))
        found.capture = device.look()
        found.order.append("hierarchy")
        found.dumps += 1
        if found.capture == before:
            found.fresh = True
            return
        before = found.capture
        if time.monotonic() >= until and found.dumps > 1:
            found.capture = found.capture | {"flags": [*found.capture.get("flags", ()), _STALE]}
            return


def _beside(found: Look, device: Device, config: AndroidConfig) -> None:
    """Take what stands beside the dump; while a dialog is open a driver may give no picture."""
    ended = time.monotonic()
    if "state" not in found.capture:
        found.capture["state"] = device.state()
        found.order.append("state")
    if config.screenshot and (picture := device.session.ask(lambda _: device.picture(), b"")):
        found.picture = picture
        found.order.append("screenshot")
        found.gap_ms = round((time.monotonic() - ended) * 1000, 1)
    if not found.capture.get("alert"):
        found.papers = device.papers()
        found.order += found.papers


__all__ = ["Look", "look"]
