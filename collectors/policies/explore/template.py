"""What stands in the tables of actions."""

from __future__ import annotations

from typing import Any

from pydantic import BaseModel, ConfigDict, Field, model_validator

from worldtape.collectors.policies.explore.mode import Mode


class Step(BaseModel):
    """One action of an episode; `@name@` is filled in."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    do: str | None = None
    """Typed and followed by Enter."""
    keys: str | None = None
    """Typed as it is."""
    press: str | None = None
    """One key by name."""
    array: tuple[dict[str, Any], ...] | None = None
    """A recipe array."""
    wait: float | None = None
    """Look after this many seconds, settled or not."""
    then: Mode | str = Mode.SHELL
    """The mode it should lead to; `any` where several are right."""
    fails: bool = False
    makes: dict[str, str] = Field(default_factory=dict)
    """Path to kind: what is there if it worked."""
    drops: tuple[str, ...] = ()
    sets: tuple[str, ...] = ()
    cd: str | None = None

    @model_validator(mode="before")
    @classmethod
    def _short(cls, value: Any) -> Any:
        return {"do": value} if isinstance(value, str) else value

    def texts(self) -> list[str]:
        """Return every text in which placeholders can stand."""
        found = [self.do, self.keys, self.cd, *self.makes, *self.drops]
        found += [str(item["keystrokes"]) for item in self.array or ()]
        return [text for text in found if text is not None]


class Episode(BaseModel):
    """Steps that belong together; placeholders keep their values throughout."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    id: str = ""
    weight: float = 1.0
    needs: tuple[str, ...] = ()
    """Flags of the world, or `tool NAME`."""
    unless: tuple[str, ...] = ()
    fails: bool = False
    steps: tuple[Step, ...]

    @model_validator(mode="before")
    @classmethod
    def _short(cls, value: Any) -> Any:
        """Read a string as one step, and a mapping with a step's keys as that step."""
        if isinstance(value, str):
            return {"steps": [value]}
        if "steps" in value:
            return value
        own = {key: item for key, item in value.items() if key in cls.model_fields}
        return own | {"steps": [{key: item for key, item in value.items() if key not in own or key == "fails"}]}


class Family(BaseModel):
    """Episodes of one kind."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    family: str
    weight: float
    needs: tuple[str, ...] = ()
    fails: bool = False
    episodes: tuple[Episode, ...]
