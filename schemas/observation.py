"""What the environment said."""

from pydantic import Field

from worldtape.schemas._model import Model
from worldtape.schemas.part import Part
from worldtape.schemas.rendering import Rendering
from worldtape.schemas.settled_by import SettledBy


class Observation(Model):
    """The text to be predicted, and what it was rendered from."""

    text: str
    shown: str | None = None
    """What the policy saw, where it differs from `text`."""
    renderer: Rendering
    parts: tuple[Part, ...] = ()
    settled_by: SettledBy | None = None
    received: dict[str, int] = Field(default_factory=dict)
    """Bytes received per channel when it was taken: a projection renders exactly this prefix of the tape."""
