"""`worldtape query`."""

from __future__ import annotations

import sys
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from worldtape.cli._console import print_records, print_table, say
from worldtape.cli._text import clean

if TYPE_CHECKING:
    import pyarrow as pa


TABLE_COLUMNS = 10
"""Rows with more columns than this are printed one below the other."""


class Form(StrEnum):
    """How rows are written."""

    TABLE = "table"
    JSON = "json"
    CSV = "csv"
    PARQUET = "parquet"


def query(
    lake: Annotated[str, typer.Argument(help="The lake's folder or address.")],
    sql: Annotated[
        str, typer.Argument(help="One SELECT, EXPLAIN, DESCRIBE, SHOW or SUMMARIZE; - reads it from stdin.")
    ],
    json: Annotated[bool, typer.Option("--json", help="Print an array of objects.")] = False,
    csv: Annotated[bool, typer.Option("--csv", help="Print comma-separated values with a header.")] = False,
    parquet: Annotated[bool, typer.Option("--parquet", help="Write Parquet, to --out or to a pipe.")] = False,
    out: Annotated[
        Path | None, typer.Option("--out", help="Write there; the ending (.json, .csv, .parquet) tells the form.")
    ] = None,
) -> None:
    """Ask a lake in SQL: views `trajectories`, `transitions`, `turns`, and one per stage of notes.

    Example: `worldtape query ./worldtape-demo/lake "SELECT status, count(*) FROM transitions GROUP BY 1"`
    """
    from worldtape.storage import query_batches
    from worldtape.storage.lake import write_rows

    form = _form(json=json, csv=csv, parquet=parquet, out=out)
    text = sys.stdin.read() if sql == "-" else sql
    with query_batches(lake, text) as rows:
        if form is Form.TABLE:
            _print(rows)
        elif out is None:
            write_rows(rows, sys.stdout.buffer, str(form))
        else:
            say(f"{write_rows(rows, out, str(form))} rows in {out}")


def _form(*, json: bool, csv: bool, parquet: bool, out: Path | None) -> Form:
    asked = [form for form, on in ((Form.JSON, json), (Form.CSV, csv), (Form.PARQUET, parquet)) if on]
    if len(asked) > 1:
        raise typer.BadParameter("give one of --json, --csv and --parquet")
    if asked:
        form = asked[0]
    elif out is None:
        return Form.TABLE
    elif out.suffix in {".json", ".csv", ".parquet"}:
        form = Form(out.suffix[1:])
    else:
        raise typer.BadParameter(f"{out} tells no form: add --json, --csv or --parquet")
    if form is Form.PARQUET and out is None and sys.stdout.isatty():
        raise typer.BadParameter("Parquet is not for a terminal: pipe it, or name a file with --out")
    return form


def _print(rows: pa.RecordBatchReader) -> None:
    names = rows.schema.names
    found: list[list[Any]] = []
    for batch in rows:
        columns = [column.to_pylist() for column in batch.columns]
        found.extend([_cell(value) for value in row] for row in zip(*columns, strict=True))
    if names == ["explain_key", "explain_value"]:
        sys.stdout.writelines(f"{row[1].rstrip()}\n" for row in found)
        return
    (print_table if len(names) <= TABLE_COLUMNS else print_records)(names, found)


def _cell(value: Any) -> Any:
    return clean(value) if isinstance(value, str) else value
