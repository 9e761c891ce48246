"""What a session repeats of the one that it was forked from."""

from __future__ import annotations

import re
from typing import Any

from worldtape.collectors.importers._tree import indexed
from worldtape.collectors.importers._values import as_str
from worldtape.schemas import Imported, Orphan, SourceFile, canonical_json

_PLAIN = re.compile(r"[\w-]+")


class Copies:
    """Finds records that stand in the session above, too: they are counted, and are part of no tree."""

    def __init__(self, source: SourceFile, above: str | None) -> None:
        """Read the session above, where its file lies beside `source`.

        Args:
            source: the session.
            above: name of the file of the one above, without `.jsonl`; taken only as a plain name.
        """
        self.messages = 0
        self.calls = 0
        """Of the copied messages."""
        file = source.sibling(f"{above}.jsonl") if above and _PLAIN.fullmatch(above) else None
        items = indexed(file) if file is not None else ()
        self._known = {_digest(item[2]) for item in items if not isinstance(item, Orphan)}
        self._keys: set[str | None] = set()

    def take(self, record: dict[str, Any], calls: int) -> bool:
        """Tell whether a record with so many calls is a copy."""
        if not self._known or _digest(record) not in self._known:
            return False
        self.messages += record.get("type") == "message"
        self.calls += calls
        self._keys.add(as_str(record.get("id")))
        return True

    def parent(self, key: str | None) -> str | None:
        """Return the parent of a record; null where that is a copy."""
        return None if key in self._keys else key

    def place(self, made: Imported) -> None:
        """Say after which call of the session above a trajectory goes on."""
        if made.lineage.kind == "resumed" and self.calls:
            made.lineage = made.lineage.model_copy(update={"step": self.calls - 1})


def _digest(record: dict[str, Any]) -> int:
    """Return what a copy keeps, whatever ids it is given."""
    return hash(canonical_json([record.get("type"), record.get("timestamp"), record.get("message")]))
