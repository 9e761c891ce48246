"""Lists that are cut into pages."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Generic, TypeVar

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class Page(Generic[T]):
    """One page of a list; numbers start at 1."""

    items: Sequence[T]
    number: int
    pages: int
    total: int
    first: int
    """The place of the first item in the whole list, from 1; 0 where there is none."""

    @property
    def last(self) -> int:
        """The place of the last item in the whole list."""
        return self.first + len(self.items) - 1 if self.items else 0


def paged(items: Sequence[T], number: int, size: int) -> Page[T] | None:
    """Return a page of `items`; None where there is no such page."""
    pages = max(1, -(-len(items) // size))
    if not 1 <= number <= pages:
        return None
    start = (number - 1) * size
    part = items[start : start + size]
    return Page(part, number, pages, len(items), start + 1 if part else 0)
