"""What was done to the environment."""

from worldtape.schemas._model import Model
from worldtape.schemas.batch import Batch
from worldtape.schemas.target import Target


class Action(Model):
    """One action, as it was meant and as the model is shown it."""

    kind: str
    """`keystrokes`, `tool_call`, `browser_call`, `ui_action`, `python`, `message`, …"""
    text: str
    """What the model is shown."""
    raw: str | None = None
    """The action verbatim, where it differs from `text`; never the policy's reasoning."""
    name: str | None = None
    """The tool or function called."""
    arguments: str | None = None
    """Its arguments as canonical JSON."""
    actor: str = "agent"
    """`agent`, `human`, `harness` or `replay`."""
    wait_s: float | None = None
    """How long the whole action asks to wait before the observation, seconds."""
    timeout_s: float | None = None
    target: Target | None = None
    batch: Batch | None = None
