"""How the Claude-Code-like family words its errors."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from worldtape.collectors.swe.render.fold import Layout

_REFUSED = {
    "invalid_arguments": "InputValidationError: {message}",
    "unknown_tool": "Error: No such tool available: {name}",
    "file_not_found": "File does not exist.",
    "directory_not_found": "Directory does not exist: {path}",
    "not_a_directory": "Path is not a directory: {path}",
    "relative_path": "Path must be absolute: {path}",
    "binary_file": "This tool cannot read binary files. The file appears to be a binary {suffix} file. Please use "
    "appropriate tools for binary file analysis.",
    "file_exists": "Cannot create new file - file already exists.",
    "not_read": "File has not been read yet. Read it first before writing to it.",
    "modified": "File has been modified since read, either by the user or by a linter. Read it again before attempting "
    "to write it.",
    "no_occurrence": "String to replace not found in file.\nString: {old}",
    "many_occurrences": "Found {count} matches of the string to replace, but replace_all is false. To replace all "
    "occurrences, set replace_all to true. To replace only one occurrence, please provide more context to uniquely "
    "identify the instance.\nString: {old}",
    "same_strings": "No changes to make: old_string and new_string are exactly the same.",
    "no_change": "No changes to make: old_string and new_string are exactly the same.",
    "invalid_pattern": "Error: regex parse error: {message}",
}
"""Said before anything is done, in tags."""
_THROWN = {
    "is_directory": "EISDIR: illegal operation on a directory, {verb}",
    "too_large": "File content ({shown}) exceeds maximum allowed size ({limit}). Please use offset and limit "
    "parameters to read specific portions of the file, or search for specific content instead of reading the whole "
    "file.",
    "permission_denied": "EACCES: permission denied, open '{path}'",
}


def refused(text: str) -> str:
    """Return an error in the tags in which a tool's refusal stands."""
    return f"<tool_use_error>{text}</tool_use_error>"


def _in_tags(text: str) -> Layout:
    def layout(answer: dict[str, Any]) -> str:
        return refused(text.format_map(answer))

    return layout


def _bare(text: str) -> Layout:
    def layout(answer: dict[str, Any]) -> str:
        return text.format_map(answer)

    return layout


FAULTS: Mapping[str, Layout] = {
    **{kind: _in_tags(text) for kind, text in _REFUSED.items()},
    **{kind: _bare(text) for kind, text in _THROWN.items()},
}
"""Type of error to its layout."""

__all__ = ["FAULTS", "refused"]
