"""One intended action: what is done, to which element, with what."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from worldtape.collectors.android.elements import Element
from worldtape.collectors.policies.explore_ui.view import View


@dataclass(frozen=True, slots=True)
class Step:
    """An element is named by class and label, since indices drift; it is looked up when its turn comes.

    Attributes:
        verb: `action_type` of the action; `raw` passes `given` on as it stands.
        cls: class of the element; empty where the action needs none.
        label: of the element.
        nth: which of those with this class and label.
        given: the rest of the action; for `raw` the whole.
        by: how it is aimed: `index`, `point` or `selector`.
        aside: it may be passed over where its element is not there.
    """

    verb: str
    cls: str = ""
    label: str = ""
    nth: int = 0
    given: Any = field(default_factory=dict)
    by: str = "index"
    aside: bool = False

    @classmethod
    def on(
        cls, view: View, verb: str, element: Element, *, by: str = "index", aside: bool = False, **given: Any
    ) -> Step:
        """Return a step on an element of this screen."""
        return cls(verb, element.cls, view.named(element), view.nth(element), given, by, aside)

    @property
    def key(self) -> tuple[Any, ...]:
        """The same for the same action."""
        return (self.verb, self.cls, self.label, self.nth, repr(self.given))


Plan = list[Step]
