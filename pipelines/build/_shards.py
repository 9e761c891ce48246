"""Pieces into shards, in the order of the parts."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from worldtape.pipelines.build._config import BuildConfig
from worldtape.pipelines.build._schema import Corpus, schema, settings

if TYPE_CHECKING:
    import pyarrow as pa


@dataclass(frozen=True, slots=True)
class Shard:
    """One file of a corpus."""

    name: str
    rows: int
    bytes: int


def write_shards(pieces: Iterable[Path], folder: Path, split: str, corpus: Corpus, config: BuildConfig) -> list[Shard]:
    """Write `<split>-00000-of-0000N.parquet` and return what was written; nothing where there is no row.

    One row group is in memory at a time. Where groups and shards end depends on the rows alone.

    Args:
        pieces: files in the order of their rows; missing ones are empty.
        folder: of the corpus.
        split: begins each name.
        corpus: whose columns the rows have.
        config: its `shard_bytes` and `group_bytes`; a row group of a piece is never cut.
    """
    drafts: list[tuple[Path, int]] = []
    groups = _groups(pieces, config.group_bytes)
    group = next(groups, None)
    while group is not None:
        draft = folder / f"{split}-{len(drafts):05d}.tmp"
        group, rows = _write_one(draft, group, groups, corpus, config.shard_bytes)
        drafts.append((draft, rows))
    shards = []
    for number, (draft, rows) in enumerate(drafts):
        name = f"{split}-{number:05d}-of-{len(drafts):05d}.parquet"
        draft.rename(folder / name)
        shards.append(Shard(name, rows, (folder / name).stat().st_size))
    return shards


def _write_one(
    draft: Path, group: pa.Table | None, groups: Iterator[pa.Table], corpus: Corpus, shard_bytes: int
) -> tuple[pa.Table | None, int]:
    import pyarrow.parquet as pq

    rows = 0
    with draft.open("wb") as file, pq.ParquetWriter(file, schema(corpus), **settings(corpus)) as writer:
        while group is not None and (rows == 0 or file.tell() < shard_bytes):
            writer.write_table(group, row_group_size=group.num_rows)
            rows += group.num_rows
            group = next(groups, None)
    return group, rows


def _groups(pieces: Iterable[Path], group_bytes: int) -> Iterator[pa.Table]:
    """Yield tables of at most `group_bytes`, joined from the row groups of the pieces."""
    import pyarrow as pa

    held: list[pa.Table] = []
    total = 0
    for table in _tables(pieces):
        if held and total + table.nbytes > group_bytes:
            yield pa.concat_tables(held)
            held, total = [], 0
        held.append(table)
        total += table.nbytes
    if held:
        yield pa.concat_tables(held)


def _tables(pieces: Iterable[Path]) -> Iterator[pa.Table]:
    import pyarrow.parquet as pq

    for piece in pieces:
        if piece.exists():
            with pq.ParquetFile(piece) as file:
                for number in range(file.num_row_groups):
                    yield file.read_row_group(number, use_threads=False)
