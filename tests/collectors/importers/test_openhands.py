"""OpenHands: streams and evaluations of V0, event logs of the V1 SDK."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from worldtape.collectors.importers.openhands import OpenHands
from worldtape.errors import FormatError, InputError
from worldtape.schemas import EndStatus, Imported, ImportedStep, Lossiness, Orphan, Rejected, Status

from ._files import Bytes, jsonl
from ._fuzz import fuzz


def event(number: int, *, source: str = "agent", **more: Any) -> dict[str, Any]:
    return {"id": number, "timestamp": f"2025-11-01T10:00:{number:02d}.100000", "source": source, **more}


def calls(tool: str, arguments: str, call: str, *, reply: str, total: int = 1) -> dict[str, Any]:
    function = {"id": call, "type": "function", "function": {"name": tool, "arguments": arguments}}
    message = {"role": "assistant", "content": "let me", "reasoning_content": "hm", "tool_calls": [function]}
    response = {"id": reply, "model": "some/model", "choices": [{"message": message}]}
    return {
        "function_name": tool,
        "tool_call_id": call,
        "model_response": response,
        "total_calls_in_response": total,
    }


def run(number: int, command: str, **more: Any) -> dict[str, Any]:
    return event(
        number, action="run", args={"command": command, "thought": f"think {command}", "hidden": False}, **more
    )


def ran(number: int, cause: int | None, text: str, code: int = 0, **more: Any) -> dict[str, Any]:
    metadata = {
        "exit_code": code,
        "working_dir": "/app",
        "username": "root",
        "hostname": None,
        "prefix": "",
        "suffix": "",
    }
    found = event(number, observation="run", content=text, extras={"metadata": metadata | more})
    return found if cause is None else found | {"cause": cause}


ASK = event(10, source="user", action="message", args={"content": "Do it."})
CALL = calls("execute_bash", '{"command": "ls", "security_risk": "LOW"}', "call_1", reply="r1")
FINISH = event(40, action="finish", args={"thought": "done"})
V0 = [
    ASK,
    event(11, source="environment", observation="agent_state_changed", content="", extras={}),
    run(12, "ls", tool_call_metadata=CALL),
    ran(13, 12, "a.py", tool_call_metadata=CALL),
    run(14, "pwd"),
    ran(15, 14, "/app"),
    run(16, "false"),
    ran(17, 16, "", 1, suffix="\n[The command completed with exit code 1.]"),
    FINISH,
]

OLD: dict[str, Any] = {
    "issue": {"owner": "o", "repo": "r", "number": 5},
    "instruction": "Fix it.",
    "history": [
        {"content": "Fix it.", "action": "message"},
        {"command": "ls", "thought": "look", "action": "run", "keep_prompt": True},
        {"content": "a.py", "command_id": -1, "command": "ls", "exit_code": 0, "observation": "run"},
        {"code": "print(1)", "thought": "print", "action": "run_ipython", "kernel_init_code": "x"},
        {"content": "1\n[Jupyter current working directory: /app]", "code": "print(1)", "observation": "run_ipython"},
        {"outputs": {}, "thought": "done", "action": "finish"},
    ],
    "git_patch": "diff",
    "success": True,
}


def v1(kind: str, number: int, *, source: str = "agent", **more: Any) -> dict[str, Any]:
    stamp = f"2026-08-22T10:00:{number:02d}.100000"
    return {"kind": kind, "id": f"event-{number}", "timestamp": stamp, "source": source, **more}


def acted(number: int, command: str, *, reply: str) -> dict[str, Any]:
    arguments = json.dumps({"command": command, "security_risk": "LOW", "summary": f"sum {command}"})
    return v1(
        "ActionEvent",
        number,
        thought=[{"type": "text", "text": f"think {command}"}],
        reasoning_content="hm",
        thinking_blocks=[],
        action={"kind": "TerminalAction", "command": command, "is_input": False},
        tool_name="terminal",
        tool_call_id=f"call-{number}",
        tool_call={"id": f"call-{number}", "name": "terminal", "arguments": arguments, "origin": "completion"},
        llm_response_id=reply,
        summary=f"sum {command}",
    )


def observed(number: int, action: int, text: str, code: int | None = 0, **more: Any) -> dict[str, Any]:
    seen = {
        "kind": "TerminalObservation",
        "content": [{"type": "text", "text": text}],
        "is_error": False,
        "timeout": False,
    }
    seen |= {"exit_code": code, "metadata": {"exit_code": code, "working_dir": "/w", "username": "oh"}} | more
    about = {"tool_name": "terminal", "tool_call_id": f"call-{action}", "action_id": f"event-{action}"}
    return v1("ObservationEvent", number, source="environment", observation=seen, **about)


def said(number: int, text: str, source: str = "user") -> dict[str, Any]:
    return v1(
        "MessageEvent", number, source=source, llm_message={"role": source, "content": [{"type": "text", "text": text}]}
    )


TOOLS = [{"type": "function", "function": {"name": "terminal", "description": "d", "parameters": {"type": "object"}}}]
LOG = [
    v1("SystemPromptEvent", 1, system_prompt={"type": "text", "text": "You are …"}, tools=TOOLS),
    said(2, "Do it."),
    v1("ConversationStateUpdateEvent", 3, source="environment", key="execution_status", value="running"),
    acted(4, "ls", reply="r1"),
    observed(5, 4, "a.py"),
    acted(6, "pwd", reply="r2"),
    acted(7, "make", reply="r2"),
    observed(8, 6, "/w"),
    observed(9, 7, "failed", 2),
    v1("ConversationStateUpdateEvent", 10, source="environment", key="execution_status", value="finished"),
]
FIXTURES: list[Any] = [V0, jsonl(OLD, OLD | {"history": OLD["history"][:3]}), jsonl(*LOG)]


def read(data: Any) -> list[Imported]:
    found = list(OpenHands().read(Bytes(data)))
    assert all(isinstance(item, Imported) for item in found), found
    return [item for item in found if isinstance(item, Imported)]


def items(data: Any) -> list[ImportedStep | Orphan]:
    (found,) = read(data)
    return list(found.steps)


def steps(data: Any) -> list[ImportedStep]:
    return [item for item in items(data) if isinstance(item, ImportedStep)]


def codes(data: Any) -> list[str]:
    return [item.code for item in items(data) if isinstance(item, Orphan)]


def test_observations_are_found_by_their_cause() -> None:
    (found,) = read(V0)
    made = steps(V0)
    assert [item.observation for item in made] == ["a.py", "/app", ""]
    assert [item.action.name for item in made] == ["execute_bash", "run", "run"]
    assert made[0].action.arguments == '{"command":"ls"}'
    assert made[0].thoughts == ({"reasoning": "hm"}, {"text": "think ls"})
    assert made[2].outcome.status is Status.TOOL_ERROR
    assert made[2].outcome.exit_code == 1
    assert made[2].shown == "\n[The command completed with exit code 1.]"
    assert made[0].state_after == {"working_dir": "/app", "username": "root"}
    assert found.policy.model == "some/model"
    assert (found.end.status, found.end.reason) == (EndStatus.COMPLETED, "finish")
    assert codes(V0) == ["agent_message", "skipped_records"]


def test_results_may_come_in_another_order() -> None:
    made = steps([ASK, run(12, "a"), run(14, "b"), ran(15, 14, "of b"), ran(16, 12, "of a")])
    assert [item.observation for item in made] == ["of a", "of b"]


def test_without_a_cause_nothing_is_guessed() -> None:
    data = [ASK, run(12, "a"), ran(13, None, "whose?"), ran(14, 99, "nobody's"), FINISH]
    assert [item.observation for item in steps(data)] == [None]
    assert codes(data).count("orphan_result") == 2


def test_the_string_null_is_noise_and_ids_have_gaps() -> None:
    null = event(13, source="environment", observation="null", content="", extras={}, cause=12)
    data = [ASK, run(12, "a"), null, ran(30, 12, "of a")]
    assert [item.observation for item in steps(data)] == ["of a"]


def test_calls_of_one_reply_are_marked() -> None:
    first = calls("execute_bash", '{"command": "a"}', "c1", reply="r", total=2)
    second = calls("execute_bash", '{"command": "b"}', "c2", reply="r", total=2)
    data = [ASK, run(12, "a", tool_call_metadata=first), ran(13, 12, "1"), run(14, "b", tool_call_metadata=second)]
    made = steps([*data, ran(15, 14, "2")])
    batches = [item.action.batch for item in made if item.action.batch]
    assert [(item.id, item.index, item.size, item.shared) for item in batches] == [
        ("r", 0, 2, False),
        ("r", 1, 2, False),
    ]
    assert [item.observation for item in made] == ["1", "2"]


def test_minus_one_means_that_it_still_runs() -> None:
    (made,) = steps([ASK, run(12, "sleep 99"), ran(13, 12, "", -1)])
    assert (made.outcome.status, made.outcome.exit_code) == (Status.TIMEOUT_STILL_RUNNING, None)
    assert Lossiness.NO_EXIT_CODE in made.lossiness


@pytest.mark.parametrize("mark", ["[... Observation truncated due to length ...]", "<response clipped><NOTE>…</NOTE>"])
def test_cuts_are_found(mark: str) -> None:
    assert Lossiness.TRUNCATED_NO_FULL in steps([ASK, run(12, "a"), ran(13, 12, f"x\n{mark}\ny")])[0].lossiness


def test_errors_and_rejections() -> None:
    error = event(13, observation="error", content="no such tool", extras={"error_id": "E"}, cause=12)
    (made,) = steps([ASK, run(12, "a"), error])
    assert made.outcome.status is Status.TOOL_ERROR
    assert made.outcome.error is not None
    assert made.outcome.error.type == "E"
    rejected = event(13, observation="user_rejected", content="no", extras={}, cause=12)
    assert steps([ASK, run(12, "a"), rejected])[0].outcome.status is Status.NOT_EXECUTED


def test_thinking_and_recalling_are_no_transitions() -> None:
    think = event(11, action="think", args={"thought": "first this"})
    logged = event(12, observation="think", content="Your thought has been logged.", extras={}, cause=11)
    recall = event(13, source="user", action="recall", args={"query": "x"})
    recalled = event(
        14, source="environment", observation="recall", content="", extras={"working_dir": "/app"}, cause=13
    )
    data = [ASK, recall, recalled, think, logged, run(15, "a"), ran(16, 15, "1")]
    (made,) = steps(data)
    assert made.thoughts == ({"reasoning": "first this"}, {"text": "think a"})
    assert read(data)[0].initial_state.probes == {"working_dir": "/app"}


def test_an_edits_answer_is_what_the_tool_said() -> None:
    edit = event(12, action="edit", args={"path": "/a", "content": "", "thought": ""})
    extras = {"formatted_output_and_error": "File created.", "new_content": "x"}
    done = event(13, observation="edit", content="--- a\n+++ b", extras=extras, cause=12)
    assert steps([ASK, edit, done])[0].observation == "File created."


def test_a_repeated_beginning_is_counted_once() -> None:
    assert len(steps([*V0, *V0])) == 3
    assert "duplicate_record" in codes([*V0, *V0])


def test_times_that_run_backwards() -> None:
    data = [ASK, run(12, "a") | {"timestamp": "2025-11-01T09:00:00"}, ran(13, 12, "1")]
    assert codes(data) == ["time_backwards"]


def test_a_stream_that_stops_misses_its_tail() -> None:
    made = steps([ASK, run(12, "a"), ran(13, 12, "1"), run(14, "b")])
    assert [Lossiness.TAIL_MISSING in item.lossiness for item in made] == [False, True]
    assert read(V0[:-1])[0].end.status is EndStatus.INTERRUPTED


def test_evaluations_of_2024_have_neither_ids_nor_causes() -> None:
    (found,) = read(jsonl(OLD))
    made = [item for item in found.steps if isinstance(item, ImportedStep)]
    assert [item.observation for item in made] == ["a.py", "1"]
    assert [item.action.text for item in made] == [
        '{"arguments":{"command":"ls"},"name":"run"}',
        '{"arguments":{"code":"print(1)"},"name":"run_ipython"}',
    ]
    assert made[1].state_after == {"working_dir": "/app"}
    assert found.task is not None
    assert (found.task.id, found.task.instruction) == ("o/r#5", "Fix it.")
    assert found.end.reward == 1.0


def test_an_answer_to_another_command_is_nobodys() -> None:
    history = [*OLD["history"][:2], OLD["history"][2] | {"command": "pwd"}]
    (found,) = read(jsonl(OLD | {"history": history}))
    assert [type(item).__name__ for item in found.steps] == ["ImportedStep", "Orphan"]


def test_evaluations_in_pairs_with_ids_and_of_the_sdk() -> None:
    about = {
        "instance_id": "x__1",
        "instruction": "Do it.",
        "test_result": {"git_patch": ""},
        "metadata": {"agent_class": "A"},
    }
    pairs = [[OLD["history"][1], OLD["history"][2]]]
    for history in (pairs, V0[2:4], LOG[3:5]):
        (found,) = read(jsonl(about | {"history": history}))
        assert [item.observation for item in found.steps if isinstance(item, ImportedStep)] == ["a.py"]
        assert found.task is not None
        assert found.task.id == "x__1"


def test_an_evaluation_without_history_is_rejected_alone() -> None:
    lines = [OLD, OLD | {"history": []}, OLD | {"history": None, "error": "Timed\nout"}, OLD]
    found = list(OpenHands().read(Bytes(jsonl(*lines))))
    assert [isinstance(item, Rejected) for item in found] == [False, True, True, False]
    assert [item.reason for item in found if isinstance(item, Rejected)][1] == "Timed out"


def test_keys_of_an_llm_config_never_come_in() -> None:
    config = {"agent_class": "A", "llm_config": {"model": "some/model", "api_key": "sk-secret"}}
    (found,) = read(jsonl(OLD | {"metadata": config}))
    assert found.policy.model == "some/model"
    assert "sk-secret" not in repr((found, list(found.steps)))


def test_predictions_are_refused() -> None:
    rows = [{"instance_id": "a", "model_patch": "diff", "model_name_or_path": "m"}]
    for data in (json.dumps(rows).encode(), jsonl(*rows)):
        assert OpenHands().sniff(Bytes(data))
        with pytest.raises(InputError, match="predictions only"):
            list(OpenHands().read(Bytes(data)))


def test_a_log_of_the_sdk() -> None:
    data = jsonl(*LOG)
    (found,) = read(data)
    made = [item for item in found.steps if isinstance(item, ImportedStep)]
    assert [item.observation for item in made] == ["a.py", "/w", "failed"]
    assert [item.outcome.exit_code for item in made] == [0, 0, 2]
    assert [item.action.batch.index for item in made if item.action.batch] == [0, 1]
    assert made[0].action.text == '{"arguments":{"command":"ls"},"name":"terminal"}'
    assert made[0].action.raw is None
    assert made[0].thoughts == ({"reasoning": "hm"}, {"text": "think ls"}, {"summary": "sum ls"})
    assert made[0].state_after == {"working_dir": "/w", "username": "oh"}
    assert [tool.name for tool in found.environment.tools] == ["terminal"]
    assert found.task is not None
    assert found.task.instruction == "Do it."
    assert found.end.status is EndStatus.COMPLETED


def test_an_orphan_observation_of_the_sdk_is_nobodys() -> None:
    data = jsonl(acted(4, "ls", reply="r"), observed(5, 77, "whose?"), observed(6, 4, "a.py"))
    assert [item.observation for item in steps(data)] == ["a.py"]
    assert codes(data) == ["orphan_result"]


def test_what_the_sdk_did_not_run() -> None:
    failed = v1("AgentErrorEvent", 5, error="bad arguments", tool_name="terminal", tool_call_id="call-4")
    (made,) = steps(jsonl(acted(4, "ls", reply="r"), failed))
    assert (made.observation, made.shown, made.outcome.status) == (None, "bad arguments", Status.NOT_EXECUTED)
    refused = v1("UserRejectObservation", 5, source="user", rejection_reason="no", action_id="event-4")
    assert steps(jsonl(acted(4, "ls", reply="r"), refused))[0].outcome.status is Status.NOT_EXECUTED


def test_still_running_and_failed_in_the_sdk() -> None:
    (made,) = steps(jsonl(acted(4, "x", reply="r"), observed(5, 4, "", -1)))
    assert made.outcome.status is Status.TIMEOUT_STILL_RUNNING
    (made,) = steps(jsonl(acted(4, "x", reply="r"), observed(5, 4, "no", None, is_error=True)))
    assert (made.outcome.status, made.outcome.exit_code) == (Status.TOOL_ERROR, None)


def test_a_log_that_is_cut_in_its_last_line() -> None:
    data = jsonl(*LOG[:6])[:-40]
    (found,) = read(data)
    made = list(found.steps)
    assert [item.observation for item in made if isinstance(item, ImportedStep)] == ["a.py"]
    assert [item.code for item in made if isinstance(item, Orphan) and item.code == "truncated_source"]
    assert found.end.status is EndStatus.INTERRUPTED


def test_thinking_and_finishing_in_the_sdk() -> None:
    think = acted(3, "", reply="r0") | {"action": {"kind": "ThinkAction", "thought": "first this"}, "thought": []}
    finish = acted(8, "", reply="r9") | {"action": {"kind": "FinishAction", "message": "done"}}
    data = jsonl(think, acted(4, "ls", reply="r"), observed(5, 4, "a.py"), finish)
    (made,) = steps(data)
    assert {"reasoning": "first this"} in made.thoughts
    assert codes(data) == ["agent_message"]


def test_other_files_are_not_claimed() -> None:
    others: list[Any] = [
        [],
        {"history": []},
        {"kind": "x", "id": "1"},
        [{"action": "run"}],
        [1],
        {"history": [1], "issue": 1},
    ]
    for data in others:
        assert not OpenHands().sniff(Bytes(data))
    with pytest.raises(FormatError):
        list(OpenHands().read(Bytes({"history": []})))


@pytest.mark.parametrize("fixture", FIXTURES, ids=["stream", "evaluation", "sdk"])
def test_broken_files(fixture: Any) -> None:
    fuzz(OpenHands(), fixture)


# per trajectory: steps; steps without an observation; orphan results
# streams: jq '[.[] | select(.action | IN("run", "edit", "run_ipython", "read", "write"))] | length'
# evaluation: jq '[.history[] | select(.action | IN("run", "run_ipython"))] | length'
# SDK: grep -c '"kind": "ActionEvent"'; observations whose action_id is no line's id: 1
REAL = {
    "openhands/basic.json": [(1, 0, 0)],
    "openhands/interactions.json": [(0, 0, 0)],
    "openhands/resolver_output.jsonl": [(3, 0, 0), (21, 0, 0)],
    "openhands/sdk_events.jsonl": [(2, 0, 1)],
    "atif/rfc_openhands_src.json": [(1, 0, 0)],
}


@pytest.mark.shared
@pytest.mark.parametrize("name", REAL)
def test_real_files(shared_data: Path, name: str) -> None:
    source = Bytes((shared_data / name).read_bytes(), name)
    assert OpenHands().sniff(source)
    counts = []
    for found in read(source.data):
        made = list(found.steps)
        own = [item for item in made if isinstance(item, ImportedStep)]
        stray = [item for item in made if isinstance(item, Orphan) and item.code == "orphan_result"]
        counts.append((len(own), sum(item.observation is None for item in own), len(stray)))
    assert counts == REAL[name]


@pytest.mark.shared
def test_real_predictions_are_refused(shared_data: Path) -> None:
    source = Bytes((shared_data / "openhands" / "swebench_model_output.json").read_bytes())
    assert OpenHands().sniff(source)
    with pytest.raises(InputError, match="predictions only"):
        list(OpenHands().read(source))
