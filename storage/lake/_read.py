"""Parts as Arrow tables."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from worldtape.errors import FormatError
from worldtape.storage.lake._lake import damaged

if TYPE_CHECKING:
    import pyarrow as pa

    from worldtape.storage.lake._lake import Lake
    from worldtape.storage.lake._part import Part


def read_arrow(lake: Lake, part: Part, columns: Sequence[str] | None = None) -> pa.Table:
    """Return the rows of a part as they are stored, the schema's metadata included.

    Raises:
        FormatError: the file is damaged.
    """
    import pyarrow.parquet as pq

    try:
        with lake.store.open(part.name) as raw, pq.ParquetFile(raw) as file:
            return file.read(columns=None if columns is None else list(columns))
    except FormatError as error:
        raise damaged(part.path) from error


def plain_bytes(lake: Lake, part: Part) -> int:
    """Return the uncompressed bytes of a part, from its footer."""
    import pyarrow.parquet as pq

    try:
        with lake.store.open(part.name) as raw, pq.ParquetFile(raw) as file:
            footer = file.metadata
            return sum(footer.row_group(group).total_byte_size for group in range(footer.num_row_groups))
    except FormatError as error:
        raise damaged(part.path) from error


def twin(lake: Lake, part: Part, table: str) -> Part:
    """Return the file of the same part in the other table."""
    name = f"{table}/{part.name.partition('/')[2]}"
    return type(part)(table, part.domain, part.part_id, lake.store.path(name), name)
