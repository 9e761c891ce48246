"""One element of a step."""

from pydantic import Field

from worldtape.schemas.settings import Settings


class Stroke(Settings):
    """Keys to send, then a wait: the recipe's `{"keystrokes", "duration"}`."""

    keystrokes: str = ""
    """Text as it is typed (`\\n` is Enter), or one key name as the whole string: `C-c`, `Up`, `Escape`."""
    duration: float | None = Field(default=None, ge=0, le=3600)
    """Seconds to wait after it; none: until the terminal has settled."""
