"""DuckDB's exceptions as ours."""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import contextmanager

from worldtape.errors import ComponentError, FormatError, InputError, RefusedError, WorldtapeError
from worldtape.storage.lake._lake import Lake, damaged
from worldtape.storage.lake._statements import brief

_FILE = re.compile(r"lake://([^\s\"']+\.parquet)")
_DAMAGE = re.compile(
    "magic bytes|invalid parquet|TProtocol|corrupt|too small to be a parquet|decompress|zstd|footer|checksum"
    "|failed to read",
    re.IGNORECASE,
)


_KIND = re.compile(r"([A-Z][A-Za-z ]*) Error: ")
_BY_SQL = frozenset({"Binder", "Catalog", "Conversion", "Invalid Input", "Not implemented", "Out of Range", "Parser"})


@contextmanager
def duckdb_boundary(lake: Lake) -> Iterator[None]:
    """Turn what DuckDB raises into an `InputError` with its hint, or a `FormatError` that names the damaged part.

    While a result is streamed, DuckDB's errors come out of Arrow as `OSError` without a number: only their text tells.
    """
    import duckdb

    try:
        yield
    except WorldtapeError:
        raise
    except duckdb.Error as error:
        raise _ours(lake, error) from error
    except OSError as error:
        if error.errno is not None or not _KIND.match(str(error)):
            raise
        raise _ours(lake, error) from error


def _ours(lake: Lake, error: Exception) -> WorldtapeError:
    text = str(error)
    kind = match[1] if (match := _KIND.match(text)) else ""
    if kind == "Permission":
        return RefusedError(brief(error), fix="only the lake's own views can be read")
    if kind == "Out of Memory":
        return ComponentError(brief(error), fix="ask for fewer rows, or give DuckDB more memory")
    by_sql = kind in _BY_SQL and not _DAMAGE.search(text)
    if not by_sql and (named := _FILE.search(text)):
        return damaged(lake.store.path(named[1]))
    found = None if by_sql else _first_damaged(lake)
    return found or InputError(brief(error))


def _first_damaged(lake: Lake) -> FormatError | None:
    from worldtape.storage.lake._recover import broken

    for part in (*lake.parts("trajectories"), *lake.parts("transitions"), *lake.note_files()):
        if broken(lake, part):
            return damaged(part.path)
    return None
