"""The lake: two Parquet tables and their notes, asked in SQL."""

from worldtape.storage.lake._alone import alone
from worldtape.storage.lake._compact import Compacted, compact
from worldtape.storage.lake._connect import connect
from worldtape.storage.lake._forget import Forgotten, forget
from worldtape.storage.lake._forgotten import fingerprint
from worldtape.storage.lake._head import check_id, tape_header
from worldtape.storage.lake._lake import Lake
from worldtape.storage.lake._layout import part_id
from worldtape.storage.lake._merge import Merged, merge
from worldtape.storage.lake._packed import pack_name, plain_tape
from worldtape.storage.lake._part import Part
from worldtape.storage.lake._query import query, query_batches
from worldtape.storage.lake._recover import RecoveredParts, recover_parts
from worldtape.storage.lake._repeats import cut_repeats
from worldtape.storage.lake._show import Recording, Summary, recording, summary
from worldtape.storage.lake._tape_ref import TapeRef
from worldtape.storage.lake._write_rows import write_rows

__all__ = [
    "Compacted",
    "Forgotten",
    "Lake",
    "Merged",
    "Part",
    "Recording",
    "RecoveredParts",
    "Summary",
    "TapeRef",
    "alone",
    "check_id",
    "compact",
    "connect",
    "cut_repeats",
    "fingerprint",
    "forget",
    "merge",
    "pack_name",
    "part_id",
    "plain_tape",
    "query",
    "query_batches",
    "recording",
    "recover_parts",
    "summary",
    "tape_header",
    "write_rows",
]
