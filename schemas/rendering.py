"""Which renderer made the text of an observation."""

from typing import Any

from pydantic import Field

from worldtape.schemas._model import Model


class Rendering(Model):
    """Name, version and parameters: enough to render the same bytes again."""

    name: str
    version: str
    parameters: dict[str, Any] = Field(default_factory=dict)
