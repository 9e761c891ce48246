"""What an engine answers: results, a page, or what went wrong."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from worldtape.schemas import ErrorInfo, Outcome, Status


@dataclass(frozen=True, slots=True)
class Fault:
    """What went wrong, in the words of whoever says it.

    Attributes:
        status: how the call counts.
        type: a short name.
        message: one line, without "Error:".
        code: HTTP status or the protocol's code.
        final: whether nothing can be asked any more.
    """

    status: Status
    type: str
    message: str
    code: int | None = None
    final: bool = False

    @property
    def outcome(self) -> Outcome:
        """The outcome of a call that failed by this."""
        error = ErrorInfo(type=self.type, message=self.message, code=self.code)
        return Outcome(status=self.status, error=error)


@dataclass(frozen=True, slots=True)
class Hit:
    """One result, as the engine gave it; None: it gave nothing."""

    url: str | None
    title: str | None = None
    snippet: str | None = None
    date: str | None = None

    def fields(self) -> dict[str, str]:
        """Return what is known."""
        known = {"url": self.url, "title": self.title, "snippet": self.snippet, "date": self.date}
        return {name: value for name, value in known.items() if value is not None}


@dataclass(frozen=True, slots=True)
class Hits:
    """The answer to one query: a list, or a text that cannot be taken apart."""

    hits: tuple[Hit, ...] = ()
    text: str | None = None


@dataclass(frozen=True, slots=True)
class Body:
    """A body as it was received.

    Attributes:
        url: where it came from in the end.
        media_type: `text/html`, …; "" where nobody says.
        charset: as the server names it.
        data: its bytes.
        cut: whether there was more.
        head: HTTP status and headers, where there are any.
    """

    url: str
    media_type: str
    data: bytes
    charset: str | None = None
    cut: bool = False
    head: dict[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Page:
    """A page as Markdown."""

    url: str
    markdown: str
    title: str | None = None
    date: str | None = None
    extractor: str | None = None
    """Which library, and its version; None: the text was no HTML, or the engine made it."""


@dataclass(frozen=True, slots=True)
class Introduced:
    """What an engine says of itself at the start."""

    text: str
    """For the prompt."""
    versions: dict[str, str] = field(default_factory=dict)
    probes: dict[str, Any] = field(default_factory=dict)
    """Facts that never change: digests, numbers of documents."""


__all__ = ["Body", "Fault", "Hit", "Hits", "Introduced", "Page"]
