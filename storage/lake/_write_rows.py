"""Rows of a query as JSON, CSV or Parquet."""

from __future__ import annotations

from collections.abc import Callable
from decimal import Decimal
from pathlib import Path
from typing import IO, TYPE_CHECKING, Any

import orjson

from worldtape.errors import InputError, boundary

if TYPE_CHECKING:
    import pyarrow as pa

_EXACT = 1 << 63


def write_rows(rows: pa.RecordBatchReader, target: IO[bytes] | Path, form: str) -> int:
    """Write rows batch by batch and return how many there were.

    Args:
        rows: as `query_batches` gives them.
        target: a binary stream, or a file, which is written beside itself and renamed when it is whole.
        form: `json` (an array of objects), `csv` or `parquet`.
    """
    writer = _FORMS.get(form)
    if writer is None:
        raise InputError(f"no form is called {form!r}", fix=f"one of {', '.join(_FORMS)}")
    if not isinstance(target, Path):
        return writer(rows, target)
    beside = target.with_name(f".{target.name}.tmp")
    with boundary(target):
        try:
            with beside.open("wb") as file:
                count = writer(rows, file)
            beside.replace(target)
        finally:
            beside.unlink(missing_ok=True)
    return count


def _json(rows: pa.RecordBatchReader, file: IO[bytes]) -> int:
    count = 0
    for batch in rows:
        for row in batch.to_pylist():
            file.write(b",\n" if count else b"[\n")
            file.write(orjson.dumps(row, default=_plain))
            count += 1
    file.write(b"\n]\n" if count else b"[]\n")
    return count


def _plain(value: Any) -> Any:
    if isinstance(value, bytes):
        return value.hex()
    if isinstance(value, Decimal) and value == value.to_integral_value():
        return int(value) if abs(value) < _EXACT else str(value)
    return float(value) if isinstance(value, Decimal) else str(value)


def _csv(rows: pa.RecordBatchReader, file: IO[bytes]) -> int:
    import csv
    import io

    text = io.TextIOWrapper(file, encoding="utf-8", newline="", write_through=True)
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(rows.schema.names)
    count = 0
    for batch in rows:
        columns = [column.to_pylist() for column in batch.columns]
        for row in zip(*columns, strict=True):
            writer.writerow([_cell(value) for value in row])
            count += 1
    text.detach()
    return count


def _cell(value: Any) -> Any:
    return orjson.dumps(value, default=_plain).decode() if isinstance(value, (list, dict)) else value


def _parquet(rows: pa.RecordBatchReader, file: IO[bytes]) -> int:
    import pyarrow.parquet as pq

    count = 0
    with pq.ParquetWriter(file, rows.schema, compression="zstd") as writer:
        for batch in rows:
            writer.write_batch(batch)
            count += batch.num_rows
    return count


_FORMS: dict[str, Callable[[pa.RecordBatchReader, IO[bytes]], int]] = {"json": _json, "csv": _csv, "parquet": _parquet}
