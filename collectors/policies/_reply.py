"""What a model's reply holds: its reasoning, and an action somewhere in the rest."""

from __future__ import annotations

import json
import math
import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

_THINK = re.compile(r"<think(?:ing)?>(.*?)(?:</think(?:ing)?>|\Z)", re.DOTALL)
_HEADLESS = re.compile(r"\A(?!.*<think(?:ing)?>)(.*?)</think(?:ing)?>", re.DOTALL)
_FENCE = re.compile(r"```[a-zA-Z]*\s*\n(.*?)(?:```|\Z)", re.DOTALL)
MAX_WAIT_S = 600.0
"""A model that asks for a longer wait gets this one."""
_DECODER = json.JSONDecoder(strict=False)


@dataclass(frozen=True, slots=True)
class Reply:
    """One reply, taken apart."""

    text: str
    """What was said, without the reasoning."""
    reasoning: str | None
    keys: list[dict[str, Any]] | None
    """The action: a recipe array, empty for "done"; None where there is none."""


def read_reply(message: dict[str, Any]) -> Reply:
    """Take a chat message apart; `reasoning_content` and `<think>` are reasoning."""
    said = _joined(message.get("content"))
    thoughts = [_joined(message.get("reasoning_content") or message.get("reasoning"))]
    for pattern in (_HEADLESS, _THINK):
        thoughts += pattern.findall(said)
        said = pattern.sub("", said)
    reasoning = "\n".join(part.strip() for part in thoughts if part.strip())
    return Reply(said.strip(), reasoning or None, find_keys(said))


def find_keys(text: str) -> list[dict[str, Any]] | None:
    """Return the first array of keystrokes in `text`, fenced ones before others; `[]` only where no other stands.

    Raw line ends inside strings are forgiven, and so is a single element without its array.
    """
    places = [*_FENCE.findall(text), text]
    found = [value for place in places for value in _values(place) if _fits(value)]
    for value in found:
        if value:
            return [_stroke(item) for item in (value if isinstance(value, list) else [value])]
    return [] if found else None


def _stroke(item: dict[str, Any]) -> dict[str, Any]:
    """Keep what an element may hold; a wait that is none is left to the environment."""
    stroke: dict[str, Any] = {"keystrokes": item["keystrokes"]}
    wait = item.get("duration")
    if isinstance(wait, (int, float)) and not isinstance(wait, bool) and math.isfinite(wait) and wait >= 0:
        stroke["duration"] = min(wait, MAX_WAIT_S)
    return stroke


def _values(text: str) -> Iterator[Any]:
    """Yield every JSON array and object that starts somewhere in `text`, outer before inner."""
    for start in re.finditer(r"[\[{]", text):
        try:
            value, _ = _DECODER.raw_decode(text, start.start())
        except (ValueError, RecursionError):
            continue
        yield value


def _fits(value: Any) -> bool:
    if isinstance(value, dict):
        return isinstance(value.get("keystrokes"), str)
    return all(isinstance(item, dict) and isinstance(item.get("keystrokes"), str) for item in value)


def _joined(content: Any) -> str:
    """Return the text of a message's content, which is a string or a list of parts."""
    if isinstance(content, list):
        parts = (part.get("text") for part in content if isinstance(part, dict))
        return "".join(part for part in parts if isinstance(part, str))
    return content if isinstance(content, str) else ""
