"""One channel of an observation."""

from worldtape.schemas._model import Model
from worldtape.schemas.truncation import Truncation


class Part(Model):
    """Raw material of an observation: text inline, or a blob by its digest."""

    channel: str
    """`pty`, `stdout`, `axtree`, `screenshot`, `rpc`, …"""
    media_type: str = "text/plain"
    text: str | None = None
    blob: str | None = None
    """`sha256:…` of a file below `blobs/`."""
    bytes: int | None = None
    truncated: Truncation | None = None
