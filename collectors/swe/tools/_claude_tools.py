"""The Claude-Code-like family: what its tools are called and what they take."""

from __future__ import annotations

from worldtape.collectors.swe.tools._schema import flag, items, number, record, text, tool

TYPES = {
    "c": ("*.c", "*.h"),
    "cpp": ("*.cc", "*.cpp", "*.cxx", "*.h", "*.hh", "*.hpp"),
    "css": ("*.css",),
    "go": ("*.go",),
    "html": ("*.html", "*.htm"),
    "java": ("*.java",),
    "js": ("*.js", "*.jsx", "*.cjs", "*.mjs"),
    "json": ("*.json",),
    "md": ("*.md", "*.markdown"),
    "py": ("*.py", "*.pyi"),
    "rst": ("*.rst",),
    "rust": ("*.rs",),
    "sh": ("*.sh", "*.bash"),
    "toml": ("*.toml",),
    "ts": ("*.ts", "*.tsx", "*.cts", "*.mts"),
    "yaml": ("*.yaml", "*.yml"),
}
"""What `type` of a search stands for."""
_FILE = "Absolute path of the file."
_OLD = text("The exact text to replace; empty: make a new file.")
_NEW = text("What stands there instead; not the same.")
_ALL = flag("Replace every occurrence; otherwise there must be exactly one.")
_EDIT = record(("old_string", "new_string"), old_string=_OLD, new_string=_NEW, replace_all=_ALL)
_TODO = record(
    ("content", "status", "activeForm"),
    content=text("What is to be done.", minLength=1),
    status=text("How far it is.", enum=["pending", "in_progress", "completed"]),
    activeForm=text("The same as something that is going on.", minLength=1),
)
_AROUND = "Lines to show {} each match; for output_mode content."

SCHEMAS = {
    "Read": record(
        ("file_path",),
        file_path=text(_FILE),
        offset=number("First line to show, from 1.", minimum=0),
        limit=number("How many lines to show.", exclusiveMinimum=0),
    ),
    "Edit": record(
        ("file_path", "old_string", "new_string"),
        file_path=text(_FILE),
        old_string=_OLD,
        new_string=_NEW,
        replace_all=_ALL,
    ),
    "MultiEdit": record(
        ("file_path", "edits"),
        file_path=text(_FILE),
        edits=items("Edits, one after the other; all or none are made.", _EDIT, minItems=1),
    ),
    "Write": record(
        ("file_path", "content"), file_path=text(_FILE), content=text("What the file shall hold, all of it.")
    ),
    "Bash": record(
        ("command",),
        command=text("Command line for bash.", minLength=1),
        timeout=number("Milliseconds after which it is ended, at most 600000.", exclusiveMinimum=0, maximum=600_000),
        description=text("What it does, in five to ten words."),
        run_in_background=flag("Let it run on, its output going to a file, and answer at once."),
    ),
    "Glob": record(
        ("pattern",),
        pattern=text("Which paths, as a glob pattern: `**/*.py`."),
        path=text("Directory to search in; without it, the current one."),
    ),
    "Grep": record(
        ("pattern",),
        pattern=text("Regular expression to look for in lines."),
        path=text("Directory or file to search in; without it, the current directory."),
        glob=text("Search only files that match this glob pattern: `*.{ts,tsx}`."),
        type=text("Search only files of this kind.", enum=sorted(TYPES)),
        output_mode=text("Show matching lines, paths, or counts.", enum=["content", "files_with_matches", "count"]),
        head_limit=number("Show only the first so many lines or entries.", minimum=0),
        offset=number("Leave out the first so many lines or entries.", minimum=0),
        **{
            "-A": number(_AROUND.format("after"), minimum=0),
            "-B": number(_AROUND.format("before"), minimum=0),
            "-C": number(_AROUND.format("around"), minimum=0),
            "-i": flag("Upper and lower case are alike."),
            "-n": flag("Show line numbers; for output_mode content. They are shown unless this is false."),
        },
    ),
    "TodoWrite": record(("todos",), todos=items("The whole list, as it shall be.", _TODO)),
}
"""Tool to the JSON schema of its arguments."""
_TOLD = {
    "Read": "Read a text file, its lines numbered. The first 2000 lines are shown; offset and limit get the others.",
    "Edit": "Replace text in a file that was read before. The text must match exactly, white space included.",
    "MultiEdit": "Make several edits in one file that was read before.",
    "Write": "Write a file; one that is there must have been read before.",
    "Bash": "Run a command with bash. The working directory is kept from call to call, variables are not.",
    "Glob": "Find files by a pattern of their paths, newest first.",
    "Grep": "Search the lines of files for a regular expression.",
    "TodoWrite": "Keep a list of what is to be done, for tasks of several steps.",
}
TOOLS = tuple(tool(name, _TOLD[name], schema) for name, schema in SCHEMAS.items())
"""As they are declared."""

__all__ = ["SCHEMAS", "TOOLS", "TYPES"]
