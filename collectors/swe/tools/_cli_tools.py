"""The command-line family: what its tools are called and what they take."""

from __future__ import annotations

from worldtape.collectors.swe.tools._schema import flag, items, number, record, text, tool

_FILE = "Absolute path of the file."
_TODO = record(
    ("id", "content", "status"),
    id=text("What the entry is called by; no two are alike.", minLength=1),
    content=text("What is to be done.", minLength=1),
    status=text("How far it is.", enum=["pending", "in_progress", "completed"]),
)

SCHEMAS = {
    "read_file": record(
        ("absolute_path",),
        absolute_path=text(_FILE),
        offset=number("First line to show, from 0; needs limit.", minimum=0),
        limit=number("How many lines to show.", exclusiveMinimum=0),
    ),
    "write_file": record(
        ("file_path", "content"), file_path=text(_FILE), content=text("What the file shall hold, all of it.")
    ),
    "edit": record(
        ("file_path", "old_string", "new_string"),
        file_path=text(_FILE),
        old_string=text("The exact text to replace, with enough around it to be unique; empty: make a new file."),
        new_string=text("What stands there instead."),
        replace_all=flag("Replace every occurrence; otherwise there must be exactly one."),
    ),
    "list_directory": record(
        ("path",),
        path=text("Absolute path of the directory."),
        ignore=items("Names to leave out, as glob patterns.", text("A pattern.")),
    ),
    "glob": record(
        ("pattern",),
        pattern=text("Which paths, as a glob pattern: `src/**/*.py`, `*.{md,rst}`."),
        path=text("Directory to search in; without it, the repository."),
    ),
    "search_file_content": record(
        ("pattern",),
        pattern=text("Regular expression to look for in lines."),
        path=text("Directory or file to search in; without it, the repository."),
        include=text("Search only files that match this glob pattern: `*.py`."),
    ),
    "run_shell_command": record(
        ("command",),
        command=text("Command line for bash.", minLength=1),
        is_background=flag("Let it run on in the background, and answer at once."),
        timeout=number("Milliseconds after which it is ended, at most 600000.", exclusiveMinimum=0, maximum=600_000),
        description=text("What it is for, in a few words."),
        directory=text("Absolute path of the directory to run it in; without it, the repository."),
    ),
    "todo_write": record(("todos",), todos=items("The whole list, as it shall be.", _TODO)),
}
"""Tool to the JSON schema of its arguments."""
_TOLD = {
    "read_file": "Read a text file. Long files are shown in part; the answer says which lines, offset and limit get "
    "the others.",
    "write_file": "Write a file, new or over the old one. Missing directories are made.",
    "edit": "Replace text in a file. The text must match exactly, white space included.",
    "list_directory": "List the files and directories directly in a directory.",
    "glob": "Find files by a pattern of their paths, newest first.",
    "search_file_content": "Search the lines of files for a regular expression.",
    "run_shell_command": "Run a command with `bash -c`. The answer tells the command, directory, output, error, exit "
    "code, signal and what still runs in the background.",
    "todo_write": "Keep a list of what is to be done, for tasks of several steps.",
}
TOOLS = tuple(tool(name, _TOLD[name], schema) for name, schema in SCHEMAS.items())
"""As they are declared."""

__all__ = ["SCHEMAS", "TOOLS"]
