"""Sessions of the pi coding agent: `~/.pi/agent/sessions/<folder>/<time>_<id>.jsonl`."""

from __future__ import annotations

from typing import ClassVar

from worldtape.collectors.importers._pi_sessions import ENTRIES, PiSessions, header_of
from worldtape.collectors.importers._sessions import head_values
from worldtape.collectors.importers._values import as_str
from worldtape.collectors.importers.openclaw import marked
from worldtape.schemas import SourceFile


class Pi(PiSessions):
    """A tree of entries; the first version had no ids, and is read in the order of its lines."""

    name: ClassVar[str] = "pi"
    title: ClassVar[str] = "pi sessions"
    versions: ClassVar[str] = "1–3"
    shells: ClassVar[frozenset[str]] = frozenset({"bash"})

    def sniff(self, source: SourceFile) -> bool:
        """See `Importer`."""
        if not header_of(source.head) or marked(source.head):
            return False
        return all(
            as_str(value.get("type")) in ENTRIES for value, _ in zip(head_values(source.head), range(2), strict=False)
        )
