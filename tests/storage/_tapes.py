"""What the tests of tapes share."""

from __future__ import annotations

import hashlib
from pathlib import Path

from worldtape.schemas import Domain, End, EndStatus, EnvironmentSpec, Header, PolicySpec, new_id
from worldtape.storage import Clock, TapeReader, TapeWriter

DONE = End(status=EndStatus.COMPLETED, steps=0)


class TickingClock(Clock):
    """A clock that goes on by a fixed step at every look, and can be set back."""

    def __init__(self, wall_us: int = 1_764_583_200_000_000) -> None:
        self.wall = wall_us
        self.mono = 5_000_000_000

    def wall_us(self) -> int:
        self.wall += 10
        return self.wall

    def mono_ns(self) -> int:
        self.mono += 10_000
        return self.mono


def header(trajectory_id: str | None = None) -> Header:
    return Header(
        trajectory_id=trajectory_id or new_id(),
        domain=Domain.TERMINAL,
        environment=EnvironmentSpec(kind="terminal"),
        policy=PolicySpec(kind="push"),
    )


def received(path: Path, channel: str = "pty") -> str:
    """Return the SHA-256 of the bytes of a channel, read event by event."""
    reader, digest = TapeReader(path), hashlib.sha256()
    for event in reader.events():
        if event.kind == "data" and event.data["channel"] == channel:
            digest.update(reader.payload(event))
    return digest.hexdigest()


def record_steps(tape: TapeWriter, steps: int, clock: Clock, *, first: int = 0) -> None:
    """Write whole steps of five events each."""
    for step in range(first, first + steps):
        tape.append("action", {"kind": "keystrokes", "text": f"echo {step} é\n"}, step=step)
        tape.sync()
        tape("pty", f"{step} é\r\n".encode(), clock.mono_ns())
        tape("pty", b"\xff\x00$ ", clock.mono_ns())
        size = sum(len(f"{n} é\r\n".encode()) + 4 for n in range(step + 1))
        tape.append("captured", {"received": {"pty": size}, "sha256": "00"}, step=step)
        tape.append("result", {"outcome": {"status": "ok"}}, step=step)
