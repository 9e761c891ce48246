"""The memory of one session: texts under keys, and fixed sentences about them."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from typing import Any

from worldtape.schemas import canonical_json

_CAPACITY = 1000


class Memory:
    """Texts under keys, in the order in which they came.

    Attributes:
        entries: key to text.
    """

    def __init__(self, entries: Mapping[str, str] | None = None) -> None:
        self.entries: dict[str, str] = dict(entries or {})

    def apply(self, action: str, key: str = "", value: str = "") -> tuple[str, str | None]:
        """Carry out one action, and return what is said and, where it failed, the kind of the failure."""
        if action == "retrieve_all":
            return "\n".join(f"{name}: {text}" for name, text in self.entries.items()) or "Memory is empty.", None
        if action == "remove_all":
            self.entries.clear()
            return "Successfully removed all entries from memory.", None
        return self._add(key, value) if action == "add" else self._one(action, key, value)

    def probes(self) -> dict[str, Any]:
        """Return keys and a hash of everything."""
        digest = hashlib.sha256(canonical_json(self.entries).encode()).hexdigest()[:16]
        return {"memory": list(self.entries), "memory_hash": digest}

    def _one(self, action: str, key: str, value: str) -> tuple[str, str | None]:
        if key not in self.entries:
            return f"Error: key '{key}' not found in memory.", "key_not_found"
        if action == "retrieve":
            return self.entries[key], None
        if action == "update":
            self.entries[key] = value
            return f"Successfully updated '{key}' in memory.", None
        del self.entries[key]
        return f"Successfully removed '{key}' from memory.", None

    def _add(self, key: str, value: str) -> tuple[str, str | None]:
        if key in self.entries:
            return f"Error: key '{key}' already exists in memory. Use 'update' to change it.", "key_exists"
        if len(self.entries) >= _CAPACITY:
            return f"Error: memory is full ({_CAPACITY} entries).", "memory_full"
        self.entries[key] = value
        return f"Successfully added '{key}' to memory.", None


__all__ = ["Memory"]
