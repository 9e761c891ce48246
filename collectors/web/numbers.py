"""Numbers of elements: given in the order of the page, kept while their document lives."""

from __future__ import annotations

from dataclasses import dataclass, field

_LONGEST = 18
"""Digits of a number."""
_ALPHABET = "abcdfghijklmnopqrstuvwxyz"
"""No `e`: `e12` is what Playwright-MCP calls 12."""


@dataclass(slots=True)
class Document:
    """The elements of one document that have a number."""

    loader: str
    prefix: str
    by_backend: dict[int, int] = field(default_factory=dict)
    by_number: dict[int, int] = field(default_factory=dict)
    letters: dict[int, str] = field(default_factory=dict)
    """Backend node of an iframe to the letters of what it holds."""

    def number(self, backend: int) -> int:
        """Return the number of an element, a new one where it has none."""
        found = self.by_backend.get(backend)
        if found is None:
            found = len(self.by_backend) + 1
            self.by_backend[backend] = found
            self.by_number[found] = backend
        return found

    def letter(self, backend: int) -> str:
        """Return the prefix of what the iframe `backend` holds: `a`, `b`, … `z`, `Aa` and so on, never `e`."""
        if backend not in self.letters:
            self.letters[backend] = self.prefix + _letters(len(self.letters))
        return self.letters[backend]


def _letters(index: int) -> str:
    high, low = divmod(index, len(_ALPHABET))
    return (chr(ord("A") + (high - 1) % 26) if high else "") + _ALPHABET[low]


class Numbers:
    """The numbers of one tab. A new document starts again, so that the same page has the same ids after a reload."""

    def __init__(self) -> None:
        self._documents: dict[str, Document] = {}

    def document(self, frame: str, loader: str, prefix: str) -> Document:
        """Return the document that `frame` shows now; `prefix` stands before its ids."""
        found = self._documents.get(frame)
        if found is None or found.loader != loader or found.prefix != prefix:
            found = self._documents[frame] = Document(loader, prefix)
        return found

    def keep(self, frames: set[str]) -> None:
        """Forget the documents of all other frames."""
        for frame in self._documents.keys() - frames:
            del self._documents[frame]

    def find(self, ref: str) -> tuple[Document, int] | None:
        """Return document and number of an id such as `12` or `a12`, where such an element was ever seen."""
        prefix, number = split_id(ref)
        for document in self._documents.values():
            if document.prefix == prefix and number in document.by_number:
                return document, number
        return None


def split_id(ref: str) -> tuple[str, int]:
    """Return letters and number of an id; number 0 where it is none."""
    digits = ref.lstrip("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ")
    return ref[: len(ref) - len(digits)], number_of(digits) or 0


def number_of(digits: str) -> int | None:
    """Return the number that decimal digits say; None: they are none, or too many."""
    return int(digits) if digits.isascii() and digits.isdigit() and len(digits) <= _LONGEST else None


__all__ = ["Document", "Numbers", "number_of", "split_id"]
