"""Schemas and checks of the three tools say the same."""

from __future__ import annotations

import json
from typing import Any

import hypothesis.strategies as st
import pytest
from hypothesis import given

from tests.collectors.mcp._run import in_loop
from tests.collectors.search._play import Play
from worldtape.collectors.mcp import resource_read, tool_call
from worldtape.collectors.search import SearchConfig, dict_memory, web_extractor, web_search
from worldtape.collectors.search.tools import declared, fault_of
from worldtape.schemas import Action, Status

NAMES = ("web_search", "web_extractor", "dict_memory")
SCHEMAS = {tool.name: json.loads(tool.input_schema or "") for tool in declared(NAMES)}
VALUES = st.one_of(
    st.sampled_from(
        ["add", "update", "retrieve", "retrieve_all", "remove", "remove_all", "x", "https://a.example/", ""]
    ),
    st.integers(),
    st.none(),
    st.lists(st.one_of(st.sampled_from(["a", "b c", ""]), st.integers()), max_size=3),
    st.lists(st.just("q"), min_size=19, max_size=22),
)
ARGUMENTS = st.dictionaries(st.sampled_from(["queries", "url", "goal", "action", "key", "value", "other"]), VALUES)


@pytest.mark.parametrize("name", NAMES)
@given(arguments=ARGUMENTS)
def test_checks_agree_with_the_schema(name: str, arguments: dict[str, Any]) -> None:
    from jsonschema import Draft202012Validator

    fits = Draft202012Validator(SCHEMAS[name]).is_valid(arguments)
    assert (fault_of(name, arguments) is None) == fits


@pytest.mark.parametrize(
    ("name", "arguments", "told"),
    [
        ("web_search", {}, "missing required argument 'queries'"),
        ("web_search", {"queries": "tides"}, "argument 'queries' must be a list of strings"),
        ("web_search", {"queries": []}, "argument 'queries' must hold at least one query"),
        ("web_search", {"queries": ["a", 5]}, "argument 'queries' item 1 must be a string"),
        ("web_search", {"queries": ["  "]}, "argument 'queries' item 0 must not be empty"),
        ("web_search", {"queries": ["q"] * 21}, "argument 'queries' must hold at most 20 queries"),
        ("web_search", {"queries": ["a"], "n": 3}, "unexpected argument 'n'"),
        ("web_extractor", {"url": 7}, "argument 'url' must be a string"),
        ("dict_memory", {"action": "store"}, "argument 'action' must be one of: add, update, retrieve, retrieve_all"),
        ("dict_memory", {"action": "add", "key": "k"}, "action 'add' needs the argument 'value'"),
    ],
)
def test_a_wrong_call_is_told_what_is_wrong(name: str, arguments: dict[str, Any], told: str) -> None:
    assert str(fault_of(name, arguments)).startswith(told)


def test_right_calls() -> None:
    for action in (web_search("a", "b"), web_extractor("https://a.example/", "dates"), dict_memory("add", "k", "v")):
        assert action.kind == "tool_call"
        assert fault_of(str(action.name), json.loads(action.arguments or "")) is None
    assert dict_memory("retrieve_all").text == '{"arguments":{"action":"retrieve_all"},"name":"dict_memory"}'


@in_loop
async def test_what_is_no_call_is_rejected() -> None:
    strange = [
        (Action(kind="tool_call", text="hello"), "invalid_action"),
        (Action(kind="keystrokes", text="ls"), "invalid_action"),
        (resource_read("file:///x"), "invalid_action"),
        (tool_call("web_searches", {}), "unknown_tool"),
        (Action(kind="tool_call", text="x", name="web_search", arguments="{"), "invalid_arguments"),
        (Action(kind="tool_call", text="x", name="web_search", arguments="[]"), "invalid_arguments"),
        (tool_call("dict_memory", {"action": ["add"]}), "invalid_arguments"),
    ]
    async with Play() as play:
        for action, kind in strange:
            result = await play(action)
            assert result.outcome.status is Status.REJECTED
            assert result.outcome.error is not None
            assert result.outcome.error.type == kind
            assert result.observation.text == f"Error: {result.outcome.error.message}"
        assert await play.search.facts() == {"memory": {}, "queries": [], "found": [], "visited": []}


@in_loop
async def test_only_the_tools_that_are_offered() -> None:
    async with Play(SearchConfig(tools=("web_search",))) as play:
        assert [tool.name for tool in play.ready.environment.tools] == ["web_search"]
        assert "Memory" not in str(play.ready.initial_state.text)
        result = await play(dict_memory("retrieve_all"))
        assert result.observation.text == "Error: unknown tool 'dict_memory'"


@in_loop
async def test_calls_are_read_from_text() -> None:
    async with Play() as play:
        action = play.search.parse('{"name": "dict_memory", "arguments": {"action": "retrieve_all"}}')
        assert action is not None
        assert await play.text(action) == "Memory is empty."
        assert play.search.parse("") is None
