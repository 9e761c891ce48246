"""Rows into one Parquet file, a few megabytes at a time."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

from worldtape.pipelines.build._schema import Corpus, schema, settings

if TYPE_CHECKING:
    import pyarrow.parquet as pq

BUFFER_BYTES = 8 << 20
"""Text held before a row group is written."""


class RowWriter:
    """Writes rows to `path`, which appears when it is closed; without a row there is no file.

    Args:
        path: of the Parquet file.
        corpus: whose columns the rows have.
        group_bytes: text of a row group, at most `BUFFER_BYTES`.
    """

    def __init__(self, path: Path, corpus: Corpus, group_bytes: int) -> None:
        self._path = path
        self._draft = path.with_suffix(".tmp")
        self._corpus = corpus
        self._limit = min(group_bytes, BUFFER_BYTES)
        self._rows: list[dict[str, Any]] = []
        self._held = 0
        self._writer: pq.ParquetWriter | None = None

    def add(self, row: dict[str, Any]) -> None:
        """Take one row."""
        size = _text_bytes(row)
        if self._rows and self._held + size > self._limit:
            self._flush()
        self._rows.append(row)
        self._held += size

    def close(self) -> None:
        """Write what is held and let the file appear."""
        self._flush()
        if self._writer is None:
            self._path.unlink(missing_ok=True)
            return
        self._writer.close()
        self._draft.replace(self._path)

    def discard(self) -> None:
        """Leave nothing behind."""
        if self._writer is not None:
            self._writer.close()
        self._draft.unlink(missing_ok=True)

    def _flush(self) -> None:
        import pyarrow as pa
        import pyarrow.parquet as pq

        if not self._rows:
            return
        table = pa.Table.from_pylist(self._rows, schema=schema(self._corpus))
        if self._writer is None:
            self._writer = pq.ParquetWriter(self._draft, table.schema, **settings(self._corpus))
        self._writer.write_table(table, row_group_size=table.num_rows)
        self._rows, self._held = [], 0


def _text_bytes(row: dict[str, Any]) -> int:
    """Return about how many bytes a row takes."""
    messages = [*row.get("messages", ()), *row.get("prompt", ()), *row.get("completion", ())]
    return sum(len(message["content"]) for message in messages) + 1024
