"""What is to be done, in the words of the tools that are offered."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

from worldtape.collectors.policies.explore_repo.step import Step

_STATES = ("completed", "in_progress", "pending")


class Voice:
    """Words steps as calls; None where the family has no tool for it.

    Args:
        names: of the tools that are offered.
        root: folder of the repository.
    """

    def __init__(self, names: Iterable[str], root: str) -> None:
        self.names = frozenset(names)
        self.root = root
        self.claude = "Read" in self.names

    @property
    def speaks(self) -> bool:
        """Whether files can be read and commands run at all."""
        return {"Read", "Bash"} <= self.names or {"read_file", "run_shell_command"} <= self.names

    def read(self, path: str, first: int | None = None, count: int | None = None) -> Step:
        """Read a file, from line `first` (from 1)."""
        if self.claude:
            given = {"file_path": path, "offset": first, "limit": count}
            return _step("Read", given, "file", path)
        given = {"absolute_path": path, "offset": None if first is None else first - 1, "limit": count}
        if first is not None and count is None:
            given["limit"] = 2000
        return _step("read_file", given, "file", path)

    def write(self, path: str, content: str) -> Step:
        """Write a whole file."""
        return _step("Write" if self.claude else "write_file", {"file_path": path, "content": content}, "file", path)

    def edit(self, path: str, old: str, new: str, *, everywhere: bool | None = None) -> Step:
        """Replace a text in a file."""
        given = {"file_path": path, "old_string": old, "new_string": new, "replace_all": everywhere}
        return _step("Edit" if self.claude else "edit", given, "file", path)

    def edits(self, path: str, pairs: Sequence[tuple[str, str]]) -> Step | None:
        """Replace several texts at once."""
        given = {"file_path": path, "edits": [{"old_string": old, "new_string": new} for old, new in pairs]}
        return _step("MultiEdit", given, "file", path) if "MultiEdit" in self.names else None

    def folder(self, path: str) -> Step:
        """List a folder."""
        if "list_directory" in self.names:
            return _step("list_directory", {"path": path}, "directory", path)
        return self.run(f"ls -la {path}", "List a folder")

    def find(self, pattern: str, path: str | None = None) -> Step:
        """Find files by their names."""
        return _step("Glob" if self.claude else "glob", {"pattern": pattern, "path": path}, "pattern", pattern)

    def search(
        self, pattern: str, include: str | None = None, path: str | None = None, mode: str | None = None
    ) -> Step:
        """Search the lines of files; `mode` is a word of the Claude-like family only."""
        if not self.claude:
            given = {"pattern": pattern, "include": include, "path": path}
            return _step("search_file_content", given, "pattern", pattern)
        given = {"pattern": pattern, "glob": include, "path": path, "output_mode": mode}
        return _step("Grep", given, "pattern", pattern)

    def run(
        self, command: str, what: str | None = None, *, timeout_ms: int | None = None, background: bool | None = None
    ) -> Step:
        """Run a shell command."""
        given: dict[str, Any] = {"command": command, "description": what, "timeout": timeout_ms}
        given["run_in_background" if self.claude else "is_background"] = background
        return _step("Bash" if self.claude else "run_shell_command", given, "command", command)

    def todo(self, contents: Sequence[str], done: int) -> Step | None:
        """Write the list of what is to do, of which the first `done` are done."""
        name = "TodoWrite" if self.claude else "todo_write"
        states = [_STATES[min(2, max(0, place - done + 1))] for place in range(len(contents))]
        entries = [
            {
                "content": text,
                "status": state,
                **({"activeForm": f"Working on: {text}"} if self.claude else {"id": str(at)}),
            }
            for at, (text, state) in enumerate(zip(contents, states, strict=True), 1)
        ]
        return _step(name, {"todos": entries}, "list", "todos") if name in self.names else None


def _step(name: str, given: dict[str, Any], role: str, target: str) -> Step:
    return Step(name, {key: value for key, value in given.items() if value is not None}, role, target)
