"""Terminus-2: the words its harness puts around a terminal, and the commands in its replies."""

from __future__ import annotations

import json
import re
from dataclasses import dataclass
from typing import Any

from worldtape.collectors.importers._json import parse
from worldtape.collectors.importers._values import as_dict, as_float, as_list, as_str, too_deep
from worldtape.schemas import Action, Batch, canonical_json

RENDERINGS = {"New Terminal Output:": "terminus.incremental", "Current Terminal Screen:": "terminus.screen"}
"""Two renderers: what came since the last look, and the whole screen."""

_HEAD = re.compile(r"\A\s*(New Terminal Output:|Current Terminal Screen:)\n")
_WARNED = re.compile(r"\APrevious response had warnings:\n.*?\n\n(?=New Terminal|Current Terminal)", re.DOTALL)
_REFUSED = "Previous response had parsing errors:"
_STATE = "Current terminal state:\n"
_CONFIRM = re.compile(r"\n\nAre you sure you want to mark the task as complete\?[^\n]*\Z")
_TIMEOUT = re.compile(r"\APrevious command:\n.*?The previous command timed out after .*?terminal:\n\n", re.DOTALL)
_CUT = re.compile(r"\[\.\.\. output limited to (\d{1,18}) bytes; (\d{1,18}) interior bytes omitted \.\.\.\]")
_TASK = "\nTask Description:\n"
_THINK = re.compile(r"<think>(.*?)</think>\s*", re.DOTALL)
_KEYS = re.compile(r"<keystrokes([^>]*)>(.*?)</keystrokes>", re.DOTALL)
_DURATION = re.compile(r"""duration=["']?([0-9.]{1,12})""")
_DONE = re.compile(r"<task_complete>\s*true\s*</task_complete>", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class View:
    """What stands in one text of the harness."""

    observation: str | None
    """The terminal's own text; null: the harness speaks alone."""
    rendering: str | None = None
    omitted: int | None = None
    """Bytes cut from the middle."""
    timed_out: bool = False


@dataclass(frozen=True, slots=True)
class Reply:
    """What stands in one reply of the model."""

    calls: tuple[tuple[str, Any], ...]
    """Names and arguments, in order."""
    reasoning: str | None
    text: str


def view(text: str) -> View:
    """Take the harness's words off an observation."""
    if text.startswith(_REFUSED):
        return View(None)
    bare = _WARNED.sub("", text, count=1).removeprefix(_STATE)
    bare = _CONFIRM.sub("", bare)
    timed_out = _TIMEOUT.match(bare)
    bare = bare[timed_out.end() :] if timed_out else bare
    head = _HEAD.match(bare)
    bare = bare[head.end() :] if head else bare
    cut = _CUT.search(bare)
    rendering = RENDERINGS[head[1]] if head else None
    return View(bare, rendering, int(cut[2]) if cut else None, timed_out is not None)


def opening(text: str) -> tuple[str | None, str | None, str | None]:
    """Return instruction, first terminal text and its rendering from the first message; null where one is missing."""
    _, found, rest = text.rpartition(_TASK)
    if not found:
        return None, None, None
    instruction, state, screen = rest.partition("\n\n" + _STATE)
    shown = view(screen) if state else View(None)
    return instruction.strip("\n"), shown.observation, shown.rendering


def keys(arguments: Any, batch: Batch | None = None) -> Action | None:
    """Return the action of `{"keystrokes", "duration"}` in the form of our terminal; null: it is something else."""
    fields = as_dict(arguments)
    pressed = fields.get("keystrokes")
    if not isinstance(pressed, str):
        return None
    wait = as_float(fields.get("duration"))
    value = [{"keystrokes": pressed} | ({} if wait is None else {"duration": wait})]
    text = json.dumps(value, ensure_ascii=False)
    return Action(kind="keystrokes", text=text, arguments=canonical_json(value), wait_s=wait, batch=batch)


def reply_of(text: str) -> Reply | None:
    """Read a reply of the JSON or the XML kind; null where it has no commands and no end."""
    thoughts = "\n".join(part.strip() for part in _THINK.findall(text))
    bare = _THINK.sub("", text)
    calls = _json_calls(bare) or _xml_calls(bare)
    return Reply(tuple(calls), thoughts or None, bare) if calls is not None else None


def _json_calls(text: str) -> list[tuple[str, Any]] | None:
    start = text.find("{")
    try:
        _, end = json.JSONDecoder().raw_decode(text, start) if start >= 0 else (None, 0)
        value = parse(text[start:end].encode("utf-8", "surrogatepass"))
    except (ValueError, RecursionError):
        return None
    fields = as_dict(value)
    if not isinstance(fields.get("commands"), list) or too_deep(value):
        return None
    calls = [("bash_command", as_dict(item)) for item in as_list(fields["commands"]) if as_str(_pressed(item))]
    if fields.get("task_complete") is True:
        calls.append(("mark_task_complete", {}))
    return calls


def _pressed(item: Any) -> Any:
    return as_dict(item).get("keystrokes")


def _xml_calls(text: str) -> list[tuple[str, Any]] | None:
    if "<commands" not in text:
        return None
    calls: list[tuple[str, Any]] = []
    for attributes, pressed in _KEYS.findall(text):
        wait = _DURATION.search(attributes)
        seconds = _number(wait[1]) if wait else None
        calls.append(("bash_command", {"keystrokes": pressed} | ({} if seconds is None else {"duration": seconds})))
    if _DONE.search(text):
        calls.append(("mark_task_complete", {}))
    return calls


def _number(text: str) -> float | None:
    try:
        return float(text)
    except ValueError:
        return None
