"""Steps that are aimed by role and name."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest

from tests.collectors.policies._pages import URL, Shown, node, page
from worldtape.collectors.policies.web_script import WebScript
from worldtape.errors import ConfigError, InputError

PAGE = page(
    node("link", "More", tag="a", attrs={"href": "/1"}),
    node("link", "More", tag="a", attrs={"href": "/2"}),
    node("textbox", "Name", tag="input"),
    node("combobox", "Colour", node("option", "Red", tag="option"), tag="select"),
    url=URL + "shop/list",
)


def said(step: Any, renderer: str = "web.axtree") -> str | None:
    action = asyncio.run(WebScript([step]).next(Shown(PAGE, renderer).history))
    return None if action is None else action.text


@pytest.mark.parametrize(
    ("step", "gym", "mcp"),
    [
        ({"click": {"link": "More"}}, 'click("1")', 'browser_click(ref="e1", element="More link")'),
        ({"click": {"link": "More"}, "nth": 1}, 'click("2")', 'browser_click(ref="e2", element="More link")'),
        (
            {"fill": {"textbox": "Name"}, "value": "Ann"},
            'fill("3", "Ann")',
            'browser_type(ref="e3", text="Ann", element="Name textbox")',
        ),
        (
            {"select": {"combobox": "Colour"}, "value": "Red"},
            'select_option("4", "Red")',
            'browser_select_option(ref="e4", values=["Red"], element="Colour combobox")',
        ),
        ({"goto": "/cart"}, f'goto("{URL}cart")', f'browser_navigate(url="{URL}cart")'),
        ({"key": "Escape"}, 'keyboard_press("Escape")', 'browser_press_key(key="Escape")'),
        ({"back": None}, "go_back()", "browser_navigate_back()"),
        ('click("9")', 'click("9")', 'click("9")'),
    ],
)
def test_steps_in_both_dialects(step: Any, gym: str, mcp: str) -> None:
    assert said(step) == gym
    words = said(step, "web.snapshot")
    assert words is not None
    assert sorted(words.strip(")").replace("(", ", ").split(", ")) == sorted(
        mcp.strip(")").replace("(", ", ").split(", ")
    )


@pytest.mark.parametrize(
    "step",
    [
        {"klick": {"link": "More"}},
        {"click": "More"},
        {"click": {"link": "More"}, "extra": 1},
        {},
        {"goto": "/", "nth": 1},
    ],
)
def test_what_is_no_step_is_refused(step: Any) -> None:
    with pytest.raises(ConfigError, match="no step on a page"):
        WebScript([step])


def test_an_element_that_is_not_there_is_told_with_those_that_are() -> None:
    with pytest.raises(InputError, match=r"step 1: .*has no link 'Less'; of this role: More"):
        said({"click": {"link": "Less"}})
    with pytest.raises(InputError, match="no word in this dialect"):
        said({"tell": "Done."}, "web.snapshot")
    assert said({"tell": "Done."}) == 'send_msg_to_user("Done.")'


def test_it_ends_with_its_steps() -> None:
    assert asyncio.run(WebScript([]).next(Shown(PAGE).history)) is None
