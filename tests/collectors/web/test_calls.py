"""Calls as text and as arguments, in both dialects."""

from __future__ import annotations

import ast
import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from worldtape.collectors.web import Element, Web, WebConfig, browser_call
from worldtape.collectors.web.calls import call_of, read_call, read_text
from worldtape.collectors.web.offered import tools_of
from worldtape.errors import ConfigError, InputError
from worldtape.schemas import Action

texts = st.text(st.characters(exclude_categories=["Cs"]))


@given(texts, texts)
def test_what_is_written_is_read_again(bid: str, value: str) -> None:
    for action in (
        browser_call("fill", bid, value),
        browser_call("click", bid, modifiers=["Shift"]),
        browser_call("browser_type", ref=bid, text=value, submit=True),
        browser_call("select_option", bid, [value, bid]),
        browser_call("browser_fill_form", fields=[{"name": value, "type": "textbox", "ref": bid, "value": value}]),
    ):
        assert read_text(action.text) == call_of(action)
        assert action.arguments is not None
        assert json.loads(action.arguments) == call_of(action).arguments


@pytest.mark.parametrize(
    ("text", "name", "meant"),
    [
        ('click("a12")', "click", {"bid": "a12"}),
        ("click(12)", "click", {"bid": "12"}),
        ("click('3', button='right')", "click", {"bid": "3", "button": "right"}),
        ("scroll(0, -300.5)", "scroll", {"delta_x": 0, "delta_y": -300.5}),
        (" noop()\n", "noop", {}),
        ('browser_click(element="Add", ref="e2", doubleClick=True)', "dblclick", {"bid": "e2"}),
        ('browser_tabs(action="close", index=1)', "tab_close", {"index": 1}),
        ('browser_tabs(action="list")', "noop", {"wait_ms": 0}),
        ("browser_navigate(url='http://a.example/')", "goto", {"url": "http://a.example/"}),
        ("browser_snapshot()", "noop", {"wait_ms": 0}),
        ("browser_wait_for(text='Done')", "wait_for", {"text": "Done"}),
    ],
)
def test_both_dialects_mean_the_same_things(text: str, name: str, meant: dict[str, object]) -> None:
    call = read_text(text)
    assert (call.name, call.given) == (name, meant)


@pytest.mark.parametrize(
    "text",
    [
        "", "click", "click(", "click('1') or 1", "click('1'); click('2')", "a.click('1')", "click(*['1'])",
        "lambda: 0", "click(**{})", "click(bid=open('x'))", "click('1', button='fourth')", "click(1.5)", "fill('1')",
        "goto(url=1)",
        "click('1', '2', '3', '4')", "browser_click('e1')", "browser_tabs(action='swap')", "noop(wait_ms='long')",
        "click(" * 3000, "noop(" + "-" * 9000 + "1)", "click(f'{1}')", "tab_focus([[[[[[[[[[1]]]]]]]]]])",
        "__init__()", "click({[1]: 2})", "scroll(1e999, 0)", "noop(1e999)",
    ],
)  # fmt: skip
def test_anything_else_is_refused(text: str) -> None:
    with pytest.raises(InputError):
        read_text(text)
    ast.parse("still = ['works']")


def test_other_kinds_and_unknown_names_are_refused() -> None:
    with pytest.raises(InputError, match="not keystrokes"):
        call_of(Action(kind="keystrokes", text="[]"))
    with pytest.raises(InputError, match="no action 'fly'"):
        read_call("fly", {})
    with pytest.raises(InputError, match="extra inputs"):
        read_call("click", {"bid": "1", "soft": True})


def test_arguments_that_are_no_object_are_refused() -> None:
    for told in ("[1]", '"abc"', "{", "null"):
        with pytest.raises(InputError, match="arguments of click"):
            call_of(Action(kind="browser_call", text="click", name="click", arguments=told))
    for arguments in ("abc", [1], {1: 2}, 7):
        asked = Web().parse({"name": "click", "arguments": arguments})
        assert asked is not None
        with pytest.raises(InputError):
            call_of(asked)


def test_an_element_gives_id_reference_and_target() -> None:
    element = Element(id="a7", ref="f1e7", role="button", name="Add", box=(1, 2, 3, 4), selector="#add")
    ours, theirs = browser_call("click", element=element), browser_call("browser_click", element=element)
    assert ours.text == 'click("a7")'
    assert theirs.text == 'browser_click(ref="f1e7", element="Add button")'
    for action in (ours, theirs):
        assert action.target is not None
        assert (action.target.id, action.target.role, action.target.selector) == ("a7", "button", "#add")
        assert action.target.box == (1, 2, 3, 4)


def test_tools_are_declared_with_their_schemas() -> None:
    ours, theirs = tools_of("web.axtree"), tools_of("web.snapshot")
    assert {"click", "fill", "goto", "noop", "send_msg_to_user", "tab_focus"} <= {tool.name for tool in ours}
    assert all(tool.name.startswith("browser_") for tool in theirs)
    for tool in (*ours, *theirs):
        assert tool.description
        assert tool.input_schema is not None
        assert json.loads(tool.input_schema)["type"] == "object"


def test_settings_are_checked() -> None:
    with pytest.raises(ConfigError, match="path of that site"):
        WebConfig(site="shop", url="http://elsewhere.example/")
    spec = WebConfig(site="shop", url="/cart", geolocation=(1.0, 2.0)).spec()
    assert (spec.kind, spec.network, spec.seed) == ("web", "none", 0)
    assert "geolocation" in WebConfig(geolocation=(1.0, 2.0)).context_options()["permissions"]
