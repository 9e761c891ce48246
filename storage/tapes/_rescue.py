"""What can be read of a pack that has lost its index."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

from worldtape.schemas import EventKind
from worldtape.storage._disk import flush, fsync_folder
from worldtape.storage.tapes._line import decode
from worldtape.storage.tapes.pack import PackWriter
from worldtape.storage.tapes.paths import is_id
from worldtape.storage.tapes.whole import begun

_BLOCK = 1 << 20


def rescue(path: Path) -> int:
    """Give a pack without an index the name `<pack>.damaged`; its whole tapes stand in a new pack of the old name.

    Returns:
        How many tapes these are.
    """
    temporary, fd = begun(path)
    try:
        with os.fdopen(fd, "wb") as file:
            writer, seen = PackWriter(file), set[str]()
            for trajectory_id, domain, plain in _tapes(path):
                if trajectory_id not in seen:
                    writer.add(trajectory_id, domain, plain)
                    seen.add(trajectory_id)
            writer.finish()
            file.flush()
            flush(file.fileno())
            aside = _free(path)
            try:
                os.link(path, aside)
            except OSError:  # a file system without hard links
                path.rename(aside)
            if seen:
                temporary.replace(path)
            else:
                path.unlink(missing_ok=True)
            fsync_folder(path.parent)
            return len(seen)
    finally:
        temporary.unlink(missing_ok=True)


def _free(path: Path) -> Path:
    """Return `<pack>.damaged`, or with a number where that name is taken."""
    number, aside = 1, path.with_name(f"{path.name}.damaged")
    while aside.exists():
        number += 1
        aside = path.with_name(f"{path.name}.damaged.{number}")
    return aside


def _tapes(path: Path) -> Iterator[tuple[str, str, bytes]]:
    """Yield id, domain and lines of every whole tape."""
    for plain in _frames(path):
        lines: list[bytes] = []
        about: dict[str, str] = {}
        for line in plain.splitlines(keepends=True):
            event = decode(line)
            if event is not None and event["kind"] == EventKind.HEADER:
                lines, about = [], event["data"]
            if event is None or event["seq"] != len(lines):
                about = {}
            lines.append(line)
            if about and event is not None and event["kind"] == EventKind.END:
                with suppress(KeyError, TypeError):
                    if is_id(about["trajectory_id"]):
                        yield about["trajectory_id"], about["domain"], b"".join(lines)


def _frames(path: Path) -> Iterator[bytes]:
    """Yield the plain bytes of every frame up to the first that is damaged."""
    import zstandard

    with path.open("rb") as file, suppress(zstandard.ZstdError):
        rest = file.read(_BLOCK)
        while rest:
            unpacking, plain = zstandard.ZstdDecompressor().decompressobj(), []
            while not unpacking.eof and rest:
                plain.append(unpacking.decompress(rest))
                rest = unpacking.unused_data if unpacking.eof else file.read(_BLOCK)
            yield b"".join(plain)
            rest = rest or file.read(_BLOCK)
