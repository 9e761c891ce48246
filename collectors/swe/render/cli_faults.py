"""How the command-line family words its errors."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from worldtape.collectors.swe.render.fold import Layout

FAILED = "Error: {message}"
_TEXTS = {
    "invalid_arguments": "{message}",
    "unknown_tool": 'Tool "{name}" not found in registry. Tools must use the exact names that are registered. '
    "Registered tools: {known}",
    "directory_not_found": "Error: Directory not found or inaccessible: {path}",
    "not_a_directory": "Error: Path is not a directory: {path}",
    "file_not_found": "File not found: {path}",
    "is_directory": "Path is a directory, not a file: {path}",
    "binary_file": "Cannot display content of binary file: {relative}",
    "too_large": "File size exceeds the {limit_mb}MB limit: {path} ({mb}MB)",
    "permission_denied": "Permission denied: {path}",
    "file_exists": "File already exists, cannot create: {path}",
    "no_occurrence": "Failed to edit, 0 occurrences found for old_string in {path}. No edits made. The exact text in "
    "old_string was not found. Ensure you're not escaping content incorrectly and check whitespace, indentation, and "
    "context. Use read_file tool to verify.",
    "many_occurrences": "Failed to edit. Found {count} occurrences for old_string in {path} but replace_all was not "
    "enabled.",
    "same_strings": "No changes to apply. The old_string and new_string are identical in file: {path}",
    "no_change": "No changes to apply. The new content is identical to the current content in file: {path}",
    "invalid_pattern": "Invalid regular expression pattern provided: {pattern}. Error: {message}",
}
_OF_TOOL = {
    ("directory_not_found", "glob"): "Search path does not exist {path}",
    ("directory_not_found", "search_file_content"): "Path does not exist: {path}",
    ("not_a_directory", "glob"): "Search path is not a directory: {path}",
    ("not_a_directory", "search_file_content"): "Path is not a directory: {path}",
    ("directory_not_found", "run_shell_command"): "Directory does not exist: {path}",
    ("not_a_directory", "run_shell_command"): "Directory is not a directory: {path}",
    (
        "relative_path",
        "read_file",
    ): "File path must be absolute, but was relative: {path}. You must provide an absolute path.",
    ("relative_path", "list_directory"): "Path must be absolute: {path}",
    ("relative_path", "run_shell_command"): "Directory must be an absolute path.",
    ("outside", "list_directory"): "Path must be within one of the workspace directories: {root}",
    ("outside", "glob"): 'Search path ("{path}") resolves outside the allowed workspace directories: {root}',
    ("outside", "search_file_content"): 'Path validation failed: Attempted path "{path}" resolves outside the allowed '
    "workspace directories: {root}",
    ("outside", "run_shell_command"): "Directory '{path}' is not within any of the registered workspace directories.",
    ("binary_file", "edit"): "Failed to read content of existing file: {path}",
}
_ANY = {
    "relative_path": "File path must be absolute: {path}",
    "outside": "File path must be within one of the workspace directories: {root}",
}


def _worded(kind: str) -> Layout:
    def layout(answer: dict[str, Any]) -> str:
        text = _OF_TOOL.get((kind, str(answer.get("tool")))) or _TEXTS.get(kind) or _ANY[kind]
        return text.format_map(answer)

    return layout


FAULTS: Mapping[str, Layout] = {kind: _worded(kind) for kind in (*_TEXTS, *_ANY)}
"""Type of error to its layout."""

__all__ = ["FAILED", "FAULTS"]
