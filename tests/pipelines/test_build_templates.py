"""System prompts: every template, with and without each slot."""

from __future__ import annotations

from itertools import product

import pytest

from worldtape.errors import NotFoundError
from worldtape.pipelines.build._draw import choose, draw
from worldtape.pipelines.build._templates import domains, render, template_id, variants

ALL = [name for domain in domains() for corpus in ("cpt", "sft") for name in variants(domain, corpus)]
STATE = 'OS: <Debian> & "co"\n\n\n{{ not a template }} {% if %}\n'
ORDER = "Every second call answers 502.\n\n\n\nSay so."


def test_one_for_cpt_and_several_for_sft() -> None:
    assert domains() == ("terminal",)
    assert len(variants("terminal", "cpt")) == 1
    assert len(variants("terminal", "sft")) >= 3
    lengths = sorted(len(render(name, demonstrations=False)) for name in variants("terminal", "sft"))
    assert lengths[-1] > 3 * lengths[0]


@pytest.mark.parametrize("name", ALL)
def test_every_slot_is_optional(name: str) -> None:
    for state, order, shown in product((None, "", STATE), (None, ORDER), (False, True)):
        text = render(name, initial_state=state, simulation_instruction=order, demonstrations=shown)
        assert (STATE in text) == (state == STATE)
        assert (ORDER in text) == (order == ORDER)
        assert ("dev@box" in text) == shown
        assert "\x00" not in text
        assert text == text.strip() or text.endswith((STATE, ORDER))


@pytest.mark.parametrize("name", ALL)
def test_headings_are_set_off_and_parameters_are_used(name: str) -> None:
    text = render(name, initial_state="S", simulation_instruction="I", parameters={"cols": 99, "rows": 33})
    lines = text.splitlines()
    for place, line in enumerate(lines):
        if line.startswith("# ") and place:
            assert not lines[place - 1]
            assert not lines[place + 1]
    assert "99 columns by 33 rows" in text
    by_rest = render(name, parameters={"wait": "settle", "timeout_s": 30.0})
    by_clock = render(name, parameters={"wait": "duration", "default_duration": 1.5})
    assert by_rest != by_clock
    assert "1.5 seconds" in by_clock


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
