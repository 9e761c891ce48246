"""What a desktop's state is, beside what is shown of it."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from typing import Any

import orjson

_APART = ("pointer", "action", "flags")


def digest_of(tree: Mapping[str, Any]) -> str:
    """Return the hash of everything in a tree that is the desktop's: not the pointer, nor what the code printed."""
    kept = {name: value for name, value in tree.items() if name not in _APART}
    return hashlib.sha256(orjson.dumps(kept, option=orjson.OPT_SORT_KEYS)).hexdigest()


def state_of(head: Mapping[str, Any], tree: Mapping[str, Any], before: Mapping[str, Any] | None) -> dict[str, Any]:
    """Return the state after a look.

    Args:
        head: what the session told.
        tree: what was kept.
        before: the state before; None: there was none.

    Returns:
        `active_window`, `windows` (titles, lowest first), `focused` (role and name), `pointer`, `clipboard` (hash of
        its text), `files` (number, digest, and what was added, removed and modified since the last look), `ended`
        (programs that have), `tree` (hash), `changed` (None at first), `settle_ms` and `walk_ms`.
    """
    windows = tree.get("windows") or []
    focused = next((node for node in reversed(tree.get("nodes") or ()) if "focused" in node.get("states", ())), None)
    state = {
        "active_window": next((one["title"] for one in windows if one["active"]), None),
        "windows": [one["title"] for one in windows],
        "focused": None if focused is None else {"role": focused["role"], "name": focused["name"]},
        "pointer": tree.get("pointer"),
        "clipboard": head["clipboard"],
        "files": head["files"],
        "ended": head["deaths"],
        "tree": f"sha256:{digest_of(tree)}",
        "settle_ms": round(1000 * head["seconds"]["settle"], 1),
        "walk_ms": round(1000 * head["seconds"]["walk"], 1),
    }
    changed = None if before is None else _told(state) != _told(before)
    return state | {"changed": changed}


def _told(state: Mapping[str, Any]) -> tuple[Any, ...]:
    return (state["tree"], state["clipboard"], state["files"]["digest"])


__all__ = ["digest_of", "state_of"]
