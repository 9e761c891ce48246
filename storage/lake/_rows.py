"""How many bytes rows take, and where to cut them into row groups."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import numpy as np
    import pyarrow as pa


def row_bytes(table: pa.Table) -> np.ndarray:
    """Return the uncompressed bytes of every row, int64 of shape (rows,)."""
    import numpy as np

    total = np.zeros(table.num_rows, dtype=np.int64)
    for column in table.columns:
        start = 0
        for chunk in column.chunks:
            total[start : start + len(chunk)] += _cell_bytes(chunk)
            start += len(chunk)
    return total


def _cell_bytes(array: pa.Array) -> np.ndarray:
    import numpy as np
    import pyarrow as pa
    import pyarrow.compute as pc

    kind = array.type
    if pa.types.is_list(kind) or pa.types.is_large_list(kind):
        sums = np.concatenate([[0], np.cumsum(_cell_bytes(array.flatten()))])
        lengths = pc.fill_null(pc.list_value_length(array), 0).to_numpy(zero_copy_only=False).astype(np.int64)
        ends = np.cumsum(lengths)
        return np.asarray(sums[ends] - sums[ends - lengths], dtype=np.int64)
    if pa.types.is_struct(kind):
        fields = [_cell_bytes(field) for field in array.flatten()]
        return np.asarray(np.sum(fields, axis=0, dtype=np.int64))
    if pa.types.is_primitive(kind):
        return np.full(len(array), max(kind.bit_width // 8, 1), dtype=np.int64)
    lengths = pc.fill_null(pc.binary_length(array), 0)
    return np.asarray(lengths.to_numpy(zero_copy_only=False).astype(np.int64) + 4)


def row_groups(sizes: np.ndarray, limit: int) -> Iterator[tuple[int, int]]:
    """Yield (start, stop) of groups of at most `limit` bytes; a row above the limit gets a group of its own."""
    import numpy as np

    ends = np.cumsum(sizes)
    start, rows = 0, len(sizes)
    while start < rows:
        before = int(ends[start - 1]) if start else 0
        stop = int(np.searchsorted(ends, before + limit, side="right"))
        stop = max(stop, start + 1)
        yield start, stop
        start = stop
