"""A tape for tests that look at the history only."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from worldtape.schemas import End


class Forgetful:
    """Takes everything and keeps the thoughts."""

    trajectory_id = "forgotten"

    def __init__(self) -> None:
        self.thoughts: list[Mapping[str, Any]] = []

    def __call__(self, channel: str, data: bytes, mono_ns: int) -> None:
        pass

    def append(self, kind: str, data: Mapping[str, Any], *, step: int | None = None) -> int:
        if kind == "thought":
            self.thoughts.append(data)
        return 0

    def blob(self, data: bytes) -> str:
        raise AssertionError(data)

    def sync(self) -> None:
        pass

    def seal(self, end: End) -> None:
        pass

    def close(self) -> None:
        pass
