"""Actions as Playwright-MCP words them: a tool call with a described element and its reference."""

from collections.abc import Callable
from typing import Any, Literal, Protocol

from pydantic import BaseModel

from worldtape.collectors.web.dialects.browsergym import Button, Modifier


class Field(BaseModel, extra="forbid"):
    """One field of a form."""

    name: str
    type: Literal["textbox", "checkbox", "radio", "combobox", "slider"]
    ref: str
    value: str


class PlaywrightMcp(Protocol):
    """Every method is a tool, its docstring what a prompt says of it."""

    def browser_navigate(self, url: str) -> None:
        """Navigate to a URL."""

    def browser_navigate_back(self) -> None:
        """Go back to the previous page."""

    def browser_navigate_forward(self) -> None:
        """Go forward to the next page."""

    def browser_click(
        self,
        ref: str,
        element: str = "",
        doubleClick: bool = False,  # noqa: N803 - as it is worded there
        button: Button = "left",
        modifiers: tuple[Modifier, ...] = (),
    ) -> None:
        """Click an element of the snapshot."""

    def browser_hover(self, ref: str, element: str = "") -> None:
        """Hover over an element of the snapshot."""

    def browser_drag(self, startRef: str, endRef: str, startElement: str = "", endElement: str = "") -> None:  # noqa: N803
        """Drag one element onto another."""

    def browser_type(self, ref: str, text: str, element: str = "", submit: bool = False, slowly: bool = False) -> None:
        """Type text into a field; `submit` presses Enter after it, `slowly` types key by key."""

    def browser_fill_form(self, fields: list[Field]) -> None:
        """Fill several fields of a form."""

    def browser_select_option(self, ref: str, values: list[str], element: str = "") -> None:
        """Select one or several options of a list."""

    def browser_press_key(self, key: str) -> None:
        """Press a key or a combination."""

    def browser_handle_dialog(self, accept: bool, promptText: str | None = None) -> None:  # noqa: N803
        """Answer an open dialog."""

    def browser_tabs(self, action: Literal["list", "new", "close", "select"], index: int | None = None) -> None:
        """List, open, close or select a tab."""

    def browser_wait_for(self, time: float | None = None, text: str | None = None, textGone: str | None = None) -> None:  # noqa: N803
        """Wait for so many seconds, or for a text to appear or to go."""

    def browser_snapshot(self) -> None:
        """Look at the page again."""

    def browser_close(self) -> None:
        """Close the page."""


def translate(name: str, given: dict[str, Any]) -> tuple[str, dict[str, Any]]:
    """Return the same action in the words of `BrowserGym`, and what has no word there in our own."""
    if name in _SAME:
        word, names = _SAME[name]
        return word, {names[key]: value for key, value in given.items() if key in names}
    return _OTHER[name](given)


_SAME: dict[str, tuple[str, dict[str, str]]] = {
    "browser_navigate": ("goto", {"url": "url"}),
    "browser_navigate_back": ("go_back", {}),
    "browser_navigate_forward": ("go_forward", {}),
    "browser_hover": ("hover", {"ref": "bid"}),
    "browser_drag": ("drag_and_drop", {"startRef": "from_bid", "endRef": "to_bid"}),
    "browser_type": ("type", {"ref": "bid", "text": "value", "submit": "submit", "slowly": "slowly"}),
    "browser_fill_form": ("fill_form", {"fields": "fields"}),
    "browser_select_option": ("select_option", {"ref": "bid", "values": "options"}),
    "browser_press_key": ("keyboard_press", {"key": "key"}),
    "browser_handle_dialog": ("handle_dialog", {"accept": "accept", "promptText": "text"}),
    "browser_wait_for": ("wait_for", {"time": "seconds", "text": "text", "textGone": "gone"}),
    "browser_close": ("tab_close", {}),
}


def _click(given: dict[str, Any]) -> tuple[str, dict[str, Any]]:
    word = "dblclick" if given.get("doubleClick") else "click"
    names = {"ref": "bid", "button": "button", "modifiers": "modifiers"}
    return word, {names[key]: value for key, value in given.items() if key in names}


def _tabs(given: dict[str, Any]) -> tuple[str, dict[str, Any]]:
    index = {} if given.get("index") is None else {"index": given["index"]}
    match given["action"]:
        case "new":
            return "new_tab", {}
        case "close":
            return "tab_close", index
        case "select":
            return "tab_focus", index or {"index": 0}
        case _:
            return "noop", {"wait_ms": 0}


_OTHER: dict[str, Callable[[dict[str, Any]], tuple[str, dict[str, Any]]]] = {
    "browser_click": _click,
    "browser_tabs": _tabs,
    "browser_snapshot": lambda _: ("noop", {"wait_ms": 0}),
}

__all__ = ["PlaywrightMcp", "translate"]
