"""Accessibility trees and DOM of all frames, made one tree."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

from worldtape.collectors.web._dom import Page, Place
from worldtape.collectors.web.numbers import Document, Numbers

_DROPPED = frozenset({"InlineTextBox"})
_NO_ELEMENT = frozenset({"StaticText", "ListMarker", "LineBreak", "RootWebArea"})
_ENTER = " >> internal:control=enter-frame >> "
ACTIVE = frozenset({
    "button", "link", "textbox", "searchbox", "combobox", "listbox", "option", "checkbox", "radio", "switch", "slider",
    "spinbutton", "tab", "menuitem", "menuitemcheckbox", "menuitemradio", "treeitem", "gridcell", "scrollbar",
    "DisclosureTriangle", "ColorWell", "Date", "DateTime", "InputTime", "PopUpButton",
})  # fmt: skip
"""Roles that are there to be acted upon."""


@dataclass(slots=True)
class Merged:
    """One observation's tree."""

    nodes: list[dict[str, Any]] = field(default_factory=list)
    """In the order of the page; the first is the root; `children` are indices."""
    frames: list[dict[str, Any]] = field(default_factory=list)
    """Every frame: `url`, `prefix` of its ids, `owner` (index of the node that holds it)."""
    documents: list[Document] = field(default_factory=list)
    """The numbers of each frame, in the same order."""
    owners: list[int | None] = field(default_factory=list)
    """Backend node of the iframe that holds each frame."""


def frames_of(tree: dict[str, Any]) -> Iterator[dict[str, Any]]:
    """Give the frames of a `Page.getFrameTree`, a parent before its children."""
    yield tree["frame"]
    for child in tree.get("childFrames", ()):
        yield from frames_of(child)


def merge(
    tree: dict[str, Any], trees: dict[str, list[dict[str, Any]]], snapshot: dict[str, Any], numbers: Numbers
) -> Merged:
    """Return one tree of `tree` (frames), `trees` (frame id to nodes), and `snapshot` (DOM), numbered by `numbers`."""
    frames = {frame["id"]: frame for frame in frames_of(tree)}
    pages = [Page(document, snapshot["strings"]) for document in snapshot["documents"]]
    work = _Work(frames, trees, pages, numbers)
    top = tree["frame"]["id"]
    page = next((page for page in pages if page.frame == top), pages[0])
    work.frame(top, page, Place(-page.scroll[0], -page.scroll[1]), "", None, "")
    numbers.keep(set(frames))
    return work.out


class _Work:
    def __init__(
        self,
        frames: dict[str, dict[str, Any]],
        trees: dict[str, list[dict[str, Any]]],
        pages: list[Page],
        numbers: Numbers,
    ) -> None:
        self.frames, self.trees, self.pages, self.numbers = frames, trees, pages, numbers
        self.out = Merged()

    def frame(
        self, frame: str, page: Page, place: Place, prefix: str, owner: tuple[int, int] | None, selector: str
    ) -> int | None:
        """Add a frame and those in it; return the index of its root, None where its tree could not be had."""
        given = self.trees.get(frame)
        if not given:
            return None
        about = self.frames[frame]
        document = self.numbers.document(frame, about["loaderId"], prefix)
        index = len(self.out.frames)
        shown = {"url": about["url"] + about.get("urlFragment", ""), "prefix": prefix}
        if about.get("name"):
            shown["name"] = about["name"]
        self.out.frames.append(shown | ({} if owner is None else {"owner": owner[0]}))
        self.out.documents.append(document)
        self.out.owners.append(None if owner is None else owner[1])
        by_id = {node["nodeId"]: node for node in given}
        root = len(self.out.nodes)
        stack: list[tuple[str, int | None]] = [(given[0]["nodeId"], None)]
        seen: set[str] = set()
        while stack:
            key, parent = stack.pop()
            node = by_id.get(key)
            if node is None or key in seen:
                continue
            seen.add(key)
            if _value(node, "role") in _DROPPED:
                continue
            at = self._add(node, page, place, document, index, selector)
            if parent is not None:
                self.out.nodes[parent].setdefault("children", []).append(at)
            stack.extend((child, at) for child in reversed(node.get("childIds", ())))
        return root

    def _add(
        self, node: dict[str, Any], page: Page, place: Place, document: Document, frame: int, selector: str
    ) -> int:
        """Add one node, and what an iframe holds; return its index."""
        at = len(self.out.nodes)
        out = _shape(node) | ({"f": frame} if frame else {})
        self.out.nodes.append(out)
        backend = node.get("backendDOMNodeId")
        in_dom = None if backend is None else page.index.get(backend)
        if backend is None or in_dom is None or out["role"] in _NO_ELEMENT or not page.is_element(in_dom):
            return at
        out |= page.facts(in_dom, place)
        if not node["ignored"]:
            out["n"] = document.number(backend)
            if out["role"] in ACTIVE or "clickable" in out or out.get("props", {}).get("focusable"):
                out["selector"] = selector + page.selector(in_dom)
        if in_dom in page.inside:
            inner = self.pages[page.inside[in_dom]]
            below = page.place_inside(in_dom, place, inner)
            enter = selector + page.selector(in_dom) + _ENTER
            root = self.frame(inner.frame, inner, below, document.letter(backend), (at, backend), enter)
            if root is not None:
                out.setdefault("children", []).append(root)
        return at


def _shape(node: dict[str, Any]) -> dict[str, Any]:
    """Return what Chromium says of a node, in fewer words."""
    out: dict[str, Any] = {"role": _value(node, "role") or "none", "name": _value(node, "name") or ""}
    for name in ("value", "description"):
        if (found := _value(node, name)) not in (None, ""):
            out[name] = found
    if properties := _properties(node):
        out["props"] = properties
    if node["ignored"]:
        reasons = [reason["name"] for reason in node.get("ignoredReasons", ())]
        out["ignored"] = reasons[0] if reasons else "unsaid"
    return out


def _value(node: dict[str, Any], name: str) -> Any:
    return node.get(name, {}).get("value")


def _properties(node: dict[str, Any]) -> dict[str, Any]:
    found = {}
    for entry in node.get("properties", ()):
        value = entry["value"]
        if "value" in value:
            found[entry["name"]] = value["value"]
        elif related := value.get("relatedNodes"):
            found[entry["name"]] = [one.get("idref") or one.get("text") or "" for one in related]
    return found


__all__ = ["ACTIVE", "Merged", "frames_of", "merge"]
