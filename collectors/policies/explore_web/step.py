"""One intended action: what is done, to which element, with what."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from worldtape.collectors.policies.explore_web.page import Page
from worldtape.collectors.web.tree import Element


@dataclass(frozen=True, slots=True)
class Step:
    """An element is named by role and name, since ids drift; it is looked up when its turn comes.

    Attributes:
        verb: as in `Voice`.
        role: of the element; empty where the action needs none.
        name: of the element.
        nth: which of those with this role and name.
        value: text, option, key, address, index.
        aside: it may be passed over where its element is not there.
    """

    verb: str
    role: str = ""
    name: str = ""
    nth: int = 0
    value: Any = None
    aside: bool = False

    @classmethod
    def on(cls, page: Page, verb: str, element: Element, value: Any = None, *, aside: bool = False) -> Step:
        """Return a step on an element of this page."""
        return cls(verb, element.role, element.name, page.nth(element), value, aside)

    @property
    def key(self) -> tuple[Any, ...]:
        """The same for the same action."""
        return (self.verb, self.role, self.name, self.nth, self.value)


Plan = list[Step]
