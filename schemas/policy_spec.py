"""Who acted."""

from typing import Any

from pydantic import Field

from worldtape.schemas._model import Model


class PolicySpec(Model):
    """The policy that chose the actions."""

    kind: str
    """`script`, `explore`, `llm`, `human`, `replay`, `push` or `imported`."""
    model: str | None = None
    seed: int | None = None
    parameters: dict[str, Any] = Field(default_factory=dict)
