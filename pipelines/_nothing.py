"""What is said about a lake with empty tables."""

from __future__ import annotations

from typing import TYPE_CHECKING

from worldtape.errors import InputError

if TYPE_CHECKING:
    from worldtape.storage import Lake


def nothing_to(do: str, lake: Lake) -> InputError:
    """Return the error for a lake without parts: nothing was recorded, or nothing of it projected."""
    if next(iter(lake.tapes()), None) is None:
        fix = "record into it first: `worldtape record JOB --lake LAKE`"
        return InputError(f"nothing to {do}: the lake has no recordings", where=lake, fix=fix)
    return InputError(f"nothing to {do}: the lake has no parts", where=lake, fix="run `worldtape project` first")


__all__ = ["nothing_to"]
