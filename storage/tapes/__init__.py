"""Tapes: one recording as it happened, every byte with its time."""

from worldtape.storage.tapes.clock import Clock
from worldtape.storage.tapes.event import Event
from worldtape.storage.tapes.paths import find_tapes, tape_path
from worldtape.storage.tapes.reader import TapeReader
from worldtape.storage.tapes.writer import TapeWriter

__all__ = ["Clock", "Event", "TapeReader", "TapeWriter", "find_tapes", "tape_path"]
