"""How tools are explored: by their schemas, on what was seen, seeded, and some of it wrongly."""

from __future__ import annotations

import json
from collections import Counter
from typing import Any

import pytest

from tests.collectors.policies._tools import Answer, arguments, play, tool
from worldtape.collectors.policies import POLICIES, ExploreTools
from worldtape.collectors.policies.explore_tools.shape import Shape
from worldtape.errors import ConfigError
from worldtape.schemas import Action, Tool

ORDER = {"type": "string", "pattern": "^ORD-[0-9]{4}$"}
TOOLS = [
    tool("list_orders", {"status": {"enum": ["open", "paid", "shipped"]}, "limit": {"type": "integer", "minimum": 1}}),
    tool("get_order", {"order_id": ORDER}, "order_id"),
    tool("ship_order", {"order_id": ORDER, "note": {"type": "string"}}, "order_id"),
    tool("sign_in", {"role": {"enum": ["clerk", "porter"]}}, "role", additionalProperties=False),
]


class Yard:
    """Three orders, of which only paid ones can be shipped, by porters."""

    def __init__(self) -> None:
        self.orders = {"ORD-1001": "open", "ORD-1002": "paid", "ORD-1003": "paid", "ORD-1004": "shipped"}
        self.role = "clerk"

    def answer(self, action: Action) -> Answer:
        shape = next((Shape(each) for each in TOOLS if each.name == action.name), None)
        given = arguments(action)
        if shape is None:
            return False, f"Unknown tool {action.name}", self.state
        if not shape.fits(given):
            return False, "Invalid arguments", self.state
        return (*getattr(self, action.name or "")(given), self.state)

    @property
    def state(self) -> Any:
        return [self.role, dict(self.orders)]

    def list_orders(self, given: dict[str, Any]) -> tuple[bool, str]:
        found = [self.shown(name) for name, status in self.orders.items() if given.get("status") in (None, status)]
        return True, json.dumps({"orders": found[: given.get("limit", 2)]})

    def get_order(self, given: dict[str, Any]) -> tuple[bool, str]:
        name = given["order_id"]
        return (True, json.dumps(self.shown(name))) if name in self.orders else (False, f"No order {name}")

    def ship_order(self, given: dict[str, Any]) -> tuple[bool, str]:
        name = given["order_id"]
        if self.role != "porter":
            return False, "Only a porter may ship; use sign_in."
        if self.orders.get(name) != "paid":
            return False, f"{name} is {self.orders.get(name)}: only paid orders are shipped"
        self.orders[name] = "shipped"
        return True, json.dumps(self.shown(name))

    def sign_in(self, given: dict[str, Any]) -> tuple[bool, str]:
        self.role = given["role"]
        return True, f"role: {self.role}"

    def shown(self, name: str) -> dict[str, Any]:
        return {"id": name, "status": self.orders[name]}


def explored(seed: int, steps: int = 40, **more: Any) -> tuple[list[Action], list[dict[str, Any]], Yard]:
    yard = Yard()
    actions, thoughts = play(ExploreTools(seed, **more), TOOLS, yard.answer, steps=steps)
    return actions, thoughts, yard


def test_the_same_seed_and_answers_give_the_same_calls() -> None:
    first, again, other = explored(3)[0], explored(3)[0], explored(4)[0]
    assert [action.text for action in first] == [action.text for action in again]
    assert [action.text for action in first] != [action.text for action in other]


def test_valid_calls_fit_and_wrong_ones_are_called_wrong() -> None:
    shapes = {each.name: Shape(each) for each in TOOLS}
    wrong = 0
    for seed in range(5):
        actions, thoughts, _ = explored(seed)
        for action, thought in zip(actions, thoughts, strict=True):
            fits = action.name in shapes and shapes[str(action.name)].fits(arguments(action))
            meant = thought["plan"] in {"valid", "again", "instead", "pointed to", "sought", "continued"}
            assert fits or not meant, (action.text, thought)
            wrong += not meant
    assert wrong > 5


def test_ids_are_real_once_they_were_seen() -> None:
    real = invented = 0
    for seed in range(5):
        actions, thoughts, yard = explored(seed)
        for action, thought in zip(actions[5:], thoughts[5:], strict=True):
            name = arguments(action).get("order_id")
            if thought["plan"] in {"valid", "instead"} and name is not None:
                real += name in yard.orders
                invented += name not in yard.orders
    assert real > 10 * max(1, invented)


def test_an_error_is_mended_by_what_it_names() -> None:
    plans = Counter(thought["plan"] for seed in range(5) for thought in explored(seed)[1])
    assert plans["pointed to"] > 2
    assert plans["again"] > 0
    assert all(list(explored(seed)[2].orders.values()).count("shipped") > 1 for seed in range(5))


@pytest.mark.parametrize("failing", [0.15, 0.4])
def test_a_share_of_the_calls_fails(failing: float) -> None:
    failed = total = 0
    for seed in range(6):
        actions, _, _ = explored(seed, failing=failing)
        yard = Yard()
        failed += sum(not yard.answer(action)[0] for action in actions)
        total += len(actions)
    assert failed / total >= 0.1
    assert abs(failed / total - failing) < 0.2


def test_nothing_is_repeated_for_ever() -> None:
    for seed in range(5):
        actions, _, _ = explored(seed)
        assert max(Counter(action.text for action in actions).values()) <= 3
    nothing: Answer = (True, "done", None)
    actions, _ = play(ExploreTools(1, failing=0), [tool("ping", {})], lambda _: nothing, steps=100)
    assert len(actions) < 12


def test_pages_are_turned() -> None:
    listing = tool("list_files", {"cursor": {"type": "string"}, "limit": {"type": "integer", "minimum": 1}})

    def answer(action: Action) -> Answer:
        page = int(arguments(action).get("cursor", "p0")[1:] or 0) if action.name == "list_files" else 0
        return True, json.dumps({"files": [{"path": f"/{page}.txt"}], "next_cursor": f"p{page + 1}"}), None

    actions, thoughts = play(ExploreTools(2, failing=0), [listing], answer, steps=20)
    turned = [arguments(action)["cursor"] for action, thought in zip(actions, thoughts, strict=True)
              if thought["plan"] == "continued"]  # fmt: skip
    assert "p2" in turned


def test_only_some_tools_and_given_values() -> None:
    git = [tool("git_log", {"repo_path": {"type": "string"}}, "repo_path"), tool("rm", {}), tool("git_gc", {})]
    policy = ExploreTools(5, only=("git_*",), avoid=("git_gc",), values={"repo_path": (".",)}, failing=0)
    actions, _ = play(policy, git, lambda _: (True, "ok", None), steps=1)
    assert [(action.name, arguments(action)) for action in actions] == [("git_log", {"repo_path": "."})]


def test_words_of_the_task_are_searched_for() -> None:
    search = tool("web_search", {"queries": {"type": "array", "items": {"type": "string"}, "minItems": 1}}, "queries")
    policy = ExploreTools(1, failing=0)
    actions, _ = play(policy, [search], lambda _: (True, "[1] nothing", None), steps=6, task="Who built Lervik light?")
    asked = " ".join(query for action in actions for query in arguments(action)["queries"])
    assert {"Lervik", "built"} & set(asked.split())


def test_without_tools_there_is_nothing_to_do() -> None:
    assert play(ExploreTools(1), [], lambda _: (True, "", None))[0] == []


@pytest.mark.parametrize(
    "schema", [None, "{", "[]", "true", '{"type": "frobnicate"}', '{"$ref": "http://127.0.0.1:9/x"}']
)
def test_odd_schemas_do_no_harm(schema: str | None) -> None:
    odd = [Tool(name="odd", input_schema=schema), *TOOLS]
    actions, _ = play(ExploreTools(1), odd, Yard().answer, steps=30)
    assert len(actions) == 30


def test_it_is_made_from_a_job_file() -> None:
    policy = POLICIES["explore-tools"].from_config({"seed": 7, "failing": 0.3})
    assert (policy.spec.kind, policy.spec.seed, policy.spec.parameters["failing"]) == ("explore-tools", 7, 0.3)
    assert policy.action_kinds == {"tool_call"}
    with pytest.raises(ConfigError, match="failing"):
        POLICIES["explore-tools"].from_config({"failing": 2})
