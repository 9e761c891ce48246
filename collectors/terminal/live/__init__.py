"""A person at a recorded terminal: their keys pass through as they are typed, and become actions."""

from worldtape.collectors.terminal.live.passthrough import Passthrough
from worldtape.collectors.terminal.live.shown import Shown

__all__ = ["Passthrough", "Shown"]
