"""The bytes of a source that one trajectory was made of, kept beside what was made of them."""

from __future__ import annotations

import json
import re
from base64 import b64encode
from functools import cached_property
from typing import Any, BinaryIO

from worldtape.pipelines.importing._source import Source
from worldtape.storage import Blobs

INLINE = 64 << 10
"""Records up to this size stand on the tape itself, in a notice `source_record`; larger ones are blobs."""
_BYTES = re.compile(r"bytes:(\d{1,18})-(\d{1,18})")
_LINE = re.compile(r"line:(\d{1,15})")
_ITEM = re.compile(r"/(\d{1,15})(?:/.*)?", re.DOTALL)
_SPACE = re.compile(r"[ \t\r\n,]*")
_LARGEST = 1 << 30


class Raw:
    """Finds and keeps the raw bytes of the records of one source.

    A source that is one trajectory is a blob. A record among others is kept alone, so that a take-down takes it along.
    Where a locator tells no byte range, the whole source stands for it.

    Args:
        source: where they lie.
        blobs: where large ones are kept.
    """

    def __init__(self, source: Source, blobs: Blobs) -> None:
        self._source = source
        self._blobs = blobs
        self._line_at = (0, 0)

    def keep(self, locator: str) -> tuple[dict[str, Any], dict[str, Any] | None]:
        """Return what the header says of a record's bytes, and the notice that holds them where they are few."""
        found = self._range(locator)
        if found is None:
            return {"source_blob": self._whole}, None
        start, end = found
        self._file.seek(start)
        data = self._file.read(end - start)
        place = {"source_bytes": f"{start}-{end}"}
        if len(data) > INLINE:
            return place | {"source_blob": self._blobs.put(data, durable=False)}, None
        try:
            return place, {"code": "source_record", "text": data.decode()}
        except UnicodeDecodeError:
            return place, {"code": "source_record", "b64": b64encode(data).decode()}

    def close(self) -> None:
        """Let go of the source."""
        if "_file" in self.__dict__:
            self._file.close()

    @cached_property
    def _file(self) -> BinaryIO:
        return self._source.path.open("rb", buffering=0)

    @cached_property
    def _whole(self) -> str:
        with self._source.open() as file:
            return self._blobs.copy(file, digest=self._source.digest, size=self._source.size)

    def _range(self, locator: str) -> tuple[int, int] | None:
        if not locator:
            return None
        if match := _BYTES.fullmatch(locator):
            start, end = int(match[1]), int(match[2])
            return (start, end) if start < end <= self._source.size else None
        if match := _LINE.fullmatch(locator):
            return self._line(int(match[1]))
        if match := _ITEM.fullmatch(locator):
            number = int(match[1])
            return self._items[number] if number < len(self._items) else None
        return None

    def _line(self, wanted: int) -> tuple[int, int] | None:
        """Return the range of a line, counted from 1; records come in order, so the search goes on from the last."""
        number, offset = self._line_at
        if number >= wanted:
            number, offset = 0, 0
        with self._source.open() as file:
            file.seek(offset)
            for line in file:
                number += 1
                if number == wanted:
                    self._line_at = number, offset + len(line)
                    return offset, offset + len(line.rstrip(b"\r\n"))
                offset += len(line)
        return None

    @cached_property
    def _items(self) -> list[tuple[int, int]]:
        """The byte range of every item, where the source is one list."""
        if self._source.size > _LARGEST:
            return []
        with self._source.open() as file:
            data = file.read()
        text = data.decode("utf-8", "surrogateescape").removeprefix("\ufeff")
        start = len(text) - len(text.lstrip())
        if text[start : start + 1] != "[":
            return []
        offset = len(data) - len(text.encode("utf-8", "surrogateescape"))
        return _ranges(text, start + 1, offset)


def _ranges(text: str, at: int, offset: int) -> list[tuple[int, int]]:
    """Return the ranges of a list's items in bytes; none where it is damaged."""
    decoder = json.JSONDecoder()
    plain = text.isascii()
    found: list[tuple[int, int]] = []
    done = 0
    try:
        while True:
            skipped = _SPACE.match(text, at)
            assert skipped is not None
            start = skipped.end()
            if text[start : start + 1] in ("]", ""):
                return found
            _, at = decoder.raw_decode(text, start)
            if plain:
                found.append((start + offset, at + offset))
                continue
            before = offset + len(text[done:start].encode("utf-8", "surrogateescape"))
            offset = before + len(text[start:at].encode("utf-8", "surrogateescape"))
            found.append((before, offset))
            done = at
    except (ValueError, RecursionError):
        return []
