"""Whose file is it?"""

from __future__ import annotations

from collections.abc import Mapping

from worldtape.collectors.importers import IMPORTERS
from worldtape.errors import FormatError, RefusedError, WorldtapeError
from worldtape.schemas import Importer, SourceFile

_PRINTABLE = 0.97
_PICKLES = tuple(b"\x80" + bytes([protocol]) for protocol in (2, 3, 4, 5))


def load_importers(name: str | None = None) -> dict[str, Importer]:
    """Return every importer by its name, or the one that is wanted.

    Raises:
        NotFoundError: there is none of that name; the message lists those that are.
    """
    return {each: IMPORTERS[each]() for each in ([name] if name is not None else IMPORTERS)}


def claim(source: SourceFile, importers: Mapping[str, Importer]) -> Importer | None:
    """Return the one importer that knows `source`; null where none does.

    Raises:
        RefusedError: several claim it, or one fails at the mere sight of it.
    """
    claims = [name for name, importer in importers.items() if _sniffed(name, importer, source)]
    if len(claims) > 1:
        what = f"{' and '.join(claims)} both claim it, which is a bug in one of them"
        raise RefusedError(what, where=source.name, fix="choose with --format")
    return importers[claims[0]] if claims else None


def _sniffed(name: str, importer: Importer, source: SourceFile) -> bool:
    try:
        return importer.sniff(source)
    except WorldtapeError as error:
        raise FormatError(f"the importer {name} failed: {error}", where=source.name) from error
    except Exception as error:
        raise FormatError(failure(name, error), where=source.name) from error


def failure(name: str, error: BaseException) -> str:
    """Return one line about a bug in an importer."""
    said = " ".join(f"{type(error).__name__}: {error}".split())[:300].removesuffix(":")
    return f"the importer {name} failed ({said}), which is a bug: please report it"


def describe(head: bytes) -> str:
    """Say in a few words what a file of no known format looks like."""
    if not head.strip():
        return "empty"
    if head.startswith(_PICKLES):
        return "binary (looks like a Python pickle: never opened)"
    if b"\0" in head or not _is_text(head):
        return "binary"
    return "JSON of unknown shape" if head.lstrip()[:1] in (b"{", b"[") else "text of unknown shape"


def _is_text(head: bytes) -> bool:
    text = head.decode("utf-8", "replace")
    return text.count("�") <= len(text) * (1 - _PRINTABLE)
