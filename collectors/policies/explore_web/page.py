"""What the explorer sees of a page."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any
from urllib.parse import urlsplit

from worldtape.collectors.web.tree import Element, elements

FIELDS = frozenset(
    {"textbox", "searchbox", "combobox", "spinbutton", "checkbox", "radio", "listbox", "switch", "slider"}
)
TYPED = frozenset({"textbox", "searchbox", "spinbutton"})
_PRESSED = frozenset(
    {"button", "link", "tab", "menuitem", "option", "DisclosureTriangle", "checkbox", "radio", "switch"}
)
_LANDMARKS = frozenset({"banner", "contentinfo"})


def is_select(element: Element) -> bool:
    """Say whether it is a list to choose from, not a field to type into."""
    return element.tag == "select"


def is_typed(element: Element) -> bool:
    """Say whether text goes into it."""
    return element.role in TYPED or (element.role == "combobox" and element.tag in {"input", "textarea"})


@dataclass(frozen=True, slots=True)
class Form:
    """Fields that are sent together."""

    name: str
    fields: tuple[Element, ...]
    submits: tuple[Element, ...]

    @property
    def key(self) -> tuple[str, ...]:
        """The same for the same form, whatever stands in it."""
        return (self.name, *(element.name for element in (*self.fields, *self.submits)))


@dataclass(frozen=True)
class Page:
    """One observation.

    Attributes:
        tree: as the environment keeps it.
        all: its elements, in the order of the page.
    """

    tree: dict[str, Any]
    all: list[Element] = field(default_factory=list)

    @classmethod
    def of(cls, tree: dict[str, Any]) -> Page:
        """Read a kept tree."""
        return cls(tree, elements(tree))

    @property
    def url(self) -> str:
        """The address of the page in front."""
        return str(self.tree.get("url") or "")

    @property
    def host(self) -> str:
        """Its host with the port; empty where it has none."""
        return urlsplit(self.url).netloc

    @property
    def place(self) -> str:
        """Its address without what stands behind `#`."""
        return self.url.partition("#")[0]

    @property
    def tabs(self) -> int:
        """How many tabs are open."""
        return len(self.tree.get("tabs") or ())

    @property
    def front(self) -> int:
        """The index of the tab in front."""
        return next((at for at, tab in enumerate(self.tree.get("tabs") or ()) if tab.get("active")), 0)

    @property
    def dialog(self) -> dict[str, Any] | None:
        """The dialog of the browser that wants an answer."""
        return self.tree.get("dialog")

    @cached_property
    def text(self) -> str:
        """Everything that can be read."""
        return "\n".join(node.get("name", "") for node in self.tree.get("nodes", ()) if node["role"] == "StaticText")

    @cached_property
    def key(self) -> str:
        """The same for the same page in the same state."""
        seen = [(one.role, one.name, one.value, sorted(one.states.items(), key=str)) for one in self.all]
        told = (self.place, self.tabs, self.dialog, self.tree.get("scroll"), seen)
        return hashlib.sha256(repr(told).encode()).hexdigest()

    @cached_property
    def active(self) -> list[Element]:
        """Elements to press or to fill, without what is disabled and the options of lists."""
        return [one for one in self.all if one.active and not one.disabled and self._usable(one)]

    @cached_property
    def disabled(self) -> list[Element]:
        """Elements that take no action now."""
        return [one for one in self.all if one.active and one.disabled and self._usable(one)]

    @cached_property
    def forms(self) -> list[Form]:
        """Forms that can be sent."""
        found = []
        for owner in (one for one in self.all if one.tag == "form"):
            inside = [one for one in self.active if owner.id in self._above[one.id]]
            fields = tuple(one for one in inside if one.role in FIELDS)
            submits = tuple(one for one in inside if one.role == "button" and _submits(one))
            if fields and (submits or any(is_typed(one) for one in fields)):
                found.append(Form(owner.name or owner.role, fields, submits))
        return found

    def options(self, element: Element) -> list[Element]:
        """Return the options of a list."""
        return [one for one in self.all if one.role == "option" and element.id in self._above[one.id]]

    def in_main(self, element: Element) -> bool:
        """Say whether it belongs to this page rather than to all pages of the site."""
        return not any(self._by_id[above].role in _LANDMARKS for above in self._above[element.id])

    def find(self, role: str, name: str, nth: int = 0) -> Element | None:
        """Return the element of this role and name; None where there is none now."""
        found = [one for one in self.active if (one.role, one.name) == (role, name)]
        return found[nth] if nth < len(found) else None

    def nth(self, element: Element) -> int:
        """Return how many elements of the same role and name stand before it."""
        alike = [one for one in self.active if (one.role, one.name) == (element.role, element.name)]
        return next((at for at, one in enumerate(alike) if one.id == element.id), 0)

    def where(self, element: Element) -> str:
        """Return the whole address that a link leads to; empty where it is no link."""
        from urllib.parse import urljoin

        href = element.attributes.get("href")
        return urljoin(self.url, href) if href is not None else ""

    @cached_property
    def _by_id(self) -> dict[str, Element]:
        return {one.id: one for one in self.all}

    @cached_property
    def _above(self) -> dict[str, tuple[str, ...]]:
        return {one.id: tuple(self._parents(one)) for one in self.all}

    def _parents(self, element: Element) -> Iterator[str]:
        parent = element.parent
        while parent is not None and parent in self._by_id:
            yield parent
            parent = self._by_id[parent].parent

    def _usable(self, element: Element) -> bool:
        if element.role == "option":
            return element.tag != "option"
        return element.role in FIELDS or element.role in _PRESSED


def _submits(element: Element) -> bool:
    return element.attributes.get("type", "submit") in {"submit", "image"}
