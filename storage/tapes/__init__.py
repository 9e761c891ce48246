"""Tapes: one recording as it happened, every byte with its time."""

from worldtape.storage.tapes.clock import Clock
from worldtape.storage.tapes.event import Event
from worldtape.storage.tapes.paths import find_tapes, tape_path
from worldtape.storage.tapes.reader import TapeReader
from worldtape.storage.tapes.recover import recover_tapes
from worldtape.storage.tapes.report import Repair, TapesReport
from worldtape.storage.tapes.shelf import Shelf
from worldtape.storage.tapes.validate import Validation, validate
from worldtape.storage.tapes.whole import WholeTape, sealed_bytes
from worldtape.storage.tapes.writer import TapeWriter

__all__ = [
    "Clock",
    "Event",
    "Repair",
    "Shelf",
    "TapeReader",
    "TapeWriter",
    "TapesReport",
    "Validation",
    "WholeTape",
    "find_tapes",
    "recover_tapes",
    "sealed_bytes",
    "tape_path",
    "validate",
]
