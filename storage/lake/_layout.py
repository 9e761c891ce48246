"""Where things lie in a lake."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterable

from worldtape.errors import InputError
from worldtape.schemas import Domain

FORMAT_VERSION = "1.0"
"""MAJOR.MINOR of the layout; a newer major number is refused."""

TABLES = ("trajectories", "transitions")
NOTES = "notes"
TAPES = "tapes"
BLOBS = "blobs"
MOVES = "moves"
"""Journals of parts that are being replaced by another part."""
SET_ASIDE = "set-aside"
"""Where recovery puts what it cannot read."""
FORGOTTEN = "forgotten.jsonl"
MANIFEST = "lake.json"
CACHE = ".cache"
DIGESTS = f"{CACHE}/digests.json"
LOCK = f"{CACHE}/lock"
"""Held by whoever changes which parts there are."""
SCHEME = "lake"
"""What DuckDB calls the parts: `lake://<name>`."""

RESERVED = frozenset({*TABLES, "turns"})
_STAGE = re.compile(r"[a-z][a-z0-9_]{0,62}")
_PART_ID = re.compile(r"[0-9A-Za-z][0-9A-Za-z_-]{0,127}")
PART_FILE = re.compile(r"(?:.*/)?part-([0-9A-Za-z][0-9A-Za-z_-]*)\.parquet")
TABLE_FILE = re.compile(r"(trajectories|transitions)/domain=([a-z]+)/part-([0-9A-Za-z][0-9A-Za-z_-]*)\.parquet")
NOTE_FILE = re.compile(r"notes/([a-z][a-z0-9_]*)/part-([0-9A-Za-z][0-9A-Za-z_-]*)\.parquet")
PACK_FILE = re.compile(r"tapes/[0-9a-f]{2}/[0-9a-f]{32}-[0-9]+\.pack")
"""Many tapes of one source; one of them is called `<pack>/<trajectory_id>`."""
DAMAGED_PACK = re.compile(PACK_FILE.pattern + r"\.damaged(\.[0-9]+)?")
"""What recovery left of a pack without an index, beside a new one of the tapes that it could read."""
TAPE_FILE = re.compile(r"tapes/[0-9a-f]{2}/([^/]+?)\.jsonl(\.zst)?")


def part_id(trajectory_ids: Iterable[str]) -> str:
    """Return the id of the part that holds exactly these trajectories: 32 hex digits of SHA-256 over the sorted ids."""
    return hashlib.sha256("\n".join(sorted(set(trajectory_ids))).encode()).hexdigest()[:32]


def part_path(table: str, domain: str, part: str) -> str:
    """Return where a part of `table` lies, relative to the lake."""
    if table not in TABLES:
        raise InputError(f"no table is called {table!r}", fix=f"one of {', '.join(TABLES)}")
    if domain not in {str(known) for known in Domain}:
        raise InputError(f"no domain is called {domain!r}", fix=f"one of {', '.join(Domain)}")
    return f"{table}/domain={domain}/part-{_checked(part)}.parquet"


def note_path(stage: str, part: str) -> str:
    """Return where the note of `stage` on a part lies, relative to the lake."""
    if not _STAGE.fullmatch(stage) or stage in RESERVED:
        raise InputError(
            f"{stage!r} cannot name a stage", fix="use lower-case letters, digits and _, and no table's name"
        )
    return f"{NOTES}/{stage}/part-{_checked(part)}.parquet"


def tape_folder(trajectory_id: str) -> str:
    """Return the folder of a trajectory's tape, relative to the lake."""
    return f"{TAPES}/{hashlib.sha256(trajectory_id.encode()).hexdigest()[:2]}"


def _checked(part: str) -> str:
    if not _PART_ID.fullmatch(part):
        raise InputError(f"{part!r} cannot be a part's id", fix="use letters, digits, - and _")
    return part
