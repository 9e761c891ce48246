"""What a site remembers of one browser."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any


@dataclass(slots=True)
class Session:
    """Found again by its cookie."""

    key: str
    user: str | None = None
    """Who is signed in."""
    notices: list[tuple[str, str]] = field(default_factory=list)
    """Kind and text of what the next page shows once."""
    data: dict[str, Any] = field(default_factory=dict)
