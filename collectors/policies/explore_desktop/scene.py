"""What the explorer sees of a desktop."""

from __future__ import annotations

import hashlib
from functools import cached_property
from typing import Any

from worldtape.collectors.desktop.tree import TOP, places
from worldtape.collectors.desktop.widgets import Widget, stacked, widgets

_DIALOGS = frozenset({"alert", "color chooser", "dialog", "file chooser", "font chooser"})
_ITEMS = frozenset({"check menu item", "menu", "menu item", "radio menu item", "tear off menu item"})
_LASTING = frozenset({"checked", "expanded", "focused", "pressed", "selected", "sensitive"})


class Scene:
    """One observation, seen from the window that takes actions.

    Args:
        tree: as the environment keeps it.
    """

    def __init__(self, tree: dict[str, Any]) -> None:
        self.tree = tree
        self.everything = widgets(tree)

    @cached_property
    def front(self) -> int | None:
        """The index of the window in front among the tree's nodes: a pop-up, the active one, or the highest."""
        nodes = self.tree.get("nodes") or []
        order = [at for at in stacked(self.tree) if nodes[at].get("role") in TOP]
        active = [at for at in order if "active" in (nodes[at].get("states") or ())]
        held = {one.top for one in self.everything}
        popups = [at for at in order if nodes[at].get("role") == "window" and at in held]  # the others are mere hints
        return next(iter([*reversed(popups), *reversed(active), *reversed(order)]), None)

    @cached_property
    def window(self) -> str:
        """The name of the window in front; "" where there is none."""
        return "" if self.front is None else str(self.tree["nodes"][self.front].get("name") or "")

    @cached_property
    def dialog(self) -> str | None:
        """The role of the window in front, where it asks something."""
        role = None if self.front is None else self.tree["nodes"][self.front].get("role")
        return str(role) if role in _DIALOGS else None

    @cached_property
    def inside(self) -> list[Widget]:
        """What is in the window in front, or in its open menu where there is one."""
        return self.items or [one for one in self.everything if one.top == self.front and not self._closed(one)]

    @cached_property
    def items(self) -> list[Widget]:
        """What the open menu, or the innermost of those open, offers."""
        menus = {one.at: self._menu(one) for one in self.everything if one.role in _ITEMS and one.top == self.front}
        innermost = max((menu for menu in menus.values() if menu is not None), default=None)
        return [one for one in self.everything if innermost is not None and menus.get(one.at) == innermost]

    @cached_property
    def usable(self) -> list[Widget]:
        """What can be acted upon."""
        return [one for one in self.inside if one.enabled]

    @cached_property
    def disabled(self) -> list[Widget]:
        """What shows but takes no action now."""
        return [one for one in self.inside if not one.enabled]

    @cached_property
    def windows(self) -> int:
        """How many windows show, pop-ups not counted."""
        nodes = self.tree.get("nodes") or []
        return sum(
            place.top == place.at and place.showing and nodes[place.at].get("role") in TOP - {"window"}
            for place in places(self.tree)
        )

    @cached_property
    def key(self) -> str:
        """The same for the same desktop in the same state; carets and pointers do not count."""
        seen = [(one.role, one.name, one.text, sorted(one.states & _LASTING), one.value) for one in self.everything]
        return hashlib.sha256(repr((self.window, seen)).encode()).hexdigest()

    def find(self, role: str, name: str, nth: int = 0) -> Widget | None:
        """Return the widget of this role and name; None where there is none now."""
        found = [one for one in self.inside if (one.role, one.name) == (role, name)]
        return found[nth] if nth < len(found) else None

    def nth(self, widget: Widget) -> int:
        """Return how many widgets of the same role and name stand before it."""
        alike = [one for one in self.inside if (one.role, one.name) == (widget.role, widget.name)]
        return next((at for at, one in enumerate(alike) if one.at == widget.at), 0)

    def find_named(self, name: str) -> Widget | None:
        """Return what can be pressed and has exactly this name; None where there is none now."""
        return next((one for one in self.usable if one.name == name and not one.typed), None)

    def _menu(self, widget: Widget) -> int | None:
        """Return the index of the menu that a menu's item is in; None for one of a menu bar."""
        parent = self.tree["nodes"][widget.at].get("parent")
        if not isinstance(parent, int) or self.tree["nodes"][parent].get("role") not in {"menu", "popup menu"}:
            return None
        return parent

    def _closed(self, widget: Widget) -> bool:
        return widget.role in _ITEMS and self._menu(widget) is not None


__all__ = ["Scene"]
