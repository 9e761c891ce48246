"""The seam between bytes and the text of an observation."""

from typing import Protocol

from worldtape.schemas.rendering import Rendering


class Renderer(Protocol):
    """A pure fold over the bytes of a tape: the same bytes and parameters always give the same text.

    The environment feeds one while it records; a projection feeds another from the tape and must get the same text.
    """

    rendering: Rendering

    def feed(self, channel: str, data: bytes) -> None:
        """Take the next bytes of `channel`, split anywhere; channels it does not know are ignored."""
        ...

    def render(self) -> str:
        """Return the observation as of now."""
        ...
