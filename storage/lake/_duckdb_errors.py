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


@contextmanager
def duckdb_boundary(lake: Lake) -> Iterator[None]:
    """Turn what DuckDB raises into an `InputError` with its hint, or a `FormatError` that names the damaged part."""
    import duckdb

    try:
        yield
    except WorldtapeError:
        raise
    except duckdb.PermissionException as error:
        raise RefusedError(brief(error), fix="only the lake's own views can be read") from error
    except duckdb.OutOfMemoryException as error:
        raise ComponentError(brief(error), fix="ask for fewer rows, or give DuckDB more memory") from error
    except duckdb.Error as error:
        raise _ours(lake, error) from error


def _ours(lake: Lake, error: Exception) -> WorldtapeError:
    text, by_sql = str(error), isinstance(error, _sql_errors())
    match = _FILE.search(text)
    if match and (_DAMAGE.search(text) or not by_sql):
        return damaged(lake.store.path(match[1]))
    if by_sql and not _DAMAGE.search(text):
        return InputError(brief(error))
    return _first_damaged(lake) or InputError(brief(error))


def _sql_errors() -> tuple[type[Exception], ...]:
    import duckdb

    return (
        duckdb.BinderException,
        duckdb.CatalogException,
        duckdb.ConversionException,
        duckdb.InvalidInputException,
        duckdb.OutOfRangeException,
        duckdb.ParserException,
    )


def _first_damaged(lake: Lake) -> FormatError | None:
    from worldtape.storage.lake._recover import broken

    for part in (*lake.parts("trajectories"), *lake.parts("transitions"), *lake.note_files()):
        if broken(lake, part):
            return damaged(part.path)
    return None
