"""Words for what is to be done, in one of the two dialects."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from worldtape.collectors.policies.explore_web.config import Dialect
from worldtape.collectors.policies.explore_web.step import Step
from worldtape.collectors.web.calls import browser_call
from worldtape.collectors.web.tree import Element
from worldtape.schemas import Action

_GYM = {
    "back": "go_back",
    "close_tab": "tab_close",
    "forward": "go_forward",
    "key": "keyboard_press",
    "select": "select_option",
    "tab": "tab_focus",
    "tell": "send_msg_to_user",
    "wait": "noop",
}
"""Verbs that BrowserGym words otherwise."""


def say(step: Step, element: Element | None, dialect: Dialect, url: str) -> Action | None:
    """Return the action of a step; None where the dialect has no word for it.

    Args:
        step: `broken` and `wrong` pass on what they hold: text that is no call, and an id that is not there.
        element: the one that the step names.
        dialect: which words.
        url: of the page in front.
    """
    if step.verb == "disabled":
        return browser_call("click" if dialect == "browsergym" else "browser_click", element=element)
    if step.verb == "broken":
        return Action(kind="browser_call", text=str(step.value))
    if step.verb == "press" and dialect == "playwright-mcp":
        step = Step("key", value=step.value)  # the tool presses keys in what has the focus
        element = None
    return _gym(step, element) if dialect == "browsergym" else _mcp(step, element, url)


def _gym(step: Step, element: Element | None) -> Action:
    name = _GYM.get(step.verb, step.verb)
    if step.verb == "wrong":
        return browser_call("click", str(step.value))
    if step.verb == "fill_wrong":
        return browser_call("fill", *step.value)
    if step.verb == "scroll":
        return browser_call("scroll", 0, step.value)
    values = () if step.value is None else (step.value,)
    return browser_call(name, *values, element=element)


def _mcp(step: Step, element: Element | None, url: str) -> Action | None:
    if step.verb not in _MCP:
        return None
    name, given = _MCP[step.verb]
    return browser_call(name, element=element, **given(step.value, url))


def _ref(number: str) -> str:
    return f"e{number}" if number.isdigit() else number


_MCP: dict[str, tuple[str, Callable[[Any, str], dict[str, Any]]]] = {
    "back": ("browser_navigate_back", lambda *_: {}),
    "check": ("browser_click", lambda *_: {}),
    "click": ("browser_click", lambda *_: {}),
    "close_tab": ("browser_tabs", lambda *_: {"action": "close"}),
    "fill": ("browser_type", lambda value, _: {"text": value}),
    "fill_wrong": ("browser_type", lambda value, _: {"ref": _ref(value[0]), "text": value[1]}),
    "forward": ("browser_navigate_forward", lambda *_: {}),
    "goto": ("browser_navigate", lambda value, _: {"url": value}),
    "handle_dialog": ("browser_handle_dialog", lambda value, _: {"accept": value}),
    "hover": ("browser_hover", lambda *_: {}),
    "key": ("browser_press_key", lambda value, _: {"key": value}),
    "new_tab": ("browser_tabs", lambda *_: {"action": "new"}),
    "reload": ("browser_navigate", lambda _, url: {"url": url}),
    "scroll": ("browser_press_key", lambda value, _: {"key": "PageDown" if value > 0 else "PageUp"}),
    "select": ("browser_select_option", lambda value, _: {"values": [value]}),
    "tab": ("browser_tabs", lambda value, _: {"action": "select", "index": value}),
    "uncheck": ("browser_click", lambda *_: {}),
    "wrong": ("browser_click", lambda value, _: {"ref": _ref(value)}),
}
"""Verb to tool and its arguments, made of the step's value and the address of the page."""
