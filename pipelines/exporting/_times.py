"""Times as other formats write them."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)


def iso(micros: int) -> str:
    """Return microseconds since 1970 UTC as ISO 8601 with `Z`."""
    return (_EPOCH + timedelta(microseconds=micros)).isoformat().replace("+00:00", "Z")
