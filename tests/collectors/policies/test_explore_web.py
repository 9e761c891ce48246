"""The explorer of web sites, on pages written by hand."""

from __future__ import annotations

import asyncio
from random import Random
from typing import Any

import pytest

from tests.collectors.policies._pages import URL, Shown, node, page
from worldtape.collectors.policies import POLICIES
from worldtape.collectors.policies.explore_web import ExploreWeb
from worldtape.collectors.policies.explore_web.memory import Memory
from worldtape.collectors.policies.explore_web.page import Page
from worldtape.collectors.policies.explore_web.values import Values, kind_of, tables
from worldtape.collectors.web.tree import Element
from worldtape.errors import ConfigError, InputError
from worldtape.schemas import Action, Status

LOGIN = node(
    "form",
    "Sign in",
    node("textbox", "Email address", tag="input", attrs={"type": "email", "aria-required": "true"}),
    node("textbox", "Password", tag="input", attrs={"type": "password", "aria-required": "true"}),
    node("button", "Sign in", attrs={}),
)
SIGN_IN = page(
    node("main", "", LOGIN, node("StaticText", "Try ann@post.example with the password pear-tree-3."), tag="main")
)
LINKS = page(
    node("banner", "", node("link", "Home", tag="a", attrs={"href": "/"}), tag="header"),
    node(
        "main",
        "",
        *(node("link", f"Article {index}", tag="a", attrs={"href": f"/article/{index}"}) for index in range(4)),
        node("link", "Elsewhere", tag="a", attrs={"href": "https://other.example/"}),
        node("link", "Mail", tag="a", attrs={"href": "mailto:a@b.example"}),
        node("button", "Sold out", props={"disabled": True}),
        tag="main",
    ),
)


def play(shown: Shown, policy: ExploreWeb, steps: int, status: Status = Status.OK) -> list[Action]:
    """Let a policy act on a page that never changes."""

    async def run() -> list[Action]:
        done = []
        for _ in range(steps):
            action = await policy.next(shown.history)
            if action is None:
                break
            done.append(action)
            shown.answer(action, status)
        return done

    return asyncio.run(run())


def first(tree: dict[str, Any], seed: int = 0, **settings: Any) -> Action | None:
    return asyncio.run(ExploreWeb(seed, **settings).next(Shown(tree).history))


def test_the_same_seed_acts_the_same() -> None:
    texts = [[one.text for one in play(Shown(LINKS), ExploreWeb(seed), 25)] for seed in (3, 3, 4)]
    assert texts[0] == texts[1]
    assert texts[0] != texts[2]


@pytest.mark.parametrize("seed", range(5))
def test_nothing_is_done_twice_in_the_same_state(seed: int) -> None:
    """Until nothing is left to do: then it opens another page."""
    texts = [one.text for one in play(Shown(LINKS), ExploreWeb(seed), 40)]
    clicks = [text for text in texts if text.startswith(("click", "hover", "keyboard"))]
    assert len(clicks) == len(set(clicks))
    assert any(text.startswith("goto") for text in texts)


@pytest.mark.parametrize("seed", range(8))
def test_it_stays_on_its_site(seed: int) -> None:
    for action in play(Shown(LINKS), ExploreWeb(seed, failing=0.0), 30):
        assert action.target is None or action.target.name not in {"Elsewhere", "Mail"}
        assert not action.text.startswith("goto(") or URL in action.text


def test_it_comes_back_from_elsewhere() -> None:
    shown, policy = Shown(LINKS), ExploreWeb(1)
    action = asyncio.run(policy.next(shown.history))
    assert action is not None
    shown.answer(action, tree=page(node("link", "More", tag="a", attrs={"href": "/x"}), url="http://other.example/"))
    away = asyncio.run(policy.next(shown.history))
    assert away is not None
    assert away.text == f'goto("{URL}")'


@pytest.mark.parametrize(("accounts", "expected"), [((), "ann@post.example"), ((("bob", "secret-1"),), None)])
def test_it_signs_in_with_what_it_knows(accounts: Any, expected: str | None) -> None:
    texts = []
    for seed in range(12):
        texts += [one.text for one in play(Shown(SIGN_IN), ExploreWeb(seed, accounts=accounts, failing=0.0), 6)]
    assert any("pear-tree-3" in text for text in texts)
    assert any((expected or '"bob"') in text for text in texts)


def test_name_and_password_are_those_of_one_account() -> None:
    """Also where a name stands in the form already, from an attempt that failed."""
    filled = page(
        node("form", "", *(one | NAMED.get(one["name"], {}) for one in LOGIN["inside"])),
        node("StaticText", "Try ann@post.example with the password pear-tree-3."),
    )
    for seed in range(10):
        texts = [one.text for one in play(Shown(filled), ExploreWeb(seed, failing=0.0), 8)]
        given = [text for text in texts if "pear-tree-3" in text]
        assert not given or any("ann@post.example" in text for text in texts)


NAMED = {"Email address": {"value": "bob@post.example"}}


def test_a_dialog_is_answered_first() -> None:
    asked = page(node("main"), dialog={"type": "confirm", "message": "Really?"})
    action = first(asked)
    assert action is not None
    assert action.name == "handle_dialog"


@pytest.mark.parametrize("seed", range(4))
def test_enough_of_what_it_does_is_wrong(seed: int) -> None:
    shown, policy = Shown(LINKS), ExploreWeb(seed, failing=0.3)
    wrong = 0
    for index in range(60):
        shown.tree = LINKS | {"scroll": [0, index]}
        action = asyncio.run(policy.next(shown.history))
        assert action is not None
        fails = failing(action)
        wrong += fails
        shown.answer(action, Status.TOOL_ERROR if fails else Status.OK)
    assert 0.12 <= wrong / 60 <= 0.5


def failing(action: Action) -> bool:
    """Say whether a page like LINKS could not do this."""
    if action.name is None or action.name in {"fill", "check", "select_option", "press", "tab_focus"}:
        return True
    if action.name == "click":
        return action.target is None or action.target.name == "Sold out"
    if action.name == "keyboard_press":
        return any(word in action.text for word in ("Submit", "Entr", "down"))
    return action.name == "goto" and "article" not in action.text and f'"{URL}"' not in action.text


def test_it_words_actions_as_the_renderer_wants_them() -> None:
    given = play(Shown(SIGN_IN, "web.snapshot"), ExploreWeb(2, failing=0.0), 20)
    assert given
    assert all(one.name is not None and one.name.startswith("browser_") for one in given)
    assert any(one.text.startswith('browser_type(ref="e') for one in given)
    chosen = play(Shown(SIGN_IN), ExploreWeb(2, dialect="playwright-mcp", failing=0.0), 20)
    assert [one.text for one in chosen] == [one.text for one in given]


def test_it_ends_after_its_steps_and_with_the_environment() -> None:
    assert len(play(Shown(LINKS), ExploreWeb(0, steps=4), 10)) == 4
    assert POLICIES["explore-web"].from_config({"seed": 7, "steps": 2}).spec.seed == 7


def test_wrong_settings_and_environments_are_told() -> None:
    with pytest.raises(ConfigError, match="dialect"):
        ExploreWeb(0, dialect="gym")
    shown = Shown(None)
    with pytest.raises(InputError, match="keeps no tree"):
        asyncio.run(ExploreWeb(0).next(shown.history))


@pytest.mark.parametrize(
    ("label", "name", "type_", "kind"),
    [
        ("Email address", "email", "email", "email"),
        ("Newsletter", "email", "email", "email"),
        ("Repeat password", "repeat", "password", "repeat"),
        ("Current password", "old", "password", "old_password"),
        ("Name on the card", "holder", "text", "holder"),
        ("Name", "name", "text", "account"),
        ("Street and number", "street", "text", "street"),
        ("Quantity of Hand Trowel", "quantity-0", "number", "number"),
        ("Highest price (€)", "max", "text", "money"),
        ("Search the forum", "q", "", "search"),
        ("", "", "number", "number"),
        ("Wibble", "x", "text", "text"),
    ],
)
def test_fields_are_known_by_their_labels(label: str, name: str, type_: str, kind: str) -> None:
    assert kind_of(label, name, type_) == kind


def test_every_kind_has_a_right_and_a_wrong_value() -> None:
    values = Values(Memory(), Random(1))
    for row in tables()["kinds"]:
        assert row["kind"] in {kind_of(label, "", "") for label in [*LABELS, row["match"].strip("^$")]}, row
    for label in LABELS:
        field = Element("1", "e1", "textbox", label, tag="input")
        assert values.right(field)
        values.wrong(field)


LABELS = (
    "Search",
    "Email",
    "Repeat password",
    "Current password",
    "Password",
    "Card number",
    "Cardholder",
    "Valid until",
    "CVC",
    "Coupon",
    "Zip",
    "Street",
    "City",
    "Phone",
    "Full name",
    "Username",
    "Author",
    "Quantity",
    "Price",
    "Order number",
    "How many legs has a chair?",
    "Tags",
    "Title",
    "Note",
    "About you",
    "Message",
)


def test_persons_live_where_they_say() -> None:
    values = Values(Memory(), Random(5))
    assert (
        values.option(["Please choose", *(one["country"] for one in tables()["personas"])], wrong=False)
        == (values.persona["country"])
    )
    assert values.option(["Please choose"], wrong=False) is None


def test_pages_are_the_same_only_in_the_same_state() -> None:
    assert Page.of(SIGN_IN).key == Page.of(SIGN_IN).key
    assert Page.of(SIGN_IN).key != Page.of(SIGN_IN | {"scroll": [0, 100]}).key
    (form,) = Page.of(SIGN_IN).forms
    assert [one.name for one in form.fields] == ["Email address", "Password"]
    assert [one.name for one in Page.of(LINKS).disabled] == ["Sold out"]
