"""Where bytes lie: tapes, blobs, the Parquet lake, DuckDB, the Hub."""

from worldtape.storage.blobs import Blobs
from worldtape.storage.tapes import Clock, Event, TapeReader, TapeWriter, find_tapes, tape_path

__all__ = ["Blobs", "Clock", "Event", "TapeReader", "TapeWriter", "find_tapes", "tape_path"]
