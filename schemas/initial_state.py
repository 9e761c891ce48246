"""What the environment was before the first action."""

from typing import Any

from worldtape.schemas._model import Model


class InitialState(Model):
    """The recipe's `initial_state`: a text for the prompt, and the probes."""

    text: str | None = None
    """OS, kernel, tools and versions, disk, working directory."""
    probes: dict[str, Any] | None = None
