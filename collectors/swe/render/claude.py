"""Answers of the Claude-Code-like family of tools: `Read`, `Edit`, `Bash` and their like."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from worldtape.collectors.swe.render.claude_faults import FAULTS, refused
from worldtape.collectors.swe.render.claude_grep import grep_text
from worldtape.collectors.swe.render.fold import FILE, STDERR, STDOUT, Fold, Layout, cut_line
from worldtape.collectors.swe.render.output import shorten, span
from worldtape.collectors.swe.render.text import decode
from worldtape.schemas import Rendering

_CUT_CHARS = 40
_TODOS = (
    "Todos have been modified successfully. Ensure that you continue to use the todo list to track your progress. "
    "Please proceed with the current tasks if applicable"
)


class ClaudeResult(Fold):
    """Renderer `swe.claude`, version 1: the newest answer, as Claude Code words it.

    Args:
        lines: so many lines of a file are shown at once.
        page_chars: so many characters of matches are shown, in whole lines.
        output_chars: so many of what a command wrote.
        files: so many files of a `Glob`.
    """

    def __init__(
        self, *, lines: int = 2000, page_chars: int = 50_000, output_chars: int = 30_000, files: int = 100
    ) -> None:
        super().__init__()
        given = {"lines": lines, "page_chars": page_chars, "output_chars": output_chars, "files": files}
        self.rendering = Rendering(name="swe.claude", version="1", parameters=given)
        self._lines, self._page, self._output, self._files = lines, page_chars, output_chars, files

    def layouts(self) -> Mapping[str, Layout]:
        """See `Fold`."""
        return {
            "read": self._read_file,
            "write": _written,
            "edit": self._edited,
            "edits": self._all_edited,
            "glob": self._found,
            "grep": self._matches,
            "shell": self._ran,
            "todo": lambda _: _TODOS,
        }

    def faults(self) -> Mapping[str, Layout]:
        """See `Fold`."""
        return FAULTS

    def failed(self, answer: dict[str, Any]) -> str:
        """See `Fold`."""
        return refused(str(answer.get("message") or answer.get("error")))

    def _read_file(self, answer: dict[str, Any]) -> str:
        held = decode(self.bytes_of(FILE))
        if held is None or not held.text:
            return _reminder("the file exists but the contents are empty.")
        lines = held.text.replace("\r\n", "\n").split("\n")
        start = answer["offset"]
        if start >= len(lines):
            what = f"the file exists but is shorter than the provided offset ({start + 1})."
            return _reminder(f"{what} The file has {len(lines)} lines.")
        most = self._lines if answer["limit"] is None else answer["limit"]
        return "\n".join(numbered(lines[start : start + most], start + 1))

    def _edited(self, answer: dict[str, Any]) -> str:
        path = answer["path"]
        if answer["created"]:
            return f"File created successfully at: {path}"
        if self.arguments.get("replace_all") is True:
            old, new = self.arguments.get("old_string"), self.arguments.get("new_string")
            return (
                f"The file {path} has been updated. All occurrences of '{old}' were successfully replaced with '{new}'."
            )
        held = decode(self.bytes_of(FILE))
        lines = [] if held is None else held.text.replace("\r\n", "\n").split("\n")
        head = (
            f"The file {path} has been updated. Here's the result of running `cat -n` on a snippet of the edited file:"
        )
        return "\n".join([head, *numbered(lines, answer["first"])])

    def _all_edited(self, answer: dict[str, Any]) -> str:
        edits = [edit for edit in self.arguments.get("edits", ()) if isinstance(edit, dict)]
        lines = [
            f'{number}. Replaced "{_brief(edit.get("old_string"))}" with "{_brief(edit.get("new_string"))}"'
            for number, edit in enumerate(edits, 1)
        ]
        return "\n".join([f"Applied {len(edits)} edit{'s' * (len(edits) != 1)} to {answer['path']}:", *lines])

    def _found(self, answer: dict[str, Any]) -> str:
        files = answer["files"]
        if not files:
            return "No files found"
        more = ["(Results are truncated. Consider using a more specific path or pattern.)"]
        return "\n".join(files[: self._files] + (more if len(files) > self._files else []))

    def _matches(self, answer: dict[str, Any]) -> str:
        return grep_text(answer, self.bytes_of(STDOUT), self._page)

    def _ran(self, answer: dict[str, Any]) -> str:
        said = [shorten(self.text_of(name), self._output).strip("\n") for name in (STDOUT, STDERR)]
        text = "\n".join(filter(None, said))
        if answer["log"]:
            return f"Command running in background with ID: {answer['id']}. Output is being written to: {answer['log']}"
        if answer["timed_out"]:
            return "\n".join(filter(None, [f"Command timed out after {span(answer['timeout_ms'] / 1000)}", text]))
        if answer["exit_code"] is None:
            how = answer["failure"] or f"Command was ended by signal {answer['signal']}"
            return "\n".join(filter(None, [how, text]))
        if answer["exit_code"]:
            return "\n".join(filter(None, [f"Exit code {answer['exit_code']}", text]))
        return text or "(Bash completed with no output)"


def numbered(lines: list[str], first: int) -> list[str]:
    """Return lines as `cat -n` shows them, with an arrow."""
    return [f"{number:6}→{cut_line(line)}" for number, line in enumerate(lines, first)]


def _reminder(what: str) -> str:
    return f"<system-reminder>Warning: {what}</system-reminder>"


def _written(answer: dict[str, Any]) -> str:
    if answer["created"]:
        return f"File created successfully at: {answer['path']}"
    return f"The file {answer['path']} has been updated successfully."


def _brief(text: object) -> str:
    said = str(text)
    return said if len(said) <= _CUT_CHARS + 10 else said[: _CUT_CHARS + 10] + "..."


__all__ = ["ClaudeResult", "numbered"]
