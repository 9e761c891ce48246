"""Where a trajectory's id stands: exactly that id, never one that begins or ends with it."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import TYPE_CHECKING

from worldtape.storage.lake import _layout as layout
from worldtape.storage.lake._packed import packed_tapes

if TYPE_CHECKING:
    from worldtape.storage.lake._lake import Lake

_FILE = r"(\.jsonl(\.zst(\.tmp|\.damaged)?)?|\.torn(\.[0-9]+)?)"
"""What a file of a tape may be called, after its id."""


def tape_files(lake: Lake, trajectory_id: str) -> list[str]:
    """Return every file of a trajectory's tape in whatever folder or pack, torn tails and damaged copies included."""
    own = re.compile(re.escape(trajectory_id) + f"{_FILE}?")
    return [name for name in tape_names(lake) if own.fullmatch(name.rpartition("/")[2])]


def tape_names(lake: Lake) -> Iterator[str]:
    """Yield the name of everything below `tapes/`, for a pack those of its tapes."""
    for name in lake.store.names(layout.TAPES):
        if layout.PACK_FILE.fullmatch(name):
            yield from (tape.name for tape in packed_tapes(lake, name))
        else:
            yield name


def mention(trajectory_id: str) -> str:
    """Return a regular expression (also RE2's) for a text that names an id: alone, with a step, or as a file."""
    return rf"(?:^|[^A-Za-z0-9._-]){re.escape(trajectory_id)}{_FILE}?[._-]*(?:$|[^A-Za-z0-9._-])"
