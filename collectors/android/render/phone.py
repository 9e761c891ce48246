"""Screens as the state of a phone and a numbered list, in the manner of mobilerun."""

from __future__ import annotations

from collections.abc import Iterator

from worldtape.collectors.android.elements import Element
from worldtape.collectors.android.render._fold import Fold, quoted
from worldtape.collectors.android.screen import Screen

_SCHEMA = "'index. className: resourceId, text - bounds(x1,y1,x2,y2)'"
_KEYBOARD = {"True": "Visible", "False": "Hidden"}


class Phone(Fold):
    """Renderer `android.phone`, version 1: app, keyboard and focus as bullets, then the elements.

    `3. Button: "app:id/save", "Save" - (0,10,90,58)`; indices are those of the other renderers, from 0. An element
    without an id and a text is told by its class.
    """

    def __init__(self) -> None:
        super().__init__("android.phone")

    def tell(self, screen: Screen) -> Iterator[str]:
        """Give the lines of a screen."""
        if screen.capture.get("gone"):
            return
        state = screen.state
        name, package = state.get("app"), state.get("package")
        app = f"{name or package or 'Unknown'}" + (f" ({package})" if package and name else "")
        yield "**Current Phone State:**"
        yield f"• **App:** {app}"
        yield f"• **Keyboard:** {_KEYBOARD.get(str(state.get('keyboard')), 'Unknown')}"
        yield f"• **Focused Element:** '{_focus(screen)}'"
        yield ""
        yield f"Current Clickable UI elements from the device in the schema {_SCHEMA}:"
        yield from (_element(element) for element in screen.elements)
        if not screen.elements:
            yield "No UI elements found"


def _focus(screen: Screen) -> str:
    focused = next((one for one in screen.elements if one.is_("focused")), None)
    return str(screen.state.get("focus") or (focused.name if focused else "")).replace("\n", " ")


def _element(element: Element) -> str:
    text = element.text or element.desc or element.hint
    details = [quoted(word) for word in dict.fromkeys((element.res, text)) if word] or [quoted(element.short)]
    line = f"{element.index}. {element.short}: {', '.join(details)}"
    if element.bounds is not None:
        line += " - ({},{},{},{})".format(*element.bounds)
    return line


__all__ = ["Phone"]
