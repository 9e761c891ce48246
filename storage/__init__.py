"""Where bytes lie: tapes, blobs, the Parquet lake, DuckDB, the Hub."""

from worldtape.storage._recover import Recovered, recover
from worldtape.storage.blobs import Blobs
from worldtape.storage.lake import Lake, Part, TapeRef, connect, part_id, query, query_batches
from worldtape.storage.tapes import (
    Clock,
    Event,
    Shelf,
    TapeReader,
    TapeWriter,
    Validation,
    WholeTape,
    find_tapes,
    recover_tapes,
    tape_path,
    validate,
)

__all__ = [
    "Blobs",
    "Clock",
    "Event",
    "Lake",
    "Part",
    "Recovered",
    "Shelf",
    "TapeReader",
    "TapeRef",
    "TapeWriter",
    "Validation",
    "WholeTape",
    "connect",
    "find_tapes",
    "part_id",
    "query",
    "query_batches",
    "recover",
    "recover_tapes",
    "tape_path",
    "validate",
]
