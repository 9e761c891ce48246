"""The classes of the published recipe, against a plain reading of its table."""

from __future__ import annotations

import json
import math
from typing import Any

import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

from worldtape.errors import InputError
from worldtape.filters.turn_classes import TurnClasses, classify

SPACE = {*map(chr, range(0x21)), "\x7f", "\x85", "\xa0", *map(chr, range(0x2000, 0x200B)), "\u2028", "\u2029", "\u3000"}
PUNCTUATION = set("!\"#$%&'()*+,-./:;<=>?@[\\]^`{|}~")


def words(text: str, kind: str) -> set[str]:
    stop = SPACE | PUNCTUATION if kind == "word" else SPACE
    return set("".join(" " if c in stop else c for c in text.lower()).split(" ")) - {""}


def plain(action: str, observation: str, settings: TurnClasses) -> tuple[str, float, float, float, float]:
    wa, wo = words(action, settings.words), words(observation, settings.words)
    overlap = len(wa & wo) / len(wa) if wa else settings.empty_action_overlap
    novelty = len(wo - wa) / len(wo) if wo else settings.empty_observation_novelty
    jaccard = len(wa & wo) / len(wa | wo) if wa | wo else 0.0
    ratio = len(observation) / max(len(action), 1)
    short = len(observation) <= settings.short_chars
    rules = {
        "retrieval": novelty >= 0.6 and ratio > 1,
        "expansion": overlap >= 0.5 and novelty >= 0.5 and ratio > 1.5,
        "action": novelty >= 0.5 and (ratio <= 1 or short),
        "transform": novelty < 0.5 and ratio < 1,
        "boilerplate": overlap >= 0.5 and novelty < 0.5,
        "echo": overlap >= 0.7 and novelty < 0.3,
    }
    found = next((name for name in settings.precedence if name != "other" and rules[name]), "other")
    return found, overlap, novelty, jaccard, ratio


def turns(pairs: list[tuple[str | None, str | None]], kind: str = "tool_call") -> pl.DataFrame:
    columns = {"action_kind": [kind] * len(pairs), "action_text": [a for a, _ in pairs]}
    types: dict[str, Any] = dict.fromkeys(["action_kind", "action_text", "observation_text"], pl.String)
    return pl.DataFrame(columns | {"observation_text": [o for _, o in pairs]}, schema=types)


vocabulary = st.sampled_from(["ls", "cat", "File", "file", "total", "a", "b", "c", "É", "x_y", "1"])
gaps = st.sampled_from([" ", "\n", ", ", "\u3000", "/", "\t "])
texts = st.one_of(
    st.text(max_size=40),
    st.lists(st.tuples(vocabulary, gaps), max_size=15).map(lambda parts: "".join(w + g for w, g in parts)),
)
orders = st.permutations(["echo", "boilerplate", "transform", "retrieval", "expansion", "action", "other"])
choices = st.builds(
    TurnClasses,
    precedence=orders.flatmap(lambda order: st.integers(0, 7).map(lambda n: tuple(order[:n]))),
    short_chars=st.integers(0, 60),
    words=st.sampled_from(["word", "space"]),
    empty_action_overlap=st.sampled_from([0.0, 0.6, 1.0]),
    empty_observation_novelty=st.sampled_from([0.0, 0.5, 1.0]),
)


@given(st.lists(st.tuples(texts, texts), min_size=1, max_size=8), choices)
def test_equal_to_a_plain_reading(pairs, settings):
    found = classify(turns(pairs), settings)
    for (action, observation), row in zip(pairs, found.iter_rows(named=True), strict=True):
        stop = settings.precedence.index("other") if "other" in settings.precedence else None
        chosen = settings if stop is None else settings.model_copy(update={"precedence": settings.precedence[:stop]})
        name, overlap, novelty, jaccard, ratio = plain(action, observation, chosen)
        assert row["class"] == name
        assert (row["overlap"], row["novelty"], row["jaccard"], row["ratio"]) == (overlap, novelty, jaccard, ratio)


@pytest.mark.parametrize(
    ("action", "observation", "name", "weight"),
    [
        ("say one two three", "one two three say", "echo", 0.05),
        ("a b c d", "a b x", "boilerplate", 0.1),
        ("one two three four five six", "one", "transform", 0.5),
        ("cat notes", "alpha beta gamma delta", "retrieval", 1.0),
        ("alpha beta", "alpha beta gamma delta", "expansion", 1.0),
        ("run something long enough", "done", "action", 1.0),
        ("run", "", "action", 1.0),
    ],
)
def test_examples(action, observation, name, weight):
    row = classify(turns([(action, observation)]), TurnClasses()).row(0, named=True)
    assert (row["class"], row["weight"]) == (name, weight)


def test_keys_are_compared_and_not_their_json():
    shown = json.dumps([{"keystrokes": "echo one two\n"}, {"keystrokes": "é\n", "duration": 1}], ensure_ascii=False)
    typed = classify(turns([(shown, "echo one two é")], "keystrokes"), TurnClasses())
    assert typed["overlap"].to_list() == [1.0]
    syntax = classify(turns([(shown, "echo one two é")], "keystrokes"), TurnClasses(action="shown"))
    assert syntax["overlap"][0] < 1
    broken = classify(turns([("not json", "not")], "keystrokes"), TurnClasses())
    assert broken["overlap"].to_list() == [0.5]


def test_other_weights_and_null_texts():
    found = classify(turns([("a b", "b a"), (None, None)]), TurnClasses(kept={"echo": 0.25}))
    assert found["class"].to_list() == ["echo", "action"]
    assert found["weight"].to_list() == [0.25, 1.0]
    assert classify(turns([]), TurnClasses()).height == 0


@pytest.mark.parametrize("weight", [-0.1, 1.1, math.nan, math.inf])
def test_a_weight_is_a_share(weight: float):
    with pytest.raises(InputError, match="kept"):
        TurnClasses(kept={"echo": weight})


def test_a_class_that_is_left_out_keeps_its_default():
    assert TurnClasses(kept={"echo": 0.25}).kept == TurnClasses().kept | {"echo": 0.25}
    assert TurnClasses(kept={}).kept["boilerplate"] == 0.1
