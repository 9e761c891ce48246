"""The command-line family: from its arguments to what is done."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping
from typing import Any

from worldtape.collectors.swe.tools.editing import edit_file
from worldtape.collectors.swe.tools.files import read_file, write_file
from worldtape.collectors.swe.tools.finding import directory, find_files, list_directory, search_lines
from worldtape.collectors.swe.tools.replace import Edit
from worldtape.collectors.swe.tools.session import DONE, Session, Told, refused, whole
from worldtape.collectors.swe.tools.shell import run_command, start_command

Arguments = Mapping[str, Any]
Done = Callable[[Session, Arguments], Awaitable[Told]]


async def _read_file(session: Session, given: Arguments) -> Told:
    path = given["absolute_path"]
    limit = given.get("limit")
    rows = None if limit is None else whole(limit, 1)
    first = whole(given.get("offset", 0))
    return _misplaced(session, path) or await read_file(session, session.path(path), first, rows)


async def _write_file(session: Session, given: Arguments) -> Told:
    path = given["file_path"]
    return _misplaced(session, path) or await write_file(session, session.path(path), given["content"])


async def _edit(session: Session, given: Arguments) -> Told:
    path = given["file_path"]
    edit = Edit(given["old_string"], given["new_string"], given.get("replace_all", False))
    return _misplaced(session, path) or await edit_file(session, session.path(path), [edit])


async def _list_directory(session: Session, given: Arguments) -> Told:
    path = given["path"]
    wrong = _misplaced(session, path)
    return wrong or await list_directory(session, session.path(path), given.get("ignore", ()))


async def _glob(session: Session, given: Arguments) -> Told:
    path = session.path(given.get("path") or session.root)
    if not session.inside(path):
        return _outside(session, path)
    return await find_files(session, path, given["pattern"], anywhere=False)


async def _search(session: Session, given: Arguments) -> Told:
    path = session.path(given.get("path") or session.root)
    if not session.inside(path):
        return _outside(session, path)
    include = given.get("include")
    facts = {"where": given.get("path"), "include": include}
    globs = (include,) if include else ()
    return await search_lines(session, path, given["pattern"], globs=globs, options=("-i",), facts=facts)


async def _shell(session: Session, given: Arguments) -> Told:
    asked = given.get("directory")
    where = session.path(asked or session.root)
    wrong = _misplaced(session, asked) if asked else None
    wrong = wrong or await directory(session, where)
    if wrong is not None:
        return wrong
    if given.get("is_background"):
        facts, outcome = await start_command(session, given["command"], where)
    else:
        timeout = given.get("timeout")
        limit = None if timeout is None else timeout / 1000
        facts, outcome = await run_command(session, given["command"], where, timeout_s=limit, merged=True)
    return facts | {"directory": asked}, outcome


async def _todo_write(session: Session, given: Arguments) -> Told:
    session.todos = list(given["todos"])
    return {"op": "todo", "todos": session.todos}, DONE


def _misplaced(session: Session, path: str) -> Told | None:
    """Return the refusal of a path that is relative or leads out of the repository."""
    if not path.startswith("/"):
        return refused("relative_path", path=path)
    return None if session.inside(session.path(path)) else _outside(session, path)


def _outside(session: Session, path: str) -> Told:
    return refused("outside", path=path, root=session.root)


TOOLS: Mapping[str, Done] = {
    "read_file": _read_file,
    "write_file": _write_file,
    "edit": _edit,
    "list_directory": _list_directory,
    "glob": _glob,
    "search_file_content": _search,
    "run_shell_command": _shell,
    "todo_write": _todo_write,
}
"""Tool to what carries it out; its arguments fit its schema."""

__all__ = ["TOOLS", "Arguments", "Done"]
