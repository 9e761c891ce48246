"""Documents in folders: which there are, and what they say."""

from __future__ import annotations

import gzip
import os
import re
import zlib
from dataclasses import dataclass
from html.parser import HTMLParser
from pathlib import Path, PurePosixPath
from typing import ClassVar
from urllib.parse import quote

from worldtape.collectors.mcp._json import clean
from worldtape.collectors.search.config import EmbeddedConfig, FolderConfig
from worldtape.collectors.search.extract import decoded, front_matter
from worldtape.errors import NotFoundError

SHIPPED = Path(__file__).parents[1] / "documents"
"""A small web of our own writing: folders are hosts."""
_MEDIA = {
    ".html": "text/html",
    ".htm": "text/html",
    ".xhtml": "application/xhtml+xml",
    ".md": "text/markdown",
    ".markdown": "text/markdown",
}
_TITLE_CHARS = 120


@dataclass(frozen=True, slots=True)
class Source:
    """A document as a file."""

    path: Path
    size: int
    mtime_ns: int

    @property
    def media_type(self) -> str:
        """By its ending."""
        return media_type(self.path)


@dataclass(frozen=True, slots=True)
class Document:
    """What a document says, for the index."""

    title: str
    text: str
    date: str | None


def sources(config: EmbeddedConfig) -> dict[str, Source]:
    """Return address to file, in the order of the addresses.

    Files that are hidden, have another ending, or are links to elsewhere are left out.

    Raises:
        NotFoundError: a folder is not there.
    """
    found: dict[str, Source] = {}
    for folder in config.folders or (FolderConfig(path=SHIPPED, url="https://"),):
        root = folder.path.expanduser()
        if not root.is_dir():
            raise NotFoundError("there is no such folder", where=root, fix="correct embedded.folders")
        for path in _files(root, config.suffixes):
            facts = path.stat()
            name = PurePosixPath(path.relative_to(root).as_posix())
            plain = name.with_suffix("") if name.suffix == ".gz" else name
            for one in (plain, name):
                url = folder.url + ("" if folder.url.endswith("/") else "/") + quote(os.fsencode(one))
                if url not in found:
                    found[url] = Source(path, facts.st_size, facts.st_mtime_ns)
                    break
    return dict(sorted(found.items()))


def content(path: Path, most: int) -> bytes | None:
    """Return the bytes of a document, unpacked; None where it is gone, damaged, or larger than `most`."""
    try:
        data = path.read_bytes()
        if path.suffix == ".gz":
            unpacked = zlib.decompressobj(wbits=31)
            data = unpacked.decompress(data, most + 1)
    except (OSError, zlib.error, gzip.BadGzipFile):
        return None
    return data if len(data) <= most else None


def described(path: Path, most: int) -> Document | None:
    """Return title, text and date of a document, as far as it states them; None where it cannot be read."""
    data = content(path, most)
    if data is None:
        return None
    text = clean(decoded(data)).replace("\0", " ")
    kind = media_type(path)
    if kind in ("text/html", "application/xhtml+xml"):
        reader = _Reader()
        reader.feed(text)
        reader.close()
        return Document(reader.title or clean(path.stem), reader.text, reader.date)
    head, rest = front_matter(text) if kind == "text/markdown" else ({}, text)
    lines = (line.strip().lstrip("#").strip() for line in rest.split("\n"))
    first = next((line for line in lines if any(char.isalnum() for char in line)), clean(path.stem))
    body = _plain(rest) if kind == "text/markdown" else rest
    return Document(head.get("title") or first[:_TITLE_CHARS], body, head.get("date"))


def media_type(path: Path) -> str:
    """Return what a file is, by its name."""
    name = path.with_suffix("") if path.suffix == ".gz" else path
    return _MEDIA.get(name.suffix.lower(), "text/plain")


def _plain(text: str) -> str:
    """Return Markdown without its marks, as a snippet shows it."""
    return re.sub(r"[#*`|]+|^[-| :]+$", " ", re.sub(r"\[([^\[\]]*)\]\([^()]*\)", r"\1", text), flags=re.MULTILINE)


def _files(root: Path, suffixes: tuple[str, ...]) -> list[Path]:
    found = []
    for folder, inner, names in os.walk(root):
        inner[:] = sorted(name for name in inner if not name.startswith("."))
        for name in sorted(names):
            path = Path(folder, name)
            if name.startswith(".") or not name.lower().removesuffix(".gz").endswith(suffixes):
                continue
            if path.is_file() and not path.is_symlink():
                found.append(path)
    return found


class _Reader(HTMLParser):
    """Takes title, date and visible text of a page."""

    _HIDDEN: ClassVar = {"script", "style", "template", "noscript", "svg", "head", "nav", "footer"}
    _DATES: ClassVar = {"date", "dcterms.date", "dc.date", "article:published_time", "dcterms.modified"}

    def __init__(self) -> None:
        super().__init__(convert_charrefs=True)
        self.title = ""
        self.date: str | None = None
        self._parts: list[str] = []
        self._hidden = 0
        self._in_title = False

    @property
    def text(self) -> str:
        return " ".join("".join(self._parts).split())

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        if tag == "title":
            self._in_title = True
        elif tag in self._HIDDEN:
            self._hidden += 1
        elif tag == "body":
            self._hidden = 0
        elif tag == "meta":
            found = {key: value or "" for key, value in attrs}
            name = (found.get("name") or found.get("property") or "").lower()
            if name in self._DATES and found.get("content"):
                self.date = found["content"]
        self._parts.append(" ")

    def handle_endtag(self, tag: str) -> None:
        if tag == "title":
            self._in_title = False
        elif tag in self._HIDDEN:
            self._hidden = max(0, self._hidden - 1)
        self._parts.append(" ")

    def handle_data(self, data: str) -> None:
        if self._in_title:
            self.title = " ".join(f"{self.title} {data}".split())
        elif not self._hidden:
            self._parts.append(data)


__all__ = ["SHIPPED", "Document", "Source", "content", "described", "media_type", "sources"]
