"""The lake: two Parquet tables and their notes, asked in SQL."""

from worldtape.storage.lake._connect import connect
from worldtape.storage.lake._lake import Lake
from worldtape.storage.lake._layout import part_id
from worldtape.storage.lake._part import Part
from worldtape.storage.lake._query import query, query_batches
from worldtape.storage.lake._recover import RecoveredParts
from worldtape.storage.lake._tape_ref import TapeRef

__all__ = ["Lake", "Part", "RecoveredParts", "TapeRef", "connect", "part_id", "query", "query_batches"]
