"""A lake: tapes, blobs, two tables and their notes."""

from __future__ import annotations

import json
import os
from collections.abc import Iterator, Sequence
from contextlib import ExitStack
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

from worldtape.errors import FormatError, InputError, NotFoundError, VersionError, WorldtapeError, boundary
from worldtape.storage.lake import _layout as layout
from worldtape.storage.lake._part import Part
from worldtape.storage.lake._store import Store
from worldtape.storage.lake._tape_ref import TapeRef

if TYPE_CHECKING:
    import polars as pl
    import pyarrow as pa

    from worldtape.storage.blobs import Blobs


class Lake:
    """A folder or an object-store prefix laid out as `docs/format.md` says.

    Many writers may write parts at once, nobody locks: a part appears in one step, or not at all. Use `Lake.open`.
    """

    def __init__(self, uri: str, storage_options: dict[str, Any] | None = None) -> None:
        self.uri = uri
        self.store = Store(uri, storage_options)

    @classmethod
    def open(
        cls, uri: str | os.PathLike[str], *, create: bool = False, storage_options: dict[str, Any] | None = None
    ) -> Lake:
        """Open a lake.

        Args:
            uri: a local path, or a URL that fsspec understands (`s3://bucket/lake`, `memory://lake`).
            create: make it where there is none.
            storage_options: passed to fsspec (endpoint, keys, …).

        Raises:
            NotFoundError: there is no lake, and `create` is false.
            InputError: it is a file.
            VersionError: a newer Worldtape wrote it.
        """
        lake = cls(os.fspath(uri), storage_options)
        if lake.store.local and Path(lake.store.root).is_file():
            raise InputError("this is a file, a lake is a folder", where=lake)
        try:
            lake._check(lake.store.read(layout.MANIFEST))
        except NotFoundError:
            lake._begin(create)
        return lake

    def _begin(self, create: bool) -> None:
        if create:
            manifest = {"format": "worldtape-lake", "version": layout.FORMAT_VERSION}
            self.store.write(layout.MANIFEST, json.dumps(manifest).encode() + b"\n")
        elif not self.store.names(layout.TAPES):
            raise NotFoundError("no lake here", where=self, fix="check the path, or record something into it first")

    def _check(self, text: bytes) -> None:
        where = self.store.path(layout.MANIFEST)
        try:
            version = str(json.loads(text)["version"])
            major = int(version.partition(".")[0])
        except (ValueError, KeyError, TypeError) as error:
            raise FormatError("this is no lake's manifest", where=where, fix='expected {"version": "1.0"}') from error
        if major > int(layout.FORMAT_VERSION.partition(".")[0]):
            what = f"the lake has format {version}, newer than {layout.FORMAT_VERSION}"
            raise VersionError(what, where=where, fix="install a newer worldtape")

    def __str__(self) -> str:
        return str(self.store)

    def __repr__(self) -> str:
        return f"Lake({str(self)!r})"

    def __reduce__(self) -> tuple[Any, ...]:
        return Lake, (self.uri, self.store.options)

    @cached_property
    def blobs(self) -> Blobs:
        """The large payloads of a local lake.

        Raises:
            InputError: the lake lies on an object store.
        """
        from worldtape.storage.blobs import Blobs

        if not self.store.local:
            raise InputError("blobs are written on a local disk first", where=self, fix="copy them with `merge`")
        return Blobs(self.store.root)

    def tapes(self) -> Iterator[TapeRef]:
        """Yield every tape, sorted by its trajectory's id; a tape that is there both ways counts as sealed.

        A pack that has lost its index stands for itself, as one tape that cannot be read.
        """
        from worldtape.storage.lake._packed import packed_or_itself

        found: dict[str, TapeRef] = {}
        for name in self.store.names(layout.TAPES):
            if layout.PACK_FILE.fullmatch(name):
                found.update((tape.trajectory_id, tape) for tape in packed_or_itself(self, name))
            elif match := layout.TAPE_FILE.fullmatch(name):
                tape = TapeRef(match[1], self.store.path(name), match[2] is not None, name)
                if tape.sealed or tape.trajectory_id not in found:
                    found[tape.trajectory_id] = tape
        yield from (found[key] for key in sorted(found))

    def write_part(
        self,
        domain: str,
        part_id: str,
        trajectories: pa.Table,
        transitions: pa.Table,
        *,
        row_group_bytes: int = 64 << 20,
    ) -> None:
        """Write one part of both tables: transitions appear first, trajectories last, each in one step.

        Args:
            domain: of every row.
            part_id: the hash of its set of tapes (`worldtape.storage.part_id`).
            trajectories: rows with the columns `TRAJECTORIES`, in any order.
            transitions: rows with the columns `TRANSITIONS`, in any order.
            row_group_bytes: uncompressed bytes of a row group.

        Raises:
            InputError: the rows do not fit the schema, the domain or each other.
        """
        from worldtape.storage.lake._parquet import conform, sort_keys, write_parquet

        rows = {"trajectories": trajectories, "transitions": transitions}
        names = {table: layout.part_path(table, domain, part_id) for table in rows}
        rows = {table: conform(table, rows[table], where=self.store.path(names[table])) for table in rows}
        _agree(domain, rows, where=self.store.path(names["trajectories"]))
        with ExitStack() as stack:
            for table in ("trajectories", "transitions"):
                path = stack.enter_context(self.store.writing(names[table]))
                write_parquet(path, rows[table], keys=sort_keys(table), limit=row_group_bytes)

    def parts(self, table: str = "transitions", domain: str | None = None) -> list[Part]:
        """Return the whole parts of a table, sorted by name; halves and replaced parts are left out.

        Args:
            table: `trajectories` or `transitions`.
            domain: only of this domain.
        """
        if table not in layout.TABLES:
            raise InputError(f"no table is called {table!r}", fix="use `note_parts` for notes")
        hidden = self.replaced()
        files = {name: self.files(name) for name in ("trajectories", "transitions")}  # in this order: see `write_part`
        halves = [{(part.domain, part.part_id) for part in found} for found in files.values()]
        whole = halves[0] & halves[1]
        return [
            part
            for part in files[table]
            if (part.domain, part.part_id) in whole
            and part.part_id not in hidden
            and (domain is None or part.domain == domain)
        ]

    def files(self, table: str) -> list[Part]:
        """Return every file of a table, orphans and replaced parts included, sorted by name."""
        matches = (layout.TABLE_FILE.fullmatch(name) for name in self.store.names(table))
        return [Part(m[1], m[2], m[3], self.store.path(m[0]), m[0]) for m in matches if m]

    def replaced(self) -> set[str]:
        """Return the ids of parts whose rows already stand in another part (a compaction that has not finished)."""
        from worldtape.storage.lake._moves import replaced

        return replaced(self)

    def read(self, part: Part, columns: Sequence[str] | None = None) -> pl.DataFrame:
        """Return the rows of a part.

        Raises:
            NotFoundError: the part is gone.
            FormatError: the file is damaged.
        """
        import polars as pl

        names = None if columns is None else list(columns)
        try:
            with boundary(part.path):
                if self.store.local:
                    return pl.read_parquet(part.path, columns=names, hive_partitioning=False, glob=False)
                with self.store.open(part.name) as file:
                    return pl.read_parquet(file.read(), columns=names, hive_partitioning=False)
        except WorldtapeError as error:
            raise self._unreadable(part, error) from error

    def _unreadable(self, part: Part, error: WorldtapeError) -> WorldtapeError:
        if not self.store.exists(part.name):
            return NotFoundError("no such part", where=part.path)
        if type(error.__cause__).__name__ == "ColumnNotFoundError":
            return InputError(f"the part has no column {error.what}", where=part.path)
        return damaged(part.path) if isinstance(error, FormatError) else error

    def members(self, part: Part) -> list[str]:
        """Return the ids of a part's trajectories, sorted."""
        name = part.name.replace("transitions/", "trajectories/", 1)
        rows = self.read(
            Part("trajectories", part.domain, part.part_id, self.store.path(name), name), ["trajectory_id"]
        )
        return sorted(rows["trajectory_id"].to_list())

    def write_note(self, stage: str, part_id: str, table: pa.Table | pl.DataFrame) -> None:
        """Write what a stage says about a part, replacing what it said before; the table's metadata is kept.

        Args:
            stage: its name becomes a view in SQL.
            part_id: the part it speaks of.
            table: rows that begin with the columns `NOTE_KEY`; an Arrow table or a Polars frame.
        """
        from worldtape.storage.lake._parquet import sort_keys, widen, write_parquet

        name = layout.note_path(stage, part_id)
        rows: pa.Table = table if hasattr(table, "column_names") else table.to_arrow()
        if missing := {"trajectory_id", "step"} - set(rows.column_names):
            raise InputError(f"a note needs the columns {sorted(missing)}", where=self.store.path(name))
        with self.store.writing(name) as path:
            write_parquet(path, widen(rows), keys=sort_keys(stage))

    def note_parts(self, stage: str) -> list[Part]:
        """Return the notes of a stage on parts that are there, sorted by part."""
        here = {part.part_id for part in self.parts("trajectories")}
        return [part for part in self.note_files(stage) if part.part_id in here]

    def note_files(self, stage: str | None = None) -> list[Part]:
        """Return every note's file, of one stage or of all, sorted by name; a folder named as a table is no stage."""
        folder = layout.NOTES if stage is None else f"{layout.NOTES}/{stage}"
        matches = (layout.NOTE_FILE.fullmatch(name) for name in self.store.names(folder))
        return [
            Part(m[1], None, m[2], self.store.path(m[0]), m[0]) for m in matches if m and m[1] not in layout.RESERVED
        ]

    def stages(self) -> list[str]:
        """Return the stages that have written notes, sorted."""
        return sorted({part.table for part in self.note_files()})

    def commit(self) -> str:
        """Return the lake's state as one hash: SHA-256 over the sorted lines `<path> <SHA-256>` of its parts."""
        from worldtape.storage.lake._commit import commit

        return commit(self)

    def recover(self) -> Any:
        """Remove what a crash left behind and set damaged parts aside; see `RecoveredParts`."""
        from worldtape.storage.lake._recover import recover_parts

        return recover_parts(self)

    def forgotten(self) -> set[str]:
        """Return the SHA-256 of every trajectory id that was taken down."""
        from worldtape.storage.lake._forgotten import forgotten

        return forgotten(self)

    def is_forgotten(self, trajectory_id: str) -> bool:
        """Tell whether a trajectory was taken down; it must not come back."""
        from worldtape.storage.lake._forgotten import fingerprint

        return fingerprint(trajectory_id) in self.forgotten()


def damaged(path: str) -> FormatError:
    """Return the error for a Parquet file that cannot be read."""
    return FormatError(
        "not a readable Parquet file", where=path, fix="`worldtape recover` sets it aside; then project again"
    )


def _agree(domain: str, rows: dict[str, pa.Table], *, where: str) -> None:
    import pyarrow.compute as pc

    for table, found in rows.items():
        if others := set(pc.unique(found["domain"]).to_pylist()) - {domain}:
            raise InputError(f"{table} of domain {domain} hold rows of {sorted(map(str, others))}", where=where)
    known = pc.unique(rows["trajectories"]["trajectory_id"])
    if len(known) != rows["trajectories"].num_rows:
        raise InputError("the same trajectory stands twice in a part", where=where)
    strays = set(pc.unique(rows["transitions"]["trajectory_id"]).to_pylist()) - set(known.to_pylist())
    if strays:
        raise InputError(f"transitions of a trajectory that is not in the part: {min(strays)}", where=where)
