"""Sessions of OpenClaw: `~/.openclaw/agents/<agent>/sessions/<id>.jsonl`."""

from __future__ import annotations

import re
from typing import Any, ClassVar

from worldtape.collectors.importers._pi_sessions import PiSessions, header_of
from worldtape.collectors.importers._sessions import head_values
from worldtape.collectors.importers._values import as_dict, as_str
from worldtape.schemas import SourceFile

_HOME = re.compile(r"[/\\]\.(?:openclaw|clawdbot|moltbot)(?:[/\\]|\Z)")
"""Its folder, under the names that it had."""


def marked(head: bytes) -> bool:
    """Tell what OpenClaw alone writes into a session that else is pi's."""
    header = header_of(head)
    return bool(header) and any(map(_mark, head_values(head)))


def _mark(entry: dict[str, Any]) -> bool:
    kind = as_str(entry.get("customType")) or ""
    return (
        kind == "model-snapshot"
        or kind.startswith("openclaw")
        or entry.get("type") == "leaf"
        or as_dict(entry.get("message")).get("provider") == "openclaw"
        or (entry.get("type") == "session" and bool(_HOME.search(as_str(entry.get("cwd")) or "")))
    )


class OpenClaw(PiSessions):
    """The entries of pi, with tools of its own and marks of its gateway."""

    name: ClassVar[str] = "openclaw"
    title: ClassVar[str] = "OpenClaw sessions"
    versions: ClassVar[str] = "1–3 (those of pi)"
    shells: ClassVar[frozenset[str]] = frozenset({"bash", "exec"})

    def sniff(self, source: SourceFile) -> bool:
        """See `Importer`."""
        return marked(source.head)
