"""One walk over everything accessible, as `worldtape.collectors.desktop.tree` describes it."""

from __future__ import annotations

import time
from collections.abc import Callable
from functools import partial
from typing import Any

from gi.repository import GLib

from worldtape.collectors.desktop.inside.bus import ACCESSIBLE, REGISTRY, ROOT, Bus
from worldtape.collectors.desktop.inside.loop import wait
from worldtape.collectors.desktop.inside.states import states

_CHILDREN = 400
_CHARACTERS = 20_000
_GET_ALL = "org.freedesktop.DBus.Properties.GetAll"
_ATSPI = "org.a11y.atspi."


class _Node:
    __slots__ = ("facts", "inner")

    def __init__(self) -> None:
        self.facts: dict[str, Any] = {}
        self.inner: list[_Node] = []


class Walk:
    """All calls of a walk are under way at once; each program answers in its own main loop.

    Args:
        most: nodes; the rest is left out.
    """

    def __init__(self, bus: Bus, most: int) -> None:
        self._bus = bus
        self._left = most
        self._open = 0
        self.flags: set[str] = set()

    def nodes(self, deadline: float) -> list[dict[str, Any]]:
        """Return every accessible in pre-order; what has not answered by the deadline (monotonic s) is left out."""
        root = _Node()
        self._ask((REGISTRY, ROOT), ACCESSIBLE, "GetChildren", partial(self._applications, root))
        wait(lambda: not self._open, deadline)
        if self._open:
            self.flags.add("walk_deadline")
        found: list[dict[str, Any]] = []
        for application in root.inner:
            _flatten(application, None, found)
        return found

    def _ask(
        self, place: tuple[str, str], interface: str, method: str, then: Callable[[Any], object], *given: Any
    ) -> None:
        self._open += 1

        def answered(answer: tuple[Any, ...] | None) -> None:
            self._open -= 1
            if answer is None:
                self.flags.add("node_gone")
            else:
                then(answer[0])

        self._bus.call(place, f"{interface}.{method}", GLib.Variant(*given) if given else None, answered)

    def _all(self, place: tuple[str, str], interface: str, then: Callable[[Any], None]) -> None:
        name, _, method = _GET_ALL.rpartition(".")
        self._ask(place, name, method, then, "(s)", (_ATSPI + interface,))

    def _applications(self, root: _Node, places: list[tuple[str, str]]) -> None:
        for place in places:
            node = self._node(root, place)
            if node is not None:
                node.facts["role"] = "application"
                for name in ("ToolkitName", "Version"):
                    given = GLib.Variant("(ss)", (f"{_ATSPI}Application", name))
                    self._bus.call(place, "org.freedesktop.DBus.Properties.Get", given, partial(_toolkit, node))
                pid = partial(node.facts.__setitem__, "pid")
                bus = ("org.freedesktop.DBus", "/org/freedesktop/DBus")
                self._ask(bus, bus[0], "GetConnectionUnixProcessID", pid, "(s)", (place[0],))

    def _node(self, parent: _Node, place: tuple[str, str]) -> _Node | None:
        if self._left <= 0:
            self.flags.add("node_limit")
            return None
        self._left -= 1
        node = _Node()
        parent.inner.append(node)
        self._all(place, "Accessible", partial(self._about, node, place))
        self._ask(place, ACCESSIBLE, "GetRoleName", partial(node.facts.__setitem__, "role"))
        self._ask(place, ACCESSIBLE, "GetState", partial(self._states, node, place))
        return node

    def _states(self, node: _Node, place: tuple[str, str], words: list[int]) -> None:
        """Keep the states, and ask for the rest of what shows."""
        node.facts["states"] = states(words)
        if "showing" in node.facts["states"]:
            self._ask(place, ACCESSIBLE, "GetInterfaces", partial(self._more, node, place))

    def _about(self, node: _Node, place: tuple[str, str], given: dict[str, Any]) -> None:
        node.facts["name"] = given.get("Name") or ""
        if given.get("Description"):
            node.facts["description"] = given["Description"]
        count = int(given.get("ChildCount") or 0)
        if count > _CHILDREN:
            node.facts["children_left_out"] = count - _CHILDREN
            for at in range(_CHILDREN):
                self._ask(place, ACCESSIBLE, "GetChildAtIndex", partial(self._node, node), "(i)", (at,))
        elif count:
            self._ask(place, ACCESSIBLE, "GetChildren", partial(self._children, node))

    def _children(self, node: _Node, places: list[tuple[str, str]]) -> None:
        for place in places:
            if not place[1].endswith("/null"):
                self._node(node, place)

    def _more(self, node: _Node, place: tuple[str, str], interfaces: list[str]) -> None:
        has = {name.removeprefix(_ATSPI) for name in interfaces}
        if "Component" in has:
            box = lambda given: node.facts.__setitem__("box", list(given))  # noqa: E731
            self._ask(place, f"{_ATSPI}Component", "GetExtents", box, "(u)", (0,))
        if "Text" in has:
            text = partial(self._text, node, place)
            self._ask(place, f"{_ATSPI}Text", "GetText", text, "(ii)", (0, _CHARACTERS))
        if "Value" in has:
            self._all(place, "Value", partial(_value, node))
        if "Action" in has:
            actions = lambda given: node.facts.__setitem__("actions", [one[0] for one in given])  # noqa: E731
            self._ask(place, f"{_ATSPI}Action", "GetActions", actions)

    def _text(self, node: _Node, place: tuple[str, str], text: str) -> None:
        node.facts["text"] = text
        if "editable" not in node.facts.get("states", ()) and len(text) < _CHARACTERS:
            return
        self._all(place, "Text", partial(_caret, node))
        self._ask(place, f"{_ATSPI}Text", "GetNSelections", partial(self._selections, node, place))

    def _selections(self, node: _Node, place: tuple[str, str], count: int) -> None:
        if count > 0:
            both = lambda answer: node.facts.__setitem__("selection", list(answer))  # noqa: E731
            self._open += 1
            self._bus.call(place, f"{_ATSPI}Text.GetSelection", GLib.Variant("(i)", (0,)), partial(self._both, both))

    def _both(self, then: Callable[[Any], None], answer: tuple[Any, ...] | None) -> None:
        self._open -= 1
        if answer is not None:
            then(answer)


def _toolkit(node: _Node, answer: tuple[Any, ...] | None) -> None:
    if answer and answer[0]:
        node.facts["toolkit"] = f"{node.facts.get('toolkit', '')} {answer[0]}".strip()


def _value(node: _Node, given: dict[str, Any]) -> None:
    node.facts["value"] = [given.get(key) for key in ("CurrentValue", "MinimumValue", "MaximumValue")]


def _caret(node: _Node, given: dict[str, Any]) -> None:
    node.facts["caret"] = given.get("CaretOffset")
    cut = int(given.get("CharacterCount") or 0) - len(node.facts["text"])
    if cut > 0:
        node.facts["text_left_out"] = cut


def _flatten(node: _Node, parent: int | None, found: list[dict[str, Any]]) -> None:
    if "role" not in node.facts:  # it went away while it was asked
        return
    at = len(found)
    facts = {"parent": parent, "role": node.facts.pop("role"), "name": node.facts.pop("name", "")}
    if node.facts.get("text") == facts["name"] and "editable" not in node.facts.get("states", ()):
        node.facts.pop("text", None)
    found.append(facts | dict(sorted(node.facts.items())))
    for inner in node.inner:
        _flatten(inner, at, found)


def alive(bus: Bus, deadline: float) -> bool:
    """Say whether every program has answered by the deadline: it has then worked off what came before."""
    waiting: set[tuple[str, str]] = set()
    asked = [False]

    def applications(answer: tuple[Any, ...] | None) -> None:
        asked[0] = True
        for place in answer[0] if answer else ():
            waiting.add(place)
            given = GLib.Variant("(ss)", (ACCESSIBLE, "ChildCount"))
            done = partial(lambda place, _: waiting.discard(place), place)
            bus.call(place, "org.freedesktop.DBus.Properties.Get", given, done)

    bus.call((REGISTRY, ROOT), f"{ACCESSIBLE}.GetChildren", None, applications)
    wait(lambda: asked[0] and not waiting, deadline)
    return asked[0] and not waiting and time.monotonic() < deadline
