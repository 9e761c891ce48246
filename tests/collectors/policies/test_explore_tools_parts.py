"""Arguments for any schema, patterns, names, and what is learned from JSON and prose."""

from __future__ import annotations

import json
import re
from random import Random
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.collectors.policies._tools import tool
from worldtape.collectors.policies.explore_tools.json_facts import json_of, records, scalars
from worldtape.collectors.policies.explore_tools.make import Maker
from worldtape.collectors.policies.explore_tools.names import likeness, makes, place, words
from worldtape.collectors.policies.explore_tools.pattern import matching
from worldtape.collectors.policies.explore_tools.prose import facts_of, plain_words
from worldtape.collectors.policies.explore_tools.seen import Seen
from worldtape.collectors.policies.explore_tools.shape import Shape
from worldtape.collectors.policies.explore_tools.spoil import spoiled

NAMES = st.sampled_from(["id", "order_id", "path", "query", "limit", "name", "email", "tags", "from", "créé", "x"])


def bounds(kind: str, low: str, high: str) -> st.SearchStrategy[dict[str, Any]]:
    pair = st.tuples(st.integers(-50, 50), st.integers(0, 60))
    return pair.map(lambda given: {"type": kind, low: given[0], high: given[0] + given[1]})


def sizes(low: str, high: str, **more: Any) -> st.SearchStrategy[dict[str, Any]]:
    pair = st.tuples(st.integers(0, 4), st.integers(0, 30))
    return pair.map(lambda given: {low: given[0], high: given[0] + given[1], **more})


LEAVES = st.one_of(
    st.sampled_from(
        [
            {"type": "string"},
            {"type": ["string", "null"]},
            {"type": "boolean"},
            {"type": "null"},
            {"const": {"a": 1}},
            {"enum": ["a", 2, None]},
            {"type": "string", "format": "date"},
            {"type": "string", "format": "email"},
            {"type": "string", "format": "uuid"},
            {"type": "string", "format": "ipv4"},
            {"type": "string", "pattern": "^[A-Z]{3}-[0-9]{2,4}$"},
            {"type": "integer", "exclusiveMinimum": 3, "exclusiveMaximum": 5},
            {"type": "number", "exclusiveMinimum": 0},
            {"type": "integer", "multipleOf": 7, "minimum": -20, "maximum": 90},
            {"$ref": "#/$defs/leaf"},
            {"allOf": [{"type": "string"}, {"minLength": 3}]},
            {},
            True,
        ]
    ),
    bounds("integer", "minimum", "maximum"),
    bounds("number", "minimum", "maximum"),
    sizes("minLength", "maxLength", type="string"),
)


def grown(inner: st.SearchStrategy[Any]) -> st.SearchStrategy[Any]:
    properties = st.dictionaries(NAMES, inner, max_size=4)
    return st.one_of(
        properties.map(lambda found: {"type": "object", "properties": found, "required": sorted(found)[::2]}),
        properties.map(lambda found: {"type": "object", "properties": found, "additionalProperties": False}),
        inner.map(lambda found: {"type": "object", "additionalProperties": found}),
        st.tuples(inner, sizes("minItems", "maxItems")).map(
            lambda pair: {"type": "array", "items": pair[0], **pair[1]}
        ),
        st.lists(inner, min_size=1, max_size=3).map(lambda found: {"anyOf": found}),
    )


SCHEMAS = st.recursive(LEAVES, grown, max_leaves=8)


@given(st.dictionaries(NAMES, SCHEMAS, max_size=5), st.integers(0, 1000))
@settings(max_examples=150, deadline=None)
def test_what_is_made_fits(properties: dict[str, Any], seed: int) -> None:
    leaf = {"leaf": {"type": "integer", "minimum": 2, "maximum": 4}}
    shape = Shape(tool("do_it", properties, *sorted(properties)[::2], **{"$defs": leaf}))
    made = Maker(shape, Seen(), Random(seed)).arguments()
    assert made is not None
    assert shape.fits(made)
    assert json.loads(json.dumps(made)) == made


@given(st.dictionaries(NAMES, SCHEMAS, min_size=1, max_size=4), st.integers(0, 1000))
@settings(max_examples=60, deadline=None)
def test_what_is_spoiled_is_another_call(properties: dict[str, Any], seed: int) -> None:
    shape = Shape(tool("get_it", properties, *properties, **{"$defs": {"leaf": {"type": "integer"}}}))
    made = Maker(shape, Seen(), Random(seed)).arguments()
    assert made is not None
    found = spoiled(shape, made, Random(seed), ["get_it"])
    assert found is not None
    how, (name, given_) = found
    assert (name, given_) != ("get_it", made)
    assert (name == "get_it") == (how != "unknown_tool")


@pytest.mark.parametrize(
    "pattern", [r"^C-\d{4}$", r"[a-f0-9]{8}", r"^(open|paid)$", r"^\w+@x\.org$", r"^[^\d]+$", "^a?b*c+$", "[^/]{1,3}/."]
)
def test_patterns_are_matched(pattern: str) -> None:
    for seed in range(20):
        made = matching(pattern, Random(seed))
        assert made is not None
        assert re.search(pattern, made)


@pytest.mark.parametrize("pattern", [r"(?<=a)b", "(", r"\p{L}+", r"^(?!x).*\b$"])
def test_patterns_that_are_not_spoken(pattern: str) -> None:
    made = matching(pattern, Random(1))
    assert made is None or re.search(pattern, made)


@pytest.mark.parametrize(
    ("wanted", "found", "score"),
    [
        ("orderId", ("order", "id"), 4),
        ("order_ids", ("order", "id"), 4),
        ("customer_id", ("order", "id"), 0),
        ("customer", ("customer", "id"), 3),
        ("path", ("file", "path"), 3),
        ("directory", ("path",), 2),
        ("uri", ("url",), 2),
        ("amount_cents", ("total", "cent"), 1),
        ("limit", ("id",), 0),
        ("", ("id",), 0),
    ],
)
def test_names_meet(wanted: str, found: tuple[str, ...], score: int) -> None:
    assert likeness(words(wanted), found) == score


def test_what_a_tool_makes_is_new() -> None:
    assert makes("create_customer", ("name",), ("customer",))
    assert makes("write_file", ("path",), ("file",))
    assert makes("move_file", ("destination",), ("file",))
    assert not makes("create_order", ("customer", "id"), ("order",))
    assert not makes("read_file", ("path",), ("file",))
    assert place(("path",), "list_directory") == ("directory", "path")


def test_json_is_learned_by_its_keys() -> None:
    value = {"items": [{"id": "ORD-1", "total_cents": 5, "customer": {"id": "C-1", "name": "Ada"}}], "done": True}
    found = dict(scalars(value, ("order",)))
    assert found[("order", "id")] == "ORD-1"
    assert found[("customer", "id")] == "C-1"
    assert found[("total", "cent")] == 5
    assert dict(records(value))["C-1"] == {("name",): "Ada"}
    assert json_of('{"a": 1}\n{"a": 2}') == [{"a": 1}, {"a": 2}]
    assert json_of("[DIR] a") is None
    assert json_of("42") is None


def test_prose_is_learned_by_its_look() -> None:
    text = "see https://example.org/a?b=1, /srv/data/x.csv and ORD-2001.\nOwner: Ada Vos\n[DIR] notes\nb7e23ec29af22b0b"
    found = set(facts_of(text, ["/srv"]))
    assert {
        (("url",), "https://example.org/a?b=1"),
        (("path",), "/srv/data/x.csv"),
        (("code", "id"), "ORD-2001"),
        (("owner",), "Ada Vos"),
        (("directory", "path"), "/srv/notes"),
        (("commit", "hash"), "b7e23ec29af22b0b"),
    } <= found
    assert "data" in plain_words("the data of https://example.org")


def test_values_of_wrong_calls_are_not_learned() -> None:
    seen = Seen()
    seen.answer("list_orders", {"customer_id": "C-9"}, ["[]"], worked=True, right=False)
    assert seen.values(("customer", "id"), lambda _: True) == []
    seen.answer("list_orders", {"customer_id": "C-1"}, ["[]"], worked=True)
    assert seen.values(("customer", "id"), lambda _: True) == [("C-1", 1)]


def test_numbers_and_their_texts_serve_each_other() -> None:
    seen = Seen()
    seen.give(("user", "id"), "17")
    assert seen.values(("user", "id"), lambda value: isinstance(value, int)) == [(17, -1)]
    assert seen.values(("user", "id"), lambda value: isinstance(value, str)) == [("17", -1)]
