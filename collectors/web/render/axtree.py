"""Pages in the manner of BrowserGym: the accessibility tree with ids in brackets."""

from __future__ import annotations

from typing import Any

from worldtape.collectors.web.render._fold import Fold, happened
from worldtape.collectors.web.tree import id_of
from worldtape.schemas import Rendering

_UNSAID = {
    "editable", "level", "settable", "multiline", "focusable", "labelledby", "hiddenRoot", "describedby", "controls",
}  # fmt: skip
_FLAGS = {"required", "focused", "atomic", "busy", "modal", "readonly", "multiselectable"}
"""Said by their name, and only where they hold."""
_LEFT_OUT = {"LineBreak"}
_GONE = {"browser": "The browser is gone.", "page": "The page crashed."}


class AxTree(Fold):
    """Renderer `web.axtree`, version 1: tabs, scroll position, focus, what happened, and the tree.

    One node per line, indented by tabs: `[id] role 'name' value='…', clickable, property=value`. Nodes that Chromium
    ignores are passed over, as are generic ones that say nothing, and texts that stand in the name above them.

    Args:
        boxes: say where each element is: `box="(left,top,width,height)"`, CSS pixels of the viewport.
    """

    def __init__(self, *, boxes: bool = False) -> None:
        super().__init__()
        self._boxes = boxes
        parameters = {"boxes": True} if boxes else {}
        self.rendering = Rendering(name="web.axtree", version="1", parameters=parameters)

    def tell(self, tree: dict[str, Any]) -> str:
        """Return a tree as text."""
        nodes, frames = tree.get("nodes") or [], tree.get("frames") or []
        lines = ["## Currently open tabs:"]
        for index, tab in enumerate(tree.get("tabs") or []):
            mark = " (active tab)" if tab.get("active") else ""
            lines += [f"Tab {index}{mark}:", f"    Title: {tab['title']}", f"    URL: {tab['url']}"]
        if "scroll" in tree:
            lines += ["", f"## Scroll position: {_place(tree)}"]
        focused = _focused(nodes)
        if nodes:
            lines += ["", f"## Focused element: {'none' if focused is None else '[' + id_of(focused, frames) + ']'}"]
        if dialog := tree.get("dialog"):
            lines += ["", f"## Open dialog: {dialog['type']} {dialog['message']!r}"]
            if "default" in dialog:
                lines[-1] += f", default {dialog['default']!r}"
        if error := tree.get("error"):
            lines += ["", "## Error from previous action:", str(error["message"])]
        if events := tree.get("events"):
            lines += ["", "## What happened:", *(f"- {happened(event)}" for event in events)]
        if tree.get("gone"):
            lines += ["", _GONE.get(tree["gone"], "The page is gone.")]
        if nodes:
            lines += ["", "## AXTree:", *self._tree(nodes, frames)]
        return "\n".join(lines)

    def _tree(self, nodes: list[dict[str, Any]], frames: list[dict[str, Any]]) -> list[str]:
        lines: list[str] = []
        stack: list[tuple[int, int, str]] = [(0, 0, "")]
        while stack:
            at, depth, above = stack.pop()
            node = nodes[at]
            said = None if _passed_over(node, above) else self._node(node, frames)
            if said is not None:
                lines.append("\t" * depth + said)
                depth += 1
            name = above if node.get("ignored") else node["name"]
            stack.extend((child, depth, name) for child in reversed(node.get("children", ())))
        return lines

    def _node(self, node: dict[str, Any], frames: list[dict[str, Any]]) -> str | None:
        said = list(self._said(node))
        if node["role"] == "generic" and not said:
            return None
        name = node["name"].strip()
        text = node["role"] if node["role"] == "generic" and not name else f"{node['role']} {name!r}"
        if "n" in node:
            text = f"[{id_of(node, frames)}] {text}"
        if node.get("value") is not None:
            text += f" value={str(node['value'])!r}"
        return ", ".join([text, *said])

    def _said(self, node: dict[str, Any]) -> Any:
        if self._boxes and "box" in node:
            yield 'box="({})"'.format(",".join(f"{value:g}" for value in node["box"]))
        if node.get("clickable"):
            yield "clickable"
        for name, value in node.get("props", {}).items():
            if name in _UNSAID or (name == "invalid" and value == "false"):
                continue
            if name not in _FLAGS:
                yield f"{name}={value!r}"
            elif value:
                yield name


def _passed_over(node: dict[str, Any], above: str) -> bool:
    if node.get("ignored") or node["role"] in _LEFT_OUT:
        return True
    return bool(node["role"] == "StaticText" and (not node["name"].strip() or node["name"].strip() in above))


def _focused(nodes: list[dict[str, Any]]) -> dict[str, Any] | None:
    return next((node for node in nodes if "n" in node and node.get("props", {}).get("focused")), None)


def _place(tree: dict[str, Any]) -> str:
    (left, top), (width, height) = tree["scroll"], tree["size"]
    seen = tree["viewport"]
    below = max(0.0, height - top - seen[1])
    beside = max(0.0, width - left - seen[0])
    text = f"{top:g} px above, {below:g} px below"
    return text + (f", {left:g} px left, {beside:g} px right" if left or beside else "")


__all__ = ["AxTree"]
