"""An index of documents: SQLite FTS5, made once for the same content."""

from __future__ import annotations

import fcntl
import functools
import hashlib
import os
import re
import sqlite3
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from urllib.parse import quote

from worldtape.collectors.cache import cache_folder
from worldtape.collectors.search.answers import Hit
from worldtape.collectors.search.config import EmbeddedConfig
from worldtape.collectors.search.providers.documents import Document, Source, described, sources
from worldtape.errors import ComponentError, NotFoundError, boundary

_LAYOUT = "1"
"""Part of every digest: raise it when what is indexed, or how, changes."""
_SCHEMA = """
CREATE TABLE documents (id INTEGER PRIMARY KEY, url TEXT NOT NULL, host TEXT NOT NULL, title TEXT, date TEXT);
CREATE VIRTUAL TABLE pages USING fts5 (title, body, address, tokenize = "porter unicode61 remove_diacritics 2");
"""
_BEST = """
SELECT pages.rowid FROM pages JOIN documents d ON d.id = pages.rowid
WHERE pages MATCH ? AND (? IS NULL OR d.host = ? OR d.host LIKE '%.' || ?)
ORDER BY bm25(pages, 6.0, 1.0, 2.0), pages.rowid LIMIT ?
"""
_SHOW = """
SELECT d.url, d.title, snippet(pages, 1, '', '', ' ... ', ?), d.date
FROM pages JOIN documents d ON d.id = pages.rowid WHERE pages MATCH ? AND pages.rowid = ?
"""
"""A snippet costs more than the search: only those that are shown are made."""
_WORD = re.compile(r'"([^"]+)"|site:(\S+)|(\w+)')
_COMMON = frozenset(
    re.findall(
        r"\w+",
        "a an and are as at be by did do does for from has have how in is it its of on or that the this to was were "
        "what when where which who whose why will with",
    )
)
"""Not asked for where other words are."""
_MOST_WORDS = 64
_build_lock = threading.Lock()


class Index:
    """Documents of some folders, and the engine over them; safe to use from several threads.

    Attributes:
        digest: SHA-256 (hex) of all addresses and contents.
        size: number of documents.
    """

    def __init__(self, path: Path, digest: str, found: dict[str, Source], snippet_words: int) -> None:
        self.digest = digest
        self.size = len(found)
        self._sources = found
        self._words = snippet_words
        self._lock = threading.Lock()
        address = f"file:{quote(str(path))}?mode=ro&immutable=1"
        self._base = sqlite3.connect(address, uri=True, check_same_thread=False)
        try:
            self._base.execute("SELECT max(rowid) FROM pages").fetchone()
        except sqlite3.DatabaseError as error:
            self._base.close()
            raise ComponentError(
                f"the index is damaged: {error}", where=path, fix="delete it: it is made again"
            ) from error

    def find(self, query: str, count: int) -> list[Hit]:
        """Return the best documents: any of the words, all of the quoted phrases, from `site:` where it is named."""
        match, site = _parsed(query)
        if match is None:
            return []
        with self._lock:
            best = self._base.execute(_BEST, (match, site, site, site, count)).fetchall()
            rows = [self._base.execute(_SHOW, (self._words, match, number)).fetchone() for (number,) in best]
        return [Hit(url, title, " ".join(snippet.split()) or None, date) for url, title, snippet, date in rows]

    def source(self, url: str) -> Source | None:
        """Return where the document of an address lies."""
        return self._sources.get(url)

    def close(self) -> None:
        """Close the file."""
        with self._lock:
            self._base.close()

    def hosts(self) -> list[str]:
        """Return the hosts of all documents."""
        with self._lock:
            return [host for (host,) in self._base.execute("SELECT DISTINCT host FROM documents ORDER BY host")]


def open_index(config: EmbeddedConfig) -> Index:
    """Return the index of the documents of `config`; one process makes it, once per content.

    Raises:
        NotFoundError: a folder is not there, or holds no document.
        StorageError: the cache cannot be written.
        ComponentError: this Python's SQLite has no FTS5.
    """
    found = sources(config)
    if not found:
        where = ", ".join(str(folder.path) for folder in config.folders)
        raise NotFoundError("no document to index", where=where, fix="name a folder of HTML, Markdown or text")
    stamps = tuple((url, str(source.path), source.size, source.mtime_ns) for url, source in sorted(found.items()))
    with _build_lock:
        path, digest = _made(stamps, config.file_mb, str(config.cache or ""))
        if not path.exists():
            _made.cache_clear()
            path, digest = _made(stamps, config.file_mb, str(config.cache or ""))
    return Index(path, digest, found, config.snippet_words)


@functools.lru_cache(maxsize=16)
def _made(stamps: tuple[tuple[str, str, int, int], ...], file_mb: int, cache: str) -> tuple[Path, str]:
    folder = Path(cache).expanduser() if cache else cache_folder("search")
    digest = _digest(stamps, file_mb)
    path = folder / f"{digest}.sqlite"
    with boundary(folder):
        folder.mkdir(parents=True, exist_ok=True)
        if not path.exists():
            with (folder / f"{digest}.lock").open("w") as lock:
                fcntl.flock(lock, fcntl.LOCK_EX)
                if not path.exists():
                    _build(path, stamps, file_mb)
    return path, digest


def _digest(stamps: tuple[tuple[str, str, int, int], ...], file_mb: int) -> str:
    whole = hashlib.sha256(f"{_LAYOUT} {file_mb}\n".encode())
    for url, path, *_ in stamps:
        with boundary(path):
            content = hashlib.sha256(Path(path).read_bytes()).hexdigest()
        whole.update(f"{url}\n{content}\n".encode("utf-8", "surrogatepass"))
    return whole.hexdigest()


def _build(path: Path, stamps: tuple[tuple[str, str, int, int], ...], file_mb: int) -> None:
    """Make an index; whoever does holds its lock, so that what a killed process left is nobody's."""
    unfinished = path.with_suffix(".unfinished")
    unfinished.unlink(missing_ok=True)
    base = sqlite3.connect(unfinished, isolation_level=None)
    try:
        base.execute("PRAGMA journal_mode = OFF")
        base.execute("PRAGMA synchronous = OFF")
        _fill(base, stamps, file_mb)
    except BaseException:
        base.close()
        unfinished.unlink(missing_ok=True)
        raise
    base.close()
    with unfinished.open("rb+") as made:
        os.fsync(made.fileno())
    unfinished.replace(path)


def _fill(base: sqlite3.Connection, stamps: tuple[tuple[str, str, int, int], ...], file_mb: int) -> None:
    try:
        base.executescript(_SCHEMA)
    except sqlite3.OperationalError as error:
        fix = "use a Python whose sqlite3 module has it"
        raise ComponentError(f"this SQLite has no FTS5: {error}", where="search", fix=fix) from error
    base.execute("BEGIN")
    rows = ((number, *row) for number, row in enumerate(_rows(stamps, file_mb), 1))
    for number, url, host, document in rows:
        base.execute("INSERT INTO documents VALUES (?, ?, ?, ?, ?)", (number, url, host, document.title, document.date))
        address = " ".join(re.findall(r"\w+", url.partition("://")[2]))
        base.execute(
            "INSERT INTO pages (rowid, title, body, address) VALUES (?, ?, ?, ?)",
            (number, document.title, document.text, address),
        )
    base.execute("COMMIT")
    base.execute("INSERT INTO pages (pages) VALUES ('optimize')")


def _rows(stamps: tuple[tuple[str, str, int, int], ...], file_mb: int) -> Iterator[tuple[str, str, Document]]:
    for url, path, *_ in stamps:
        document = described(Path(path), file_mb << 20)
        if document is not None:
            yield url, url.partition("://")[2].partition("/")[0], document


def _parsed(query: str) -> tuple[str | None, str | None]:
    """Return an FTS5 expression, None where no word is asked for, and the host."""
    phrases, words, site = [], [], None
    for phrase, host, word in _WORD.findall(query):
        if host:
            site = host.lower().removeprefix("https://").removeprefix("http://").partition("/")[0]
        elif phrase and (inner := re.findall(r"\w+", phrase)):
            phrases.append(f'"{" ".join(inner)}"')
        elif word:
            words.append(word)
    telling = [word for word in words if word.lower() not in _COMMON] or words
    parts: list[Any] = phrases[:_MOST_WORDS]
    if telling:
        either = " OR ".join(f'"{word}"' for word in telling[:_MOST_WORDS])
        parts.append(f"({either})")
    return (" AND ".join(parts) or None), site


__all__ = ["Index", "open_index"]
