"""JSON Lines whose later lines change earlier ones: a header, messages, `$set` and `$rewindTo`."""

from __future__ import annotations

from array import array
from collections.abc import Iterator
from typing import Any

from worldtape.collectors.importers._json import parse
from worldtape.collectors.importers._tree import indexed
from worldtape.collectors.importers._values import as_list, as_str
from worldtape.schemas import Orphan, SourceFile


class Patched:
    """The messages as they stand at the end: each in its first place, as its last line tells it.

    Keeps an id and two numbers for each message; messages are read again when they are asked for.
    """

    def __init__(self, source: SourceFile) -> None:
        self.header: dict[str, Any] = {}
        self.notes: list[Orphan] = []
        self._source = source
        self._places: dict[str, int] = {}
        self._offsets = array("q")
        self._sizes = array("q")
        self._whole: list[Any] | None = None
        first = True
        for item in indexed(source):
            if isinstance(item, Orphan):
                self.notes.append(item)
            elif first:
                self.header, first = dict(item[2]), False
                self._whole = self.header.pop("messages", None)
            else:
                self._take(*item)

    def _take(self, offset: int, size: int, value: dict[str, Any]) -> None:
        if "$set" in value:
            self._set(value["$set"], offset)
        elif "$rewindTo" in value:
            self._rewind(as_str(value["$rewindTo"]), offset)
        elif "type" not in value and "sessionId" in value:
            self.header |= value
        else:
            key = as_str(value.get("id")) or f"#{offset}"
            place = self._places.setdefault(key, len(self._offsets))
            if place < len(self._offsets):
                self._offsets[place], self._sizes[place] = offset, size
            else:
                self._offsets.append(offset)
                self._sizes.append(size)

    def _set(self, fields: Any, offset: int) -> None:
        if not isinstance(fields, dict):
            self.notes.append(Orphan("bad_record", {"offset": offset, "reason": "$set is no object"}))
            return
        if isinstance(fields.get("messages"), list):
            self._clear(0)
            self._whole = fields["messages"]
            fields = {key: value for key, value in fields.items() if key != "messages"}
        self.header |= fields

    def _rewind(self, key: str | None, offset: int) -> None:
        place = self._places.get(key or "")
        if place is None:
            self.notes.append(Orphan("bad_record", {"offset": offset, "reason": "rewinds to no message"}))
            return
        self.notes.append(Orphan("rewound", {"offset": offset, "messages": len(self._offsets) - place}))
        self._clear(place)

    def _clear(self, place: int) -> None:
        self._places = {key: at for key, at in self._places.items() if at < place}
        del self._offsets[place:]
        del self._sizes[place:]

    def messages(self) -> Iterator[tuple[str, dict[str, Any]]]:
        """Give (locator, message) in order."""
        for number, item in enumerate(as_list(self._whole)):
            if isinstance(item, dict):
                yield f"/messages/{number}", item
        if not self._offsets:
            return
        with self._source.open() as file:
            for offset, size in zip(self._offsets, self._sizes, strict=True):
                file.seek(offset)
                yield f"bytes:{offset}-{offset + size}", parse(file.read(size))
