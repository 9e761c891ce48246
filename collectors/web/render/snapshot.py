"""Pages in the manner of Playwright-MCP: a YAML snapshot with references."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from typing import Any

from worldtape.collectors.web.render._fold import Fold, happened
from worldtape.collectors.web.tree import ref_of
from worldtape.schemas import Rendering

_ROLES = {
    "ColorWell": "textbox",
    "Date": "textbox",
    "DateTime": "textbox",
    "DisclosureTriangle": "button",
    "Iframe": "iframe",
    "IframePresentational": "iframe",
    "InputTime": "textbox",
    "MathMLMath": "math",
    "PopUpButton": "combobox",
    "SvgRoot": "img",
    "image": "img",
}
"""Chromium's names of roles to those of ARIA; its other ones in capitals are generic."""
_TEXT = {"StaticText"}
_LEFT_OUT = {"ListMarker", "LineBreak"}
_SEALED = {"Date", "DateTime", "InputTime", "ColorWell"}
"""Fields whose inner parts are the browser's own."""
_FIELDS = {"textbox", "searchbox", "slider", "spinbutton", "meter", "progressbar", "scrollbar"}
_SPACE = re.compile(r"\s+")
_SPECIAL = re.compile(r"""^[\s"'\[\]{}&*!|>%@`#,?:-]|[:#]\s|:$|[\x00-\x1f\x7f]|\s$""")
_GONE = {"browser": "The browser is gone.", "page": "The page crashed."}


class Snapshot(Fold):
    """Renderer `web.snapshot`, version 1: the page's address and title, tabs, what happened, and a snapshot in YAML.

    One node per line: `- role "name" [state] [ref=e12] [cursor=pointer]: text`. Generic nodes that say nothing are left
    out and what they hold moves up.
    """

    def __init__(self) -> None:
        super().__init__()
        self.rendering = Rendering(name="web.snapshot", version="1")

    def tell(self, tree: dict[str, Any]) -> str:
        """Return a tree as text."""
        lines: list[str] = []
        if error := tree.get("error"):
            lines += ["### Result", f"Error: {error['message']}", ""]
        if len(tree.get("tabs") or []) > 1:
            lines.append("### Open tabs")
            for index, tab in enumerate(tree["tabs"]):
                mark = "(current) " if tab.get("active") else ""
                lines.append(f"- {index}: {mark}[{tab['title']}]({tab['url']})")
            lines.append("")
        if dialog := tree.get("dialog"):
            said = f'- ["{dialog["type"]}" dialog with message "{dialog["message"]}"]'
            lines += ["### Modal state", f"{said}: can be handled by the browser_handle_dialog tool", ""]
        if events := tree.get("events"):
            lines += ["### Events", *(f"- {happened(event)}" for event in events), ""]
        lines += ["### Page state", f"- Page URL: {tree.get('url', '')}", f"- Page Title: {tree.get('title', '')}"]
        if tree.get("scroll") and any(tree["scroll"]):
            lines.append("- Scroll position: {:g}, {:g}".format(*tree["scroll"]))
        if tree.get("gone"):
            lines.append(f"- {_GONE.get(tree['gone'], 'The page is gone.')}")
        nodes = tree.get("nodes") or []
        if nodes:
            lines += ["- Page Snapshot:", "```yaml", *_yaml(nodes), "```"]
        return "\n".join(lines)


def _yaml(nodes: list[dict[str, Any]]) -> Iterator[str]:
    stack: list[tuple[int, int, str]] = [(0, 0, "")]
    while stack:
        at, depth, above = stack.pop()
        node = nodes[at]
        role = _role(node)
        if role == "text":
            text = _plain(node["name"])
            if text and text not in above:
                yield "  " * depth + f"- text: {_scalar(text)}"
            continue
        if role is None:
            name = above
        else:
            name = _plain(node["name"])
            line, inline = _line(nodes, node, role, name)
            yield "  " * depth + line
            depth += 1
            if role == "link" and (url := node.get("attrs", {}).get("href")):
                yield "  " * depth + f"- /url: {_scalar(url)}"
            if inline or node["role"] in _SEALED:
                continue
        stack.extend((child, depth, name) for child in reversed(node.get("children", ())))


def _role(node: dict[str, Any]) -> str | None:
    """Return the role as ARIA has it, `text`, or None where the node is passed over."""
    role = str(node["role"])
    if node.get("ignored") or role in _LEFT_OUT or role in {"RootWebArea", "MenuListPopup", "none"}:
        return None
    if role in _TEXT:
        return "text"
    known = _ROLES.get(role) or (role if role[0].islower() else "generic")
    if known != "generic":
        return known
    properties = node.get("props", {})
    says = node["name"].strip() or node.get("clickable") or properties.get("focusable") or "expanded" in properties
    return known if says else None


def _line(nodes: list[dict[str, Any]], node: dict[str, Any], role: str, name: str) -> tuple[str, bool]:
    """Return a node's line without its indentation, and whether all that is in it stands there."""
    text = f"- {role}" + (f" {json.dumps(name, ensure_ascii=False)}" if name else "")
    text += "".join(f" [{state}]" for state in _states(node, role))
    if "n" in node:
        text += f" [ref={ref_of(node)}]"
    if node.get("cursor") == "pointer":
        text += " [cursor=pointer]"
    inside = _texts_only(nodes, node, role)
    if inside is None:
        return text + (":" if node.get("children") or role == "link" else ""), False
    if inside and inside not in name:
        return f"{text}: {_scalar(inside)}", True
    return text, True


def _states(node: dict[str, Any], role: str) -> Iterator[str]:
    properties = node.get("props", {})
    for name in ("checked", "pressed"):
        if (value := properties.get(name)) in {"true", "mixed", True}:
            yield name if value != "mixed" else f"{name}=mixed"
    for name, word in (("disabled", "disabled"), ("expanded", "expanded"), ("selected", "selected")):
        if properties.get(name) in {True, "true"}:
            yield word
    if role == "heading" and "level" in properties:
        yield f"level={properties['level']}"
    if properties.get("focused"):
        yield "active"


def _texts_only(nodes: list[dict[str, Any]], node: dict[str, Any], role: str) -> str | None:
    """Return what a node holds where that is nothing but text; None where it holds more."""
    if role in _FIELDS:
        return _plain(str(node.get("value") or ""))
    if role == "link":
        return None
    texts: list[str] = []
    stack = list(reversed(node.get("children", ())))
    while stack:
        below = nodes[stack.pop()]
        known = _role(below)
        if known == "text":
            texts.append(below["name"])
        elif known is not None:
            return None
        else:
            stack.extend(reversed(below.get("children", ())))
    return _plain(" ".join(texts))


def _plain(text: str) -> str:
    return _SPACE.sub(" ", text).strip()


def _scalar(text: str) -> str:
    return json.dumps(text, ensure_ascii=False) if _SPECIAL.search(text) else text


__all__ = ["Snapshot"]
