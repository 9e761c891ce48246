"""Actions as BrowserGym words them: a function call by element id."""

from typing import Literal, Protocol

Button = Literal["left", "middle", "right"]
Modifier = Literal["Alt", "Control", "ControlOrMeta", "Meta", "Shift"]


class BrowserGym(Protocol):
    """Every method is an action, its docstring what a prompt says of it."""

    def noop(self, wait_ms: float = 1000) -> None:
        """Do nothing, and wait for so many milliseconds."""

    def send_msg_to_user(self, text: str) -> None:
        """Say something to the user."""

    def report_infeasible(self, reason: str) -> None:
        """Tell the user that the task cannot be done."""

    def scroll(self, delta_x: float, delta_y: float) -> None:
        """Turn the mouse wheel by so many pixels."""

    def fill(self, bid: str, value: str) -> None:
        """Replace the text of a field."""

    def select_option(self, bid: str, options: str | list[str]) -> None:
        """Choose one or several options of a list, by value or label."""

    def click(self, bid: str, button: Button = "left", modifiers: tuple[Modifier, ...] = ()) -> None:
        """Click an element."""

    def dblclick(self, bid: str, button: Button = "left", modifiers: tuple[Modifier, ...] = ()) -> None:
        """Double-click an element."""

    def check(self, bid: str) -> None:
        """Check a checkbox, a radio button or a switch."""

    def uncheck(self, bid: str) -> None:
        """Uncheck a checkbox or a switch."""

    def hover(self, bid: str) -> None:
        """Move the mouse onto an element."""

    def press(self, bid: str, key_comb: str) -> None:
        """Focus an element and press a key or a combination, such as `Enter` or `Control+a`."""

    def focus(self, bid: str) -> None:
        """Focus an element."""

    def clear(self, bid: str) -> None:
        """Empty a field."""

    def drag_and_drop(self, from_bid: str, to_bid: str) -> None:
        """Drag one element onto another."""

    def upload_file(self, bid: str, file: str | list[str]) -> None:
        """Give a file field one or several of the files that are there to be uploaded."""

    def mouse_move(self, x: float, y: float) -> None:
        """Move the mouse to a place of the viewport."""

    def mouse_click(self, x: float, y: float, button: Button = "left") -> None:
        """Click at a place of the viewport."""

    def mouse_dblclick(self, x: float, y: float, button: Button = "left") -> None:
        """Double-click at a place of the viewport."""

    def mouse_drag_and_drop(self, from_x: float, from_y: float, to_x: float, to_y: float) -> None:
        """Drag from one place of the viewport to another."""

    def keyboard_press(self, key: str) -> None:
        """Press a key or a combination in what has the focus."""

    def keyboard_type(self, text: str) -> None:
        """Type text, key by key, into what has the focus."""

    def keyboard_insert_text(self, text: str) -> None:
        """Put text, at once, into what has the focus."""

    def goto(self, url: str) -> None:
        """Open an address."""

    def go_back(self) -> None:
        """Go back in the history of the tab."""

    def go_forward(self) -> None:
        """Go forward in the history of the tab."""

    def reload(self) -> None:
        """Load the page again."""

    def new_tab(self) -> None:
        """Open an empty tab and go there."""

    def tab_close(self) -> None:
        """Close the tab."""

    def tab_focus(self, index: int) -> None:
        """Go to another tab, counted from 0."""

    def handle_dialog(self, accept: bool, text: str | None = None) -> None:
        """Answer an open dialog; `text` is what is typed into a prompt."""


__all__ = ["BrowserGym", "Button", "Modifier"]
