"""Directories, paths and lines: what is there, and where something stands."""

from __future__ import annotations

import posixpath
from collections.abc import Sequence
from typing import Any

from worldtape.collectors.swe.box import Entry
from worldtape.collectors.swe.render.fold import STDOUT
from worldtape.collectors.swe.tools.globs import expand, matcher
from worldtape.collectors.swe.tools.session import DONE, Session, Told, fault, system_fault

_FIND_S = 60.0
_NOTHING = 1
_GREP = (
    *("git", "-c", "grep.fullName=false", "-c", "submodule.recurse=false", "grep", "--no-index", "--exclude-standard"),
    *("--column", "--no-color", "-nIzP"),
)
_OF_PATTERN = "fatal: -e option, "


async def list_directory(session: Session, path: str, ignore: Sequence[str]) -> Told:
    """List a directory: directories first, by name; what git ignores is counted and left out, `.git` left out."""
    missing = await directory(session, path)
    if missing is not None:
        return missing
    hidden = [matcher(pattern, anywhere=True) for pattern in ignore]
    try:
        entries = [entry for entry in await session.box.list(path) if entry.name != ".git"]
    except OSError as error:
        return system_fault(error, path, "scandir")
    entries = [entry for entry in entries if not any(one.match(entry.name) for one in hidden)]
    ignored = await _ignored(session, path, [entry.name for entry in entries])
    shown = sorted((entry for entry in entries if entry.name not in ignored), key=_by_kind)
    rows = [[entry.name, "dir" if entry.kind == "dir" else "file"] for entry in shown]
    return {"op": "list", "path": path, "entries": rows, "ignored": len(entries) - len(shown)}, DONE


async def find_files(session: Session, path: str, pattern: str, *, anywhere: bool) -> Told:
    """Find files by a pattern of their paths, newest first; what git ignores is counted and left out.

    Args:
        session: where.
        path: of the directory, absolute.
        pattern: see `globs.matcher`; one that is absolute is meant below `path`.
        anywhere: see there.
    """
    missing = await directory(session, path)
    if missing is not None:
        return missing
    relative = posixpath.relpath(pattern, path) if pattern.startswith("/") else pattern
    fits = matcher(relative, anywhere=anywhere)
    try:
        entries = await session.box.walk(path)
    except OSError as error:
        return system_fault(error, path, "scandir")
    found = [entry for entry in entries if entry.kind in ("file", "link") and fits.match(entry.name)]
    ignored = await _ignored(session, path, [entry.name for entry in found])
    kept = sorted((entry for entry in found if entry.name not in ignored), key=_newest)
    files = [posixpath.join(path, entry.name) for entry in kept]
    facts = {"path": path, "pattern": pattern, "files": files, "ignored": len(found) - len(kept)}
    return {"op": "glob"} | facts, DONE


async def search_lines(
    session: Session,
    path: str,
    pattern: str,
    *,
    globs: Sequence[str],
    options: Sequence[str] = (),
    facts: dict[str, Any],
) -> Told:
    """Search lines with `git grep`, by Perl's regular expressions; binary files and what git ignores are left out.

    Args:
        session: its `keep` gets what git printed.
        path: of a directory or a file, absolute.
        pattern: the expression.
        globs: only files that match one of them; none: all.
        options: further ones of git grep.
        facts: what the layout needs besides.
    """
    entry = await session.entry(path)
    if entry is None:
        return fault("directory_not_found", path=path)
    single = entry.kind != "dir"
    where, name = posixpath.split(path) if single else (path, ".")
    specs = [] if single else [f":(glob){one}" for given in globs for one in _pathspecs(given, where)]
    words = [*_GREP, *options, "-e", pattern, "--", *(specs or [f":(literal){name}"])]
    ran = await session.box.run(words, cwd=where, timeout_s=_seconds(session))
    told: dict[str, Any] = {"pattern": pattern, "path": path, "single": single} | facts
    if ran.timed_out:
        return fault("search_timeout", message=f"the search took longer than {_seconds(session):g} s", **told)
    if ran.code not in (0, _NOTHING):
        said = ran.err.decode("utf-8", "replace").strip()
        kind = "invalid_pattern" if said.startswith(_OF_PATTERN) else "search_failed"
        return fault(kind, message=said.rpartition(": ")[2] or said, **told)
    session.keep(STDOUT, ran.out)
    return {"op": "grep"} | told, DONE


async def directory(session: Session, path: str) -> Told | None:
    """Return the fault where no directory is at a path."""
    entry = await session.entry(path)
    if entry is None:
        return fault("directory_not_found", path=path)
    return None if entry.kind == "dir" else fault("not_a_directory", path=path)


async def _ignored(session: Session, path: str, names: Sequence[str]) -> frozenset[str]:
    """Return which of these paths git ignores; none where git cannot tell."""
    if not names:
        return frozenset()
    words = ["git", "check-ignore", "-z", "--stdin"]
    asked = "\0".join(names).encode("utf-8", "surrogateescape")
    ran = await session.box.run(words, cwd=path, stdin=asked, timeout_s=_FIND_S)
    said = ran.out if ran.code == 0 else b""
    return frozenset(name.decode("utf-8", "surrogateescape") for name in said.split(b"\0") if name)


def _pathspecs(pattern: str, where: str) -> list[str]:
    """Return what git's `:(glob)` calls a pattern: names anywhere, paths from where the search starts."""
    below = posixpath.relpath(pattern, where) if pattern.startswith("/") else pattern.removeprefix("./")
    return [one if "/" in one else f"**/{one}" for one in expand(below)]


def _seconds(session: Session) -> float:
    return _FIND_S if session.limit_s is None else min(_FIND_S, session.limit_s)


def _by_kind(entry: Entry) -> tuple[bool, str, str]:
    return entry.kind != "dir", entry.name.lower(), entry.name


def _newest(entry: Entry) -> tuple[int, str]:
    return -(entry.mtime_ns // 1_000_000_000), entry.name


__all__ = ["directory", "find_files", "list_directory", "search_lines"]
