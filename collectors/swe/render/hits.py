"""What `git grep -nz --column` prints, read."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Hit:
    """One line of a file."""

    path: str
    """As git names it: relative to where it was run."""
    number: int
    text: str
    matched: bool
    """False: it stands around a match."""


def hits(data: bytes) -> Iterator[Hit | None]:
    """Give the lines that were found, in order; None where the next lines stand elsewhere."""
    for raw in data.split(b"\n"):
        if raw == b"--":
            yield None
            continue
        path, _, rest = raw.partition(b"\0")
        number, _, rest = rest.partition(b"\0")
        if not number.isdigit():
            continue
        column, mark, text = rest.partition(b"\0")
        matched = bool(mark) and column.isdigit()
        said = (text if matched else rest).removesuffix(b"\r")
        yield Hit(path.decode("utf-8", "replace"), int(number), said.decode("utf-8", "replace"), matched)


__all__ = ["Hit", "hits"]
