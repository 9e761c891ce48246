"""What a lake already holds of a job."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Container
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import orjson

from worldtape.collectors.recorder import UNSTARTED
from worldtape.errors import ComponentError, WorldtapeError
from worldtape.schemas import EndStatus, EventKind
from worldtape.storage import Lake, TapeReader
from worldtape.storage._disk import is_held

_TAIL = 1 << 18
HELD = "held"
"""The state of a tape that another process is writing right now."""


@dataclass(frozen=True, slots=True)
class Seen:
    """One tape of an item."""

    trajectory_id: str
    state: str
    """An end status, or `HELD`."""
    reward: float | None = None
    reason: str | None = None
    steps: int = 0

    @property
    def outage(self) -> bool:
        """Whether the backend could not be reached: it failed before there was anything to record."""
        return self.state == EndStatus.FAILED and (self.reason or "").startswith(UNSTARTED + ComponentError.__name__)


def present(lake: Lake, keys: Container[str]) -> dict[str, list[Seen]]:
    """Return the tapes of the items `keys`, oldest first.

    Of every tape only the header is read; the end only where the header names one of the items. A tape without a
    whole header tells nothing and is passed over.
    """
    found: dict[str, list[Seen]] = defaultdict(list)
    for tape in lake.tapes():
        try:
            reader = TapeReader(tape.path)
        except WorldtapeError:
            continue
        key = reader.header.get("extra", {}).get("item")
        if key in keys:
            found[key].append(state_of(reader.path, tape.trajectory_id))
    return found


def state_of(path: Path, trajectory_id: str) -> Seen:
    """Return how a tape ended, by its last event."""
    if path.name.endswith(".zst"):
        end = _last_sealed(path)
    elif is_held(path):
        return Seen(trajectory_id, HELD)
    else:
        end = _last_open(path)
    if end.get("kind") != EventKind.END:
        return Seen(trajectory_id, EndStatus.INTERRUPTED)
    data = end["data"]
    return Seen(trajectory_id, data["status"], data.get("reward"), data.get("reason"), data.get("steps", 0))


def _last_open(path: Path) -> dict[str, Any]:
    with path.open("rb") as file:
        file.seek(max(0, path.stat().st_size - _TAIL))
        return _last_line(file.read())


def _last_sealed(path: Path) -> dict[str, Any]:
    import zstandard

    tail = b""
    with path.open("rb") as file:
        try:
            for chunk in zstandard.ZstdDecompressor().read_to_iter(file, read_size=_TAIL, write_size=_TAIL):
                tail = tail[-_TAIL:] + chunk
        except zstandard.ZstdError:
            return {}
    return _last_line(tail)


def _last_line(tail: bytes) -> dict[str, Any]:
    lines = tail.rsplit(b"\n", 2)
    try:
        value = orjson.loads(lines[-2])
    except (IndexError, orjson.JSONDecodeError):
        return {}
    return value if isinstance(value, dict) else {}
