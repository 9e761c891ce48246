"""From what people write to an action of the terminal."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import orjson

from worldtape.errors import ConfigError
from worldtape.schemas import Action
from worldtape.schemas.settings import checked

Step = str | Sequence[Any] | Mapping[str, Any]
"""Keys and Enter; a recipe array; one element of it; or the fields of an `Action`."""


def to_action(step: Step | Action) -> Action | None:
    """Return the action that `step` stands for, None for the empty array that ends a session.

    A plain string is typed and followed by Enter, unless it is a recipe array written as text.

    Raises:
        ConfigError: it is nothing of that kind.
    """
    from worldtape.collectors.terminal.actions import keystrokes

    if isinstance(step, Action):
        return step
    if isinstance(step, str) and not step.lstrip().startswith("["):
        return keystrokes([{"keystrokes": step + "\n"}])
    if isinstance(step, Mapping):
        if "kind" in step:
            return checked(Action, dict(step), where="policy script")
        return keystrokes([dict(step)])
    if isinstance(step, str):
        return keystrokes(step if _is_array(step) else [{"keystrokes": step + "\n"}])
    if isinstance(step, Sequence):
        return keystrokes(list(step))
    raise ConfigError(f"{step!r:.60} is no action", fix='write a string, or [{"keystrokes": "ls\\n"}]')


def _is_array(text: str) -> bool:
    try:
        return isinstance(orjson.loads(text), list)
    except orjson.JSONDecodeError:
        return False
