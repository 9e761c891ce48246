"""System prompts: every template, with and without each slot."""

from __future__ import annotations

import json
import re
from itertools import product
from typing import Any

import pytest

from worldtape.errors import NotFoundError
from worldtape.pipelines.build._draw import choose, draw
from worldtape.pipelines.build._templates import domains, render, template_id, variants
from worldtape.schemas import canonical_json

ALL = [name for domain in domains() for corpus in ("cpt", "sft") for name in variants(domain, corpus)]
STATE = 'OS: <Debian> & "co"\n\n\n{{ not a template }} {% if %}\n'
ORDER = "Every second call answers 502.\n\n\n\nSay so."
SHOWN = {
    "android": "Egg timer",
    "mcp": "kettle-04",
    "os": "jotter",
    "search": "tide gauge",
    "swe": "lathe/gear",
    "terminal": "dev@box",
    "web": "Harbour Ferries",
}
"""What stands in the demonstrations of a domain, and nowhere else."""
TERMINAL = [name for name in ALL if name.startswith("terminal/")]
WEB = [name for name in ALL if name.startswith("web/")]
SCHEMA = {
    "properties": {
        "id": {"type": "string"},
        "how": {"default": "left", "enum": ["left", "right"], "type": "string"},
        "many": {"anyOf": [{"items": {"type": "integer"}, "type": "array"}, {"type": "null"}], "default": None},
        "any": {},
    },
    "required": ["id"],
}
TOOLS: list[dict[str, Any]] = [
    {"name": "take", "description": "Take\n\n\n\n{{ it }} – away.", "input_schema": canonical_json(SCHEMA)},
    {"name": "leave", "description": None, "input_schema": None},
]
ODD: list[Any] = [True, 3, "x", [], {"properties": None}, {"properties": [1], "required": 3}]


@pytest.mark.parametrize("domain", sorted(SHOWN))
def test_one_for_cpt_and_several_for_sft(domain: str) -> None:
    assert domains() == tuple(sorted(SHOWN))
    assert len(variants(domain, "cpt")) == 1
    assert len(variants(domain, "sft")) >= 4
    lengths = sorted(len(render(name, demonstrations=False)) for name in variants(domain, "sft"))
    assert lengths[-1] > 3 * lengths[0]


@pytest.mark.parametrize("name", ALL)
def test_every_slot_is_optional(name: str) -> None:
    for state, order, shown in product((None, "", STATE), (None, ORDER), (False, True)):
        text = render(name, initial_state=state, simulation_instruction=order, demonstrations=shown)
        assert (STATE in text) == (state == STATE)
        assert (ORDER in text) == (order == ORDER)
        assert (SHOWN[name.partition("/")[0]] in text) == shown
        assert "\x00" not in text
        assert text == text.strip() or text.endswith((STATE, ORDER))


@pytest.mark.parametrize("name", ALL)
def test_headings_are_set_off(name: str) -> None:
    text = render(name, initial_state="S", simulation_instruction="I", renderer="web.axtree@1", tools=TOOLS[1:])
    lines = re.sub(r"```\n.*?\n```", "```", text, flags=re.DOTALL).splitlines()
    for place, line in enumerate(lines):
        if line.startswith("# ") and place:
            assert not lines[place - 1]
            assert not lines[place + 1]
    assert "\n\n\n" not in text


@pytest.mark.parametrize("name", TERMINAL)
def test_parameters_of_a_terminal_are_used(name: str) -> None:
    text = render(name, parameters={"cols": 99, "rows": 33})
    assert "99 columns by 33 rows" in text
    by_rest = render(name, parameters={"wait": "settle", "timeout_s": 30.0})
    by_clock = render(name, parameters={"wait": "duration", "default_duration": 1.5})
    assert by_rest != by_clock
    assert "1.5 seconds" in by_clock


@pytest.mark.parametrize("name", WEB)
def test_every_prompt_of_a_browser_names_its_renderer(name: str) -> None:
    size = {"width": 1111, "height": 777, "dialogs": "dismiss"}
    axtree, snapshot = (render(name, renderer=f"web.{one}@1", parameters=size) for one in ("axtree", "snapshot"))
    assert "`web.axtree@1`" in axtree
    assert "`web.snapshot@1`" in snapshot
    assert 'click("' in axtree
    assert "browser_click(" not in axtree
    assert "browser_click(" in snapshot
    assert "`web.axtree@1,web.snapshot@2`" in render(name, renderer="web.axtree@1,web.snapshot@2")
    assert "1111 × 777" in axtree
    assert "@" not in render(name)


@pytest.mark.parametrize("name", [name for name in ALL if name.startswith(("android/", "os/"))])
def test_every_prompt_of_a_screen_names_its_renderer_and_its_size(name: str) -> None:
    kind = {"android": ("android.elements", "android.tree"), "os": ("desktop.table", "desktop.tree")}
    first, second = kind[name.partition("/")[0]]
    one, other = (
        render(name, renderer=f"{made}@1", parameters={"width": 411, "height": 731}) for made in (first, second)
    )
    assert f"`{first}@1`" in one
    assert f"`{second}@1`" in other
    assert second not in one
    assert "411 × 731" in one
    assert "@" not in render(name)


@pytest.mark.parametrize("name", [name for name in ALL if name.startswith("swe/") and "terse" not in name])
def test_the_family_of_tools_decides_how_calls_look(name: str) -> None:
    by_tools = (render(name, tools=[{"name": tool}]) for tool in ("Read", "read_file"))
    by_renderer = (render(name, renderer=f"swe.{family}@1") for family in ("claude", "cli"))
    for claude, cli in (by_tools, by_renderer):
        assert '"name":"Read"}' in claude
        assert '"name":"read_file"}' in cli
        assert "Background PIDs" in cli
        assert "Background PIDs" not in claude
    assert '"name":"bash"}' in render(name)


@pytest.mark.parametrize("name", [name for name in ALL if name.startswith(("mcp/", "search/", "swe/"))])
def test_tools_stand_in_the_prompt_as_they_were_declared(name: str) -> None:
    lines = [line for line in render(name, tools=TOOLS).split("\n") if line.startswith('{"name":')]
    assert [json.loads(line) for line in lines] == [
        {"name": "take", "description": TOOLS[0]["description"], "arguments": SCHEMA},
        {"name": "leave"},
    ]
    assert "line of JSON each" not in render(name)


def test_the_actions_of_a_browser_are_signatures() -> None:
    text = render("web/cpt", tools=TOOLS)
    said = 'take(id: str, any: object = None, how: "left" | "right" = "left", many: list[int] | None = None)'
    assert f"- `{said}`: Take {{{{ it }}}} – away.\n- `leave()`\n" in text


@pytest.mark.parametrize(
    ("schema", "said"),
    [
        *((odd, "") for odd in ODD),
        ({"properties": {"a": True, "b": None}, "required": ["a", "a", {}]}, "a: object, b: object = None"),
        ({"properties": {"a": {"enum": None, "anyOf": None}}, "required": None}, "a: object = None"),
        ({"properties": {"a": {"anyOf": [True, {"type": ["string", "null"]}]}}}, "a: object | object = None"),
        ({"properties": {"a": {"type": "array", "items": True}}}, "a: list = None"),
    ],
)
def test_a_schema_of_any_shape_is_told(schema: Any, said: str) -> None:
    odd: list[dict[str, Any]] = [{"name": "odd", "description": None, "input_schema": canonical_json(schema)}]
    assert f"- `odd({said})`\n" in render("web/cpt", tools=odd)
    assert json.dumps({"name": "odd", "arguments": json.loads(canonical_json(schema))}) in render("mcp/cpt", tools=odd)


def test_the_id_follows_the_text() -> None:
    found = {template_id(name) for name in ALL}
    assert len(found) == len(ALL)
    assert all(len(one.partition("@")[2]) == 8 for one in found)


def test_an_unknown_domain_is_named() -> None:
    with pytest.raises(NotFoundError, match="terminal"):
        variants("nowhere", "sft")


def test_chance_is_the_same_everywhere() -> None:
    assert draw(0, "mask", "a:1") == draw(0, "mask", "a:1")
    assert draw(0, "a") != draw(1, "a")
    drawn = [draw(7, str(n)) for n in range(2000)]
    assert all(0 <= one < 1 for one in drawn)
    assert 0.47 < sum(drawn) / len(drawn) < 0.53
    assert {choose("abc", 0, str(n)) for n in range(50)} == set("abc")
