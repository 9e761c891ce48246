"""What the explorer sees of a screen."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from worldtape.collectors.android.elements import Element
from worldtape.collectors.android.screen import Screen

_SHUT = frozenset({"disabled", "editable"})


@dataclass(frozen=True)
class View:
    """One observation.

    Attributes:
        screen: it, read.
    """

    screen: Screen

    @classmethod
    def of(cls, capture: Mapping[str, Any]) -> View:
        """Read a capture."""
        return cls(Screen.of(capture))

    @property
    def all(self) -> list[Element]:
        """Its elements, by index."""
        return self.screen.elements

    @cached_property
    def place(self) -> str:
        """Which screen of which app it is, as far as one can see: the same whatever its lists hold."""
        state = self.screen.state
        told = [str(state.get(name)) for name in ("package", "app", "activity") if state.get(name)]
        dialog = next((one for one in self.all if one.short == "Dialog" or one.alert), None)
        return " ".join([*told, *([self.label(dialog)] if dialog else [])])

    @cached_property
    def key(self) -> str:
        """The same for the same screen in the same state."""
        seen = [(one.cls, one.text, one.desc, one.res, sorted(set(one.flags) - {"focused"})) for one in self.all]
        return hashlib.sha256(repr((self.place, seen)).encode()).hexdigest()

    @cached_property
    def pressed(self) -> list[Element]:
        """Elements to press: clickable or checkable, without fields and what is disabled."""
        return [
            one
            for one in self.all
            if (one.is_("clickable") or one.is_("checkable")) and not _SHUT.intersection(one.flags)
        ]

    @cached_property
    def held(self) -> list[Element]:
        """Elements that answer to a long press."""
        return [one for one in self.all if one.is_("long_clickable") and not one.is_("disabled")]

    @cached_property
    def fields(self) -> list[Element]:
        """Elements to type into."""
        return [one for one in self.all if one.is_("editable") and not one.is_("disabled")]

    @cached_property
    def scrolled(self) -> list[Element]:
        """Elements that scroll."""
        return [one for one in self.all if one.is_("scrollable")]

    @property
    def modal(self) -> bool:
        """Whether a dialog is open."""
        return any(one.short == "Dialog" or one.alert for one in self.all)

    @property
    def app(self) -> str:
        """The label of the app in front; "" where nobody says."""
        return str(self.screen.state.get("app") or "")

    def label(self, element: Element) -> str:
        """Return what an element is called: by itself, or by the texts in it."""
        return self.screen.label(element)

    def caption(self, field: Element) -> str:
        """Return what a field asks for: its hint and description, and the text that stands before it."""
        before = self.all[field.index - 1] if field.index else None
        said = before.text if before is not None and before.short in {"TextView", "MockText"} else ""
        return " ".join(word for word in (said, field.desc, field.hint, field.res.rpartition("/")[2]) if word)

    def find(self, cls: str, label: str, nth: int = 0) -> Element | None:
        """Return the element of this class and label; None where there is none now."""
        found = [one for one in self.all if one.cls == cls and self.named(one) == label]
        return found[nth] if nth < len(found) else None

    def nth(self, element: Element) -> int:
        """Return how many elements of the same class and label stand before it."""
        name = self.named(element)
        return sum(one.cls == element.cls and self.named(one) == name for one in self.all[: element.index])

    def named(self, element: Element) -> str:
        """Return by what an element is found again: a field by its caption, since its text changes."""
        return self.caption(element) if element.is_("editable") else self.label(element)
