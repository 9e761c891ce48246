"""A capture of a device, read: what actions, renderers and policies see of it."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from worldtape.collectors.android._attributes import Seen, merged, seen
from worldtape.collectors.android.capture import read_line
from worldtape.collectors.android.elements import Element, alert_elements, elements
from worldtape.collectors.android.hierarchy import Hierarchy, parse
from worldtape.schemas import Target

_LONG = 80
"""Characters of a label."""
_FEW = 3
"""So many of the texts in an element name it,"""
_REACH = 5
"""where they stand no deeper in it than so."""


@dataclass(frozen=True)
class Screen:
    """One capture.

    Attributes:
        capture: as `worldtape.collectors.android.capture` describes it.
    """

    capture: dict[str, Any]

    @classmethod
    def of(cls, capture: Mapping[str, Any] | bytes | str) -> Screen:
        """Read a capture, or its line; nothing is refused."""
        return cls(read_line(capture) if isinstance(capture, (bytes, str)) else dict(capture))

    @cached_property
    def hierarchy(self) -> Hierarchy:
        """Its dump, with what elements answered by themselves."""
        source = self.capture.get("source")
        if not isinstance(source, (str, bytes)):
            return Hierarchy(())
        found, overlay = parse(source), self.capture.get("overlay") or {}
        if not overlay:
            return found
        return Hierarchy(tuple(merged(node, overlay.get(node.path) or {}) for node in found.nodes), found.flags)

    @cached_property
    def seen(self) -> list[Seen | None]:
        """What is to be told of each node of the dump; None: it is not to be seen."""
        return seen(self.hierarchy, self.size)

    @cached_property
    def elements(self) -> list[Element]:
        """What can be named by an index; those of a dialog of the driver alone while one is open."""
        if self.alert:
            return list(alert_elements(self.alert))
        return elements(self.hierarchy, size=self.size)

    @property
    def state(self) -> dict[str, Any]:
        """What stands beside the dump: package, activity, keyboard and so on."""
        return dict(self.capture.get("state") or {})

    @property
    def alert(self) -> dict[str, Any]:
        """The dialog of the driver that is open; {}: none. The fake driver's source says whether it has a field."""
        found = dict(self.capture.get("alert") or {})
        if found and "prompt" not in found:
            own = (one for one in self.hierarchy.nodes if one.tag == "alert" and one.get("text") == found.get("text"))
            found["prompt"] = any(one.holds("hasPrompt") for one in own)
        return found

    @property
    def size(self) -> tuple[int, int] | None:
        """Width and height in pixels; None: unknown."""
        size = self.capture.get("size")
        return (int(size[0]), int(size[1])) if size else None

    @property
    def flags(self) -> tuple[str, ...]:
        """What was wrong with the dump."""
        return self.hierarchy.flags

    @property
    def error(self) -> str:
        """What the action before this capture failed with; "": it did not."""
        return str((self.capture.get("error") or {}).get("message") or "")

    @property
    def asked(self) -> list[str]:
        """XPaths of those that answer by themselves what the source does not tell: the fake driver's elements."""
        return [
            node.path
            for node, told in zip(self.hierarchy.nodes, self.seen, strict=True)
            if told is not None and node.tag.startswith("Mock")
        ]

    def label(self, element: Element) -> str:
        """Return what an element is called: by itself; else by the texts in it (what is clicked) or by its id."""
        inside = self._inside.get(element.at, "")
        other = inside or element.res if element.is_("clickable") else element.res or inside
        return (element.text or element.desc or element.hint or other)[:_LONG]

    def target(self, element: Element) -> Target:
        """Return what an action on an element keeps, since indices drift."""
        return element.target().model_copy(update={"name": self.label(element)})

    @cached_property
    def _inside(self) -> dict[int, str]:
        texts: defaultdict[int, list[str]] = defaultdict(list)
        nodes = self.hierarchy.nodes
        for at, seen_ in enumerate(self.seen):
            text = (seen_.text or seen_.desc) if seen_ is not None else ""
            above = nodes[at].parent
            for _ in range(_REACH if text else 0):
                if above is None:
                    break
                texts[above].append(text)
                above = nodes[above].parent
        return {at: " ".join(words[:_FEW]) for at, words in texts.items()}

    def element(self, index: int) -> Element | None:
        """Return the element with an index; None where there is none."""
        return self.elements[index] if 0 <= index < len(self.elements) else None


__all__ = ["Screen"]
