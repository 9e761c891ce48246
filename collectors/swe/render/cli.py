"""Answers of the command-line family of tools: `read_file`, `edit`, `run_shell_command` and their like."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from worldtape.collectors.swe.render.cli_faults import FAILED, FAULTS
from worldtape.collectors.swe.render.fold import FILE, STDOUT, Fold, Layout, cut_line, fitting, plural
from worldtape.collectors.swe.render.hits import hits
from worldtape.collectors.swe.render.output import is_binary, shorten
from worldtape.collectors.swe.render.text import decode
from worldtape.collectors.swe.render.todos import as_json
from worldtape.schemas import Rendering

_BINARY = "[Command produced binary output, which is not shown.]"


class CliResult(Fold):
    """Renderer `swe.cli`, version 1: the newest answer, as command-line agents of the Gemini line word it.

    Args:
        lines: so many lines of a file are shown at once.
        page_chars: so many characters of a file, a list of files or of matches are shown, in whole lines.
        output_chars: so many of what a command wrote.
        files: so many files of a `glob`.
    """

    def __init__(
        self, *, lines: int = 2000, page_chars: int = 50_000, output_chars: int = 30_000, files: int = 100
    ) -> None:
        super().__init__()
        given = {"lines": lines, "page_chars": page_chars, "output_chars": output_chars, "files": files}
        self.rendering = Rendering(name="swe.cli", version="1", parameters=given)
        self._lines, self._page, self._output, self._files = lines, page_chars, output_chars, files

    def layouts(self) -> Mapping[str, Layout]:
        """See `Fold`."""
        return {
            "read": self._read_file,
            "write": _written,
            "edit": self._edited,
            "list": _listing,
            "glob": self._found,
            "grep": self._matches,
            "shell": self._ran,
            "todo": _todos,
        }

    def faults(self) -> Mapping[str, Layout]:
        """See `Fold`."""
        return FAULTS

    def failed(self, answer: dict[str, Any]) -> str:
        """See `Fold`."""
        return FAILED.format(message=answer.get("message") or answer.get("error") or "unknown")

    def _read_file(self, answer: dict[str, Any]) -> str:
        held = decode(self.bytes_of(FILE))
        lines = [] if held is None else held.text.split("\n")
        start = min(answer["offset"], len(lines))
        most = self._lines if answer["limit"] is None else answer["limit"]
        shown = [cut_line(line) for line in lines[start : start + most]]
        shown = shown[: fitting(shown, self._page)]
        text = "\n".join(shown)
        if start == 0 and len(shown) == len(lines) and all(map(str.__eq__, shown, lines)):
            return text
        head = f"Showing lines {min(start + 1, len(lines))}-{start + len(shown)} of {len(lines)} total lines."
        return f"{head}\n\n---\n\n{text}"

    def _edited(self, answer: dict[str, Any]) -> str:
        if answer["created"]:
            return f"Created new file: {answer['path']} with provided content."
        held = decode(self.bytes_of(FILE))
        where = f"Showing lines {answer['first']}-{answer['last']} of {answer['total']} from the edited file:"
        text = "" if held is None else held.text
        return f"The file: {answer['path']} has been updated. {where}\n\n---\n\n{text}"

    def _found(self, answer: dict[str, Any]) -> str:
        files, ignored = answer["files"], answer["ignored"]
        left = f" ({ignored} files were git-ignored)" if ignored else ""
        if not files:
            return f'No files found matching pattern "{answer["pattern"]}" within {answer["path"]}{left}'
        more = f" ({ignored} additional files were git-ignored)" if ignored else ""
        head = f'Found {len(files)} file(s) matching "{answer["pattern"]}" within {answer["path"]}{more}'
        rest = len(files) - self._files
        tail = [f"---\n[{plural(rest, 'file')} truncated] ..."] if rest > 0 else []
        return "\n".join([f"{head}, sorted by modification time (newest first):", *files[: self._files], *tail])

    def _matches(self, answer: dict[str, Any]) -> str:
        found = [hit for hit in hits(self.bytes_of(STDOUT)) if hit is not None]
        where = f'in path "{answer["where"]}"' if answer["where"] else "in the workspace directory"
        where += f' (filter: "{answer["include"]}")' if answer["include"] else ""
        if not found:
            return f'No matches found for pattern "{answer["pattern"]}" {where}.'
        lines: list[str] = []
        ends: list[int] = []
        path = None
        for hit in found:
            if hit.path != path:
                lines += ["---", f"File: {hit.path}"]
                path = hit.path
            lines.append(f"L{hit.number}: {cut_line(hit.text.strip())}")
            ends.append(len(lines))
        kept = fitting(lines, self._page)
        left = sum(end > kept for end in ends)
        tail = [f"[{plural(left, 'match')} truncated] ..."] if left else []
        head = f'Found {plural(len(found), "match")} for pattern "{answer["pattern"]}" {where}:'
        return "\n".join([head, *lines[:kept], "---", *tail])

    def _ran(self, answer: dict[str, Any]) -> str:
        said = _BINARY if is_binary(self.bytes_of(STDOUT)) else shorten(self.text_of(STDOUT), self._output)
        said = said.rstrip("\n")
        if answer["timed_out"]:
            head = f"Command timed out after {answer['timeout_ms']}ms before it could complete."
            tail = (
                f"Below is the output before it timed out:\n{said}"
                if said
                else "There was no output before it timed out."
            )
            return f"{head} {tail}"
        if answer["log"]:
            said = f"Output is being written to: {answer['log']}"
        lines = {
            "Command": answer["command"],
            "Directory": answer["directory"] or "(root)",
            "Output": said or "(empty)",
            "Error": answer["failure"] or "(none)",
            "Exit Code": _known(answer["exit_code"]),
            "Signal": _known(answer["signal"]),
            "Background PIDs": ", ".join(map(str, answer["background"])) or "(none)",
        }
        return "\n".join(f"{name}: {value}" for name, value in lines.items())


def _known(value: int | None) -> str:
    return "(none)" if value is None else str(value)


def _written(answer: dict[str, Any]) -> str:
    if answer["created"]:
        return f"Successfully created and wrote to new file: {answer['path']}."
    return f"Successfully overwrote file: {answer['path']}."


def _listing(answer: dict[str, Any]) -> str:
    names = [f"[DIR] {name}" if kind == "dir" else name for name, kind in answer["entries"]]
    left = f"({answer['ignored']} git-ignored)" if answer["ignored"] else ""
    if not names:
        return f"Directory {answer['path']} is empty." + (f" {left}" if left else "")
    text = "\n".join([f"Directory listing for {answer['path']}:", *names])
    return f"{text}\n\n{left}" if left else text


def _todos(answer: dict[str, Any]) -> str:
    if not answer["todos"]:
        return "Todo list has been cleared successfully."
    return (
        "Todos have been modified successfully. Ensure that you continue to use the todo list to track your progress. "
        "Please proceed with the current tasks if applicable\n\n<system-reminder>\nYour todo list has changed. DO NOT "
        "mention this explicitly to the user. Here are the latest contents of your todo list:\n\n"
        f"{as_json(answer['todos'])}. Continue on with the tasks at hand if applicable.\n</system-reminder>"
    )


__all__ = ["CliResult"]
