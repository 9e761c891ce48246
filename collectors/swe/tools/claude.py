"""The Claude-Code-like family: from its arguments to what is done."""

from __future__ import annotations

import posixpath
from collections.abc import Mapping

from worldtape.collectors.swe.tools._claude_tools import TYPES
from worldtape.collectors.swe.tools.cli import Arguments, Done
from worldtape.collectors.swe.tools.editing import edit_file
from worldtape.collectors.swe.tools.files import read_file, write_file
from worldtape.collectors.swe.tools.finding import find_files, search_lines
from worldtape.collectors.swe.tools.replace import Edit
from worldtape.collectors.swe.tools.session import DONE, Session, Told, whole
from worldtape.collectors.swe.tools.shell import run_command, start_command


async def _read(session: Session, given: Arguments) -> Told:
    limit = given.get("limit")
    rows = None if limit is None else whole(limit, 1)
    return await read_file(session, session.path(given["file_path"]), whole(given.get("offset", 1) - 1), rows)


async def _edit(session: Session, given: Arguments) -> Told:
    return await edit_file(session, session.path(given["file_path"]), [_wanted(given)])


async def _multi_edit(session: Session, given: Arguments) -> Told:
    edits = [_wanted(edit) for edit in given["edits"]]
    return await edit_file(session, session.path(given["file_path"]), edits, several=True)


async def _write(session: Session, given: Arguments) -> Told:
    return await write_file(session, session.path(given["file_path"]), given["content"])


async def _bash(session: Session, given: Arguments) -> Told:
    if given.get("run_in_background"):
        return await start_command(session, given["command"], session.cwd)
    timeout = given.get("timeout")
    limit = None if timeout is None else timeout / 1000
    return await run_command(session, given["command"], session.cwd, timeout_s=limit, merged=False)


async def _glob(session: Session, given: Arguments) -> Told:
    return await find_files(session, session.path(given.get("path") or "."), given["pattern"], anywhere=True)


async def _grep(session: Session, given: Arguments) -> Told:
    path = session.path(given.get("path") or ".")
    globs = [given["glob"]] if given.get("glob") else []
    globs = globs or list(TYPES.get(given.get("type", ""), ()))
    head = given.get("head_limit")
    facts = {
        "mode": given.get("output_mode", "files_with_matches"),
        "prefix": _prefix(session, path),
        "numbers": given.get("-n", True),
        "head": whole(head, 1) if head else None,
        "skip": whole(given.get("offset", 0)),
    }
    options = [f"{name}{whole(given[name])}" for name in ("-A", "-B", "-C") if name in given]
    options = options if facts["mode"] == "content" else []
    options += ["-i"] if given.get("-i") else []
    return await search_lines(session, path, given["pattern"], globs=globs, options=options, facts=facts)


async def _todo_write(session: Session, given: Arguments) -> Told:
    session.todos = list(given["todos"])
    return {"op": "todo", "todos": session.todos}, DONE


def _wanted(given: Arguments) -> Edit:
    return Edit(given["old_string"], given["new_string"], given.get("replace_all", False))


def _prefix(session: Session, path: str) -> str:
    """Return what stands before a path that was found in `path`, so that it is right from the working directory."""
    below = path == session.cwd or path.startswith(session.cwd.rstrip("/") + "/")
    shown = posixpath.relpath(path, session.cwd) if below else path
    return "" if shown == "." else f"{shown.rstrip('/')}/"


TOOLS: Mapping[str, Done] = {
    "Read": _read,
    "Edit": _edit,
    "MultiEdit": _multi_edit,
    "Write": _write,
    "Bash": _bash,
    "Glob": _glob,
    "Grep": _grep,
    "TodoWrite": _todo_write,
}
"""Tool to what carries it out; its arguments fit its schema."""

__all__ = ["TOOLS"]
