"""A source in memory, for tests of one importer."""

from __future__ import annotations

import hashlib
import io
import json
from typing import Any, BinaryIO


class Bytes:
    """Implements `SourceFile`."""

    def __init__(self, data: bytes | str | list[Any] | dict[str, Any], name: str = "source", **siblings: bytes) -> None:
        if isinstance(data, (list, dict)):
            data = json.dumps(data)
        self.data = data.encode() if isinstance(data, str) else data
        self.name = name
        self.size = len(self.data)
        self.digest = hashlib.sha256(self.data).hexdigest()
        self.head = self.data.removeprefix(b"\xef\xbb\xbf")[: 64 << 10]
        self._siblings = siblings

    def open(self) -> BinaryIO:
        return io.BytesIO(self.data)

    def sibling(self, name: str) -> Bytes | None:
        return Bytes(self._siblings[name], name) if name in self._siblings else None


def jsonl(*records: Any) -> bytes:
    """Return records as JSON Lines."""
    return b"".join(json.dumps(record).encode() + b"\n" for record in records)
