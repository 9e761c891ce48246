"""One intended action: what is done, to which widget, with what."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True, slots=True)
class Step:
    """A widget is named by role and name, and looked up when its turn comes.

    Attributes:
        verb: as in `say`.
        role: of the widget; empty where the action needs none.
        name: of the widget.
        nth: which of those with this role and name in the window.
        value: text, keys, code, clicks of the wheel.
    """

    verb: str
    role: str = ""
    name: str = ""
    nth: int = 0
    value: Any = None

    @property
    def key(self) -> tuple[Any, ...]:
        """The same for the same action."""
        return (self.verb, self.role, self.name, self.nth, self.value)


Plan = list[Step]
