"""The actions of a device: JSON with an `action_type`, aimed by index, coordinates or selector."""

from __future__ import annotations

import json
from collections.abc import Mapping
from functools import cache
from typing import Any, Literal, Self

from pydantic import BaseModel, ConfigDict, Field, ValidationError, model_validator

from worldtape.errors import InputError
from worldtape.schemas import Action, Target, Tool, canonical_json

KIND = "ui_action"
Direction = Literal["up", "down", "left", "right"]


class Move(BaseModel):
    """One action, read."""

    model_config = ConfigDict(frozen=True, extra="forbid", use_attribute_docstrings=True)


class Aimed(Move):
    """An action on something that shows."""

    index: int | None = Field(default=None, ge=0)
    """Of the element, as the newest observation counts them."""
    x: float | None = None
    """In pixels of the screen, from the left."""
    y: float | None = None
    """From the top."""
    selector: str | None = None
    """`text=…`, `desc=…`, `id=…`, `class=…` (the first element that has it), or `xpath=…` as the driver takes it."""

    @model_validator(mode="after")
    def _one_aim(self) -> Self:
        if (self.x is None) != (self.y is None):
            raise ValueError("x and y go together")
        if self.aims > 1:
            raise ValueError("index, coordinates and selector exclude each other")
        return self

    @property
    def aims(self) -> int:
        """In how many ways it is aimed: none or one."""
        return 3 - [self.index, self.x, self.selector].count(None)


class _MustAim(Aimed):
    @model_validator(mode="after")
    def _aimed(self) -> Self:
        if not self.aims:
            raise ValueError("index, x and y, or selector is missing")
        return self


class Click(_MustAim):
    """Tap an element or a point."""


class LongPress(_MustAim):
    """Press an element or a point and hold it."""

    duration_ms: int = Field(default=1_000, ge=500, le=10_000)
    """How long it is held."""


class InputText(Aimed):
    """Type into a field, or into the one that has the focus."""

    text: str
    """What is typed, behind what stands there."""
    clear_text: bool = False
    """Empty the field first."""


class Scroll(Aimed):
    """Show more of the screen, or of an element that scrolls."""

    direction: Direction
    """Where to look: `down` shows what is below."""


class Swipe(Move):
    """Move a finger over the screen."""

    direction: Direction | None = None
    """Where the finger goes, over the middle of the screen."""
    start: tuple[float, float] | None = None
    """Or where it begins, in pixels: `[x, y]`,"""
    end: tuple[float, float] | None = None
    """and where it ends."""
    duration_ms: int = Field(default=300, ge=50, le=10_000)
    """How long it takes."""

    @model_validator(mode="after")
    def _one_way(self) -> Self:
        if (self.start is None) != (self.end is None) or (self.direction is None) == (self.start is None):
            raise ValueError("give either direction, or start and end")
        return self


class OpenApp(Move):
    """Bring an app to the front."""

    app_name: str
    """As the device knows it."""


class Back(Move):
    """Press the back button."""


class Home(Move):
    """Press the home button."""


class Enter(Move):
    """Press Enter."""


class Wait(Move):
    """Do nothing until the screen rests."""

    seconds: float = Field(default=1.0, ge=0, le=60)
    """At least so long."""


MOVES: dict[str, type[Move]] = {
    "back": Back,
    "click": Click,
    "enter": Enter,
    "home": Home,
    "input_text": InputText,
    "long_press": LongPress,
    "open_app": OpenApp,
    "scroll": Scroll,
    "swipe": Swipe,
    "wait": Wait,
}
_ALIKE = {"keyboard_enter": "enter", "navigate_back": "back", "navigate_home": "home"}
"""AndroidWorld's words for the same."""
_LAST = "status"
"""AndroidWorld's word for having done the task."""
_EXAMPLE = 'write {"action_type": "click", "index": 3}'


def read_move(given: str | Mapping[str, Any]) -> tuple[str, Move]:
    """Return the name and the settings of an action.

    Raises:
        InputError: it is none.
    """
    found = _mapping(given)
    name = found.pop("action_type", None)
    name = _ALIKE.get(str(name), name)
    if name not in MOVES:
        raise InputError(f"{name!r:.60} is no action", fix=f"known: {', '.join(MOVES)}")
    try:
        return str(name), MOVES[name].model_validate(found)
    except ValidationError as error:
        fault = error.errors(include_url=False)[0]
        place = ".".join(str(part) for part in fault["loc"])
        said = fault["msg"].removeprefix("Value error, ")
        raise InputError(f"{name}: {place + ': ' if place else ''}{said[:1].lower()}{said[1:]}") from error


def _mapping(given: str | Mapping[str, Any]) -> dict[str, Any]:
    if isinstance(given, Mapping):
        return dict(given)
    try:
        found = json.loads(given)
    except (ValueError, RecursionError) as error:
        raise InputError(f"{given!r:.60} is no JSON", fix=_EXAMPLE) from error
    if not isinstance(found, dict):
        raise InputError(f"{given!r:.60} is no JSON object", fix=_EXAMPLE)
    return found


def ends(given: Any) -> bool:
    """Say whether an action is the word that the task is done."""
    try:
        return isinstance(given, (str, Mapping)) and _mapping(given).get("action_type") == _LAST
    except InputError:
        return False


def ui_action(given: str | Mapping[str, Any], *, target: Target | None = None) -> Action:
    """Return the action that `given` asks for; what cannot be read becomes one that a device rejects.

    Args:
        given: a mapping with `action_type`, or its JSON.
        target: the element it is aimed at.
    """
    raw = given if isinstance(given, str) else None
    try:
        name, move = read_move(given)
    except InputError:
        return Action(kind=KIND, text=raw if raw is not None else canonical_json(given))
    arguments = move.model_dump(mode="json", exclude_unset=True)
    text = canonical_json({"action_type": name} | arguments)
    return Action(
        kind=KIND,
        text=text,
        raw=raw if raw != text else None,
        name=name,
        arguments=canonical_json(arguments),
        wait_s=move.seconds if isinstance(move, Wait) else None,
        target=target,
    )


@cache
def tools() -> tuple[Tool, ...]:
    """Return the actions as tools with schemas, for headers and prompts."""
    found = []
    for name, model in MOVES.items():
        schema = model.model_json_schema()
        schema.pop("description", None)
        schema.pop("title", None)
        found.append(Tool(name=name, description=model.__doc__, input_schema=canonical_json(schema)))
    return tuple(found)


__all__ = ["KIND", "MOVES", "Aimed", "Move", "ends", "read_move", "tools", "ui_action"]
