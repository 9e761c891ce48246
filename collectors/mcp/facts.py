"""What a server's folder holds, read out of band: texts, and the tables of SQLite databases."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from pathlib import Path
from typing import Any

_SQLITE = b"SQLite format 3\0"
_MOST_FILES, _MOST_BYTES, _MOST_ROWS = 500, 1 << 20, 10_000


def folder_facts(folder: str | Path) -> dict[str, Any]:
    """Return `files` (relative path to text) and `databases` (file name without its suffix to tables).

    A table whose primary key is one column of text is a mapping of key to row, any other a list of rows; a row is a
    mapping. Binary files are null; of a folder with very many files, of a long file or table, the first part counts.

    Raises:
        sqlite3.Error: a database cannot be read.
        OSError: the folder cannot be read.
    """
    files: dict[str, str | None] = {}
    databases: dict[str, Any] = {}
    root = Path(folder)
    for path in sorted(root.rglob("*"))[:_MOST_FILES]:
        if not path.is_file() or path.is_symlink():
            continue
        with path.open("rb") as file:
            data = file.read(_MOST_BYTES)
        if data.startswith(_SQLITE):
            databases[path.stem] = _tables(path)
            continue
        try:
            files[path.relative_to(root).as_posix()] = data.decode()
        except UnicodeDecodeError:
            files[path.relative_to(root).as_posix()] = None
    return {"files": files, "databases": databases}


def _tables(path: Path) -> dict[str, Any]:
    with closing(sqlite3.connect(f"{path.absolute().as_uri()}?mode=ro", uri=True)) as db:
        db.row_factory = sqlite3.Row
        names = [name for (name,) in db.execute("SELECT name FROM sqlite_schema WHERE type = 'table' ORDER BY name")]
        return {name: _table(db, name) for name in names}


def _table(db: sqlite3.Connection, name: str) -> dict[str, Any] | list[Any]:
    quoted = '"' + name.replace('"', '""') + '"'
    columns = list(db.execute(f"PRAGMA table_info({quoted})"))
    keys = [column["name"] for column in columns if column["pk"] and column["type"].upper() == "TEXT"]
    rows = [dict(row) for row in db.execute(f"SELECT * FROM {quoted} LIMIT {_MOST_ROWS}")]  # noqa: S608
    if len(keys) == 1 and sum(bool(column["pk"]) for column in columns) == 1:
        return {str(row[keys[0]]): row for row in rows}
    return rows


__all__ = ["folder_facts"]
