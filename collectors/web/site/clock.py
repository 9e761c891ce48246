"""The time of a site: it starts when its content says and moves only when something is changed."""

from __future__ import annotations

from datetime import datetime, timedelta


class Clock:
    """Minutes pass with every form that is sent, never by themselves: the same actions give the same pages."""

    def __init__(self, start: datetime) -> None:
        self.now = start

    def tick(self) -> None:
        """Let a minute pass."""
        self.now += timedelta(minutes=1)

    def ago(self, *, days: int, minutes: int = 0) -> datetime:
        """Return a moment before now."""
        return self.now - timedelta(days=days, minutes=minutes)


def day(moment: datetime) -> str:
    """Return a date as pages show it: `4 March 2026`."""
    return f"{moment.day} {moment:%B %Y}"


def minute(moment: datetime) -> str:
    """Return date and time as pages show them: `4 March 2026, 09:12`."""
    return f"{day(moment)}, {moment:%H:%M}"
