"""Each filter rejects what it names, and keeps failures."""

from __future__ import annotations

from typing import Any

import pytest

from tests.filters.frames import frame
from worldtape.errors import NotFoundError
from worldtape.filters import FILTERS, Filter, first_reason, judge
from worldtape.filters.empty_action import EmptyAction
from worldtape.filters.environment_failure import EnvironmentFailure
from worldtape.filters.failed_start import FailedStart
from worldtape.filters.few_turns import FewTurns
from worldtape.filters.infra_error import InfraError
from worldtape.filters.no_change import NoChange
from worldtape.filters.no_observation import NoObservation
from worldtape.filters.render_mismatch import RenderMismatch
from worldtape.filters.retry_cycle import RetryCycle
from worldtape.filters.undeclared_tool import UndeclaredTool

TOOLS = '[{"description":"says \\"name\\":\\"fetch\\"","input_schema":"{\\"name\\":\\"rm\\"}","name":"read"}]'


def kept(chosen: Filter, *rows: dict[str, Any]) -> list[bool]:
    judged = judge(chosen, frame(*rows))
    assert judged.columns == ["keep", "reason", "score"]
    assert judged["reason"].to_list() == [None if keep else chosen.reason for keep in judged["keep"]]
    return judged["keep"].to_list()


def keys(*strokes: str) -> str:
    return "[" + ", ".join(f'{{"keystrokes": "{stroke}"}}' for stroke in strokes) + "]"


def test_every_filter_is_registered_under_its_reason():
    assert {name: FILTERS[name].reason for name in FILTERS} == {name: name for name in FILTERS}
    with pytest.raises(NotFoundError, match="did you mean 'few_turns'"):
        FILTERS["few_turn"]


@pytest.mark.parametrize("name", sorted(FILTERS))
def test_failures_of_the_environment_are_kept(name):
    errors = [
        {"status": status, "action_text": keys(f"{n}\\n"), "observation_text": f"error {n}"}
        for n, status in enumerate(["tool_error", "timeout_still_running", "timeout_killed", "interrupted", "ok"])
    ]
    assert kept(FILTERS[name](), *errors) == [True] * 5


def test_few_turns_counts_answers():
    one, two = {"trajectory_id": "a"}, {"trajectory_id": "b"}
    gone = {"trajectory_id": "c", "status": "infra_error"}
    rows = (one, two, two, {"trajectory_id": "c"}, gone, {"trajectory_id": "d", "step": None, "observation_text": None})
    assert kept(FewTurns(), *rows) == [False, True, True, False, False, False]
    assert kept(FewTurns(minimum=1), *rows) == [True, True, True, True, True, False]


def test_failed_start():
    rows = (
        {"trajectory_id": "a", "end_status": "failed", "initial_text": None, "step": None},
        {"trajectory_id": "b", "end_status": "failed"},
        {"trajectory_id": "c", "initial_text": None},
    )
    assert kept(FailedStart(), *rows) == [False, True, True]


@pytest.mark.parametrize("domain", ["mcp", "swe"])
def test_undeclared_tool(domain):
    call = {"domain": domain, "tools": TOOLS, "action_kind": "tool_call"}
    rows = (
        call | {"trajectory_id": "a", "action_name": "read"},
        call | {"trajectory_id": "b", "action_name": "read"},
        call | {"trajectory_id": "b", "action_name": "rm"},
        call | {"trajectory_id": "c", "action_name": "fetch"},
        call | {"trajectory_id": "d", "action_name": "rm", "tools": None},
        call | {"trajectory_id": "e", "action_name": "rm", "domain": "terminal"},
        call | {"trajectory_id": "f", "action_name": None},
        call | {"trajectory_id": "f", "action_kind": "resource_read", "action_name": "resources/read"},
    )
    assert kept(UndeclaredTool(), *rows) == [True, False, False, False, True, True, True, True]


def test_a_server_that_says_there_is_no_such_tool_is_right():
    call = {"domain": "mcp", "tools": TOOLS, "action_kind": "tool_call", "action_name": "rm"}
    rows = [
        call | {"trajectory_id": status, "status": status} for status in ("tool_error", "protocol_error", "rejected")
    ]
    assert kept(UndeclaredTool(), *rows, call) == [True, True, True, False]
    assert kept(UndeclaredTool(refused="reject"), *rows, call) == [False] * 4


@pytest.mark.parametrize("text", ["Please solve this CAPTCHA", "Verify you are human"])
def test_who_is_shut_out_saw_no_environment(text):
    page = {"domain": "web", "observation_text": "a page"}
    bad = {"observation_text": text}
    rows = (*[page] * 8, page | bad, page | {"trajectory_id": "b"}, bad | {"trajectory_id": "c"})
    assert kept(EnvironmentFailure(), *rows) == [False] * 9 + [True] * 2
    assert kept(EnvironmentFailure(), page | {"initial_text": text}, page) == [False, False]
    assert kept(EnvironmentFailure(shut_out=()), *rows) == [True] * 11


@pytest.mark.parametrize(
    "bad",
    [
        *({"observation_text": text} for text in ("404 Not Found\nnginx", "502 Bad Gateway", "", "  \n")),
        {"status": "tool_error", "error_type": "http_error"},
        {"status": "env_error"},
    ],
)
@pytest.mark.parametrize("domain", ["android", "os", "web"])
def test_some_failed_pages_are_dynamics_and_many_a_failure(bad, domain):
    page = {"domain": domain, "observation_text": "a page"}
    rows = (
        page,
        page | bad,
        page | bad | {"trajectory_id": "b"},
        page | {"trajectory_id": "c"},
        bad | {"trajectory_id": "d"},
    )
    assert kept(EnvironmentFailure(), *rows) == [True, True, False, True, True]
    assert kept(EnvironmentFailure(tolerated=0), *rows) == [False, False, False, True, True]
    assert kept(EnvironmentFailure(tolerated=1), *rows) == [True] * 5


def test_empty_action():
    wait = {"action_text": keys(""), "wait_s": 2.0}
    rows = (
        {"action_text": ""},
        {"action_text": " "},
        {"action_text": keys("")},
        wait,
        {"action_text": keys("", "x")},
        {"action_kind": "tool_call", "action_text": "{}"},
    )
    assert kept(EmptyAction(), *rows) == [False, False, False, True, True, True]
    assert kept(EmptyAction(waits="drop"), *rows) == [False, False, False, False, True, True]


def test_infra_error_and_no_observation():
    rows = (
        {"status": "infra_error"},
        {"observation_text": None},
        {"status": "unknown"},
        {"lossiness": ["merged_streams", "tail_missing"]},
        {"observation_text": ""},
        {"lossiness": None},
    )
    assert kept(InfraError(), *rows) == [False, True, True, True, True, True]
    assert kept(NoObservation(), *rows) == [True, False, False, False, True, True]


def test_retry_cycle_keeps_the_last_of_a_run():
    bad = {"action_text": keys("make\\n"), "status": "tool_error"}
    good = bad | {"status": "ok"}
    other = {"action_text": keys("ls\\n"), "status": "tool_error"}
    assert kept(RetryCycle(), bad, bad, good, other) == [False, False, True, True]
    assert kept(RetryCycle(), bad, bad, other, bad) == [False, True, True, True]
    assert kept(RetryCycle(), good, good, good) == [True, True, True]
    assert kept(RetryCycle(), bad | {"trajectory_id": "a"}, bad | {"trajectory_id": "b"}) == [True, True]


def test_retry_cycle_drops_garbage_that_was_never_tried():
    garbage = {"status": "rejected", "action_text": "I think that"}
    assert kept(RetryCycle(), garbage, {}, garbage) == [False, True, True]
    assert kept(RetryCycle(garbage=()), garbage, {}, garbage) == [True, True, True]


def test_no_change_is_for_screens():
    same = {"observation_text": "x", "before_text": "x"}
    rows = (same, same | {"domain": "web"}, {"domain": "web"}, same | {"domain": "web", "before_text": None})
    assert kept(NoChange(), *rows) == [True, False, True, True]
    assert kept(NoChange(domains=("terminal",)), *rows) == [False, True, True, True]


def test_no_change_by_what_the_environment_says():
    same = {"domain": "web", "observation_text": "x", "before_text": "x", "changed": True}
    told = {"domain": "web", "observation_text": "Error: covered", "status": "tool_error", "changed": False}
    unknown = same | {"changed": None}
    rows = (same, told, unknown, told | {"status": "ok"}, told | {"domain": "swe"})
    assert kept(NoChange(by="text"), *rows) == [False, True, False, True, True]
    assert kept(NoChange(by="state"), *rows) == [True, False, False, False, True]
    assert kept(NoChange(), *rows) == [False, True, False, False, True]


@pytest.mark.parametrize("domain", ["android", "os", "web"])
def test_a_failed_action_on_a_screen_is_kept_for_its_error(domain):
    still = {"domain": domain, "changed": False}
    failed = still | {"status": "tool_error", "observation_text": "Error from previous action: no element 9\n\nscreen"}
    again = still | {"before_text": failed["observation_text"], "observation_text": "screen"}
    assert kept(NoChange(), failed, again) == [True, False]


def test_render_mismatch():
    assert kept(RenderMismatch(), {"lossiness": ["render_mismatch"]}, {}) == [False, True]


def test_the_first_reason_counts():
    rows = frame({"status": "infra_error", "observation_text": None}, {"observation_text": None}, {})
    judged = first_reason([InfraError(), NoObservation()], rows)
    assert judged["reason"].to_list() == ["infra_error", "no_observation", None]
    assert judged["keep"].to_list() == [False, False, True]
    assert first_reason([], rows)["keep"].to_list() == [True] * 3


def test_an_empty_part():
    for name in FILTERS:
        assert judge(FILTERS[name](), frame()).height == 0
