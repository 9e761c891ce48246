"""What on a screen can be named by an index."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from worldtape.collectors.android._attributes import Seen, seen
from worldtape.collectors.android.hierarchy import Hierarchy
from worldtape.schemas import Target

Bounds = tuple[int, int, int, int]
"""Left, top, right, bottom in pixels of the screen."""


@dataclass(frozen=True, slots=True)
class Element:
    """An element of a screen.

    Attributes:
        index: as actions and renderers name it, from 0.
        cls: its class, such as `android.widget.Button`.
        text: its text.
        desc: its content description.
        hint: what a field shows while it is empty.
        res: its resource id.
        package: of the app that it belongs to.
        bounds: where it is; None where nobody knows.
        flags: of `clickable`, `long_clickable`, `checkable`, `checked`, `editable`, `scrollable`, `focused`,
            `selected`, `disabled`, `password` those that hold, in this order; and `clicks=2` of the fake driver.
        path: an XPath of the source that finds it; "" for parts of a driver's dialog.
        alert: what acting on it does to the driver's dialog: `accept`, `dismiss`, `prompt` (a text is sent); else None.
        at: the node it stands for; −1 for parts of a driver's dialog.
    """

    index: int
    cls: str
    text: str = ""
    desc: str = ""
    hint: str = ""
    res: str = ""
    package: str = ""
    bounds: Bounds | None = None
    flags: tuple[str, ...] = ()
    path: str = ""
    alert: str | None = None
    at: int = -1

    @property
    def center(self) -> tuple[int, int] | None:
        """The point in its middle; None where its bounds are unknown."""
        if self.bounds is None:
            return None
        left, top, right, bottom = self.bounds
        return ((left + right) // 2, (top + bottom) // 2)

    @property
    def name(self) -> str:
        """What it is called, by whatever it says of itself."""
        return self.text or self.desc or self.hint or self.res

    @property
    def short(self) -> str:
        """Its class without the package."""
        return self.cls.rpartition(".")[2]

    def is_(self, flag: str) -> bool:
        """Say whether a flag holds."""
        return flag in self.flags

    def target(self) -> Target:
        """Return what an action on it keeps, since indices drift."""
        box = None
        if self.bounds is not None:
            left, top, right, bottom = self.bounds
            box = (float(left), float(top), float(right - left), float(bottom - top))
        return Target(id=str(self.index), role=self.cls, name=self.name, box=box, selector=self.path or None)


def elements(hierarchy: Hierarchy, *, size: tuple[int, int] | None = None) -> list[Element]:
    """Return the elements of a dump, in its order.

    As in AndroidWorld these are visible nodes that have nothing inside, a content description, or that scroll; also
    those that can be clicked, long-clicked, checked or typed into.

    Args:
        hierarchy: the dump.
        size: of the screen, in pixels; what lies wholly outside is no element. None: the biggest node is the screen.
    """
    found: list[Element] = []
    for at, told in enumerate(seen(hierarchy, size)):
        if told is not None and _kept(told):
            found.append(_element(len(found), at, told))
    return found


def alert_elements(alert: dict[str, Any]) -> Iterator[Element]:
    """Give the elements of a driver's dialog: its text, a field if it has one, and its buttons."""
    text = "android.widget.TextView", str(alert.get("text") or ""), "android:id/message", ()
    parts: list[tuple[str, str, str, tuple[str, ...], str | None]] = [(*text, None)]
    if alert.get("prompt"):
        parts.append(("android.widget.EditText", "", "android:id/input", ("clickable", "editable"), "prompt"))
    if alert.get("type") != "alert":
        parts.append(("android.widget.Button", "Cancel", "android:id/button2", ("clickable",), "dismiss"))
    parts.append(("android.widget.Button", "OK", "android:id/button1", ("clickable",), "accept"))
    for index, (cls, said, res, flags, does) in enumerate(parts):
        yield Element(index, cls, text=said, res=res, flags=flags, package="android", alert=does)


def _kept(told: Seen) -> bool:
    return told.leaf or bool(told.desc) or any(flag in _ACTED for flag in told.flags)


_ACTED = frozenset({"clickable", "long_clickable", "checkable", "scrollable", "editable"})


def _element(index: int, at: int, told: Seen) -> Element:
    return Element(
        index,
        told.cls,
        text=told.text,
        desc=told.desc,
        hint=told.hint,
        res=told.res,
        package=told.package,
        bounds=told.bounds,
        flags=told.flags,
        path=told.path,
        at=at,
    )


__all__ = ["Bounds", "Element", "alert_elements", "elements"]
