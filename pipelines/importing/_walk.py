"""What was given: files, folders and streams, as a list of sources."""

from __future__ import annotations

import os
import shutil
import stat
import sys
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import BinaryIO

from worldtape.errors import InputError, NotFoundError, boundary
from worldtape.pipelines.importing._source import Folder, is_stream

_SKIPPED = {".git"}
_BLOCK = 1 << 20


@dataclass(frozen=True, slots=True)
class Given:
    """One file to be imported."""

    root: str
    """The folder that nothing is reached outside of."""
    inner: str
    """Its path there."""
    size: int
    named: bool
    """It was given itself, not found in a folder."""
    name: str | None = None
    """What it is called, where not by its path."""


@dataclass(slots=True)
class Walked:
    """Everything that was found."""

    files: list[Given] = field(default_factory=list)
    refused: list[tuple[str, str]] = field(default_factory=list)
    unknown: list[tuple[str, str]] = field(default_factory=list)


def walk(paths: Sequence[str | os.PathLike[str]], lake: str, spool: Path) -> Walked:
    """List the files of `paths`: folders recursively and sorted, without `.git`, the lake itself and links to folders.

    Args:
        paths: files, folders, pipes, `-` for standard input.
        lake: the lake that is written: never read.
        spool: a temporary folder for streams.

    Raises:
        NotFoundError: a path is not there.
        InputError: no path, or a device.
    """
    if not paths:
        raise InputError("nothing to import", fix="give files or folders, or - for standard input")
    found = Walked()
    for number, given in enumerate(paths):
        text = os.fspath(given)
        if text == "-":
            found.files.append(_spooled(sys.stdin.buffer, spool / f"{number}", "stdin"))
            continue
        path = Path(text)
        with boundary(path):
            if not path.exists():
                raise NotFoundError("no such file or folder", where=path)
            if path.is_dir():
                _folder(path, Path(lake).resolve(), found)
            elif path.is_file():
                real = path.resolve()
                size = real.stat().st_size
                found.files.append(Given(str(real.parent), real.name, size, named=True, name=path.name))
            elif is_stream(path):
                with path.open("rb") as file:
                    found.files.append(_spooled(file, spool / f"{number}", "stream"))
            else:
                raise InputError("neither a file nor a folder", where=path)
    return found


def _spooled(file: BinaryIO, path: Path, name: str) -> Given:
    """Copy a stream to a file, since it is read twice: for its digest, and for what it holds."""
    with path.open("wb") as target:
        shutil.copyfileobj(file, target, _BLOCK)
    return Given(str(path.parent), path.name, path.stat().st_size, named=True, name=name)


def _folder(root: Path, lake: Path, found: Walked) -> None:
    box = Folder(root)
    for path, inner in _entries(root, lake, found):
        try:
            mode = path.lstat().st_mode
            if stat.S_ISLNK(mode) and box.find(inner) is None:
                why = "a link that leads out of what was given" if path.exists() else "a link that leads nowhere"
                found.refused.append((inner, why))
            elif not path.is_file():
                found.unknown.append((inner, "no regular file"))
            else:
                found.files.append(Given(str(root), inner, path.stat().st_size, named=False))
        except OSError as error:
            found.refused.append((inner, error.strerror or "cannot be read"))


def _entries(root: Path, lake: Path, found: Walked) -> Iterator[tuple[Path, str]]:
    """Give every file below `root` and its name there, sorted; say which folders are not entered."""

    def complain(error: OSError) -> None:
        where = os.path.relpath(error.filename or root, root)
        found.refused.append((where, error.strerror or "cannot be read"))

    for here, folders, files in os.walk(root, onerror=complain):
        place = Path(here)
        below = place.relative_to(root)
        entered = []
        for name in sorted(folders):
            inner = (below / name).as_posix()
            if (place / name).is_symlink():
                found.unknown.append((_shown(inner), "a link to a folder: not followed"))
            elif name not in _SKIPPED and (place / name).resolve() != lake:
                entered.append(name)
        folders[:] = entered
        for name in sorted(files):
            yield place / name, (below / name).as_posix()


def _shown(name: str) -> str:
    return name.encode("utf-8", "replace").decode()
