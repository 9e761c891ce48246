"""Sessions of OpenClaw: what differs from pi's, which `test_pi.py` holds."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from worldtape.collectors.importers.openclaw import OpenClaw
from worldtape.collectors.importers.pi import Pi
from worldtape.errors import InputError, VersionError
from worldtape.schemas import Imported, Lossiness, Status, derived_id

from ._files import Bytes, jsonl
from ._fuzz import fuzz
from ._sessions import claimed, hold_for_lines, parts, read

TIME = "2026-02-01T00:00:01.000Z"
HEAD = {"type": "session", "version": 3, "id": "s1", "timestamp": TIME, "cwd": "/home/me/.openclaw/workspace"}
SNAPSHOT = {"type": "custom", "customType": "model-snapshot", "data": {"modelId": "m"}, "id": "x0", "parentId": None,
            "timestamp": TIME}  # fmt: skip


def message(key: str, parent: str | None, role: str, content: Any, **more: Any) -> dict[str, Any]:
    said = {"role": role, "content": content, **more}
    return {"type": "message", "id": key, "parentId": parent, "timestamp": TIME, "message": said}


def run(key: str, parent: str, call: str, command: str = "ls", **asked: Any) -> dict[str, Any]:
    part = {"type": "toolCall", "id": call, "name": "exec", "arguments": {"command": command, **asked}}
    return message(key, parent, "assistant", [part], provider="p", model="m", stopReason="toolUse")


def ran(key: str, parent: str, call: str, text: Any, **details: Any) -> dict[str, Any]:
    told = {"toolCallId": call, "toolName": "exec", "isError": False, "details": details}
    return message(key, parent, "toolResult", text, **told)


ASK = message("u1", "x0", "user", [{"type": "text", "text": "List it."}])


def test_a_session():
    details = {"status": "completed", "exitCode": 0, "durationMs": 12, "aggregated": "one", "cwd": "/w"}
    (made,) = read(
        OpenClaw(),
        jsonl(HEAD, SNAPSHOT, ASK, run("a2", "u1", "c1", timeout=30), ran("t3", "a2", "c1", "one", **details)),
    )
    assert isinstance(made, Imported)
    assert (made.environment.kind, made.policy.model) == ("openclaw", "m")
    assert made.extra["records"] == {"custom:model-snapshot": 1}
    (step,), _ = parts(made)
    assert (step.observation, step.outcome.status, step.outcome.exit_code) == ("one", Status.OK, 0)
    assert (step.action.timeout_s, step.timing.duration_ms) == (30, 12)
    assert step.lossiness == (Lossiness.MERGED_STREAMS,)
    assert step.extra["details"] == {"status": "completed", "cwd": "/w"}


def test_lines():
    hold_for_lines(OpenClaw(), HEAD, SNAPSHOT, ASK, run("a2", "u1", "c1"), ran("t3", "a2", "c1", "one"),
                   run("a4", "t3", "c2", "id"), ran("t5", "a4", "c2", "two"))  # fmt: skip


@pytest.mark.parametrize(
    ("text", "details", "observation", "status", "code"),
    [
        ("a\n\n(Command exited with code 5)", {"status": "completed", "exitCode": 5}, "a", Status.TOOL_ERROR, 5),
        ("a\n\n(Command exited with code 5)", {}, ..., Status.OK, None),
        ("(no output)", {"status": "completed", "exitCode": 0}, "", Status.OK, 0),
        ("Command still running (session x, pid 7).", {"status": "running"}, ..., Status.TIMEOUT_STILL_RUNNING, None),
        ("a", {"status": "failed", "timedOut": True}, ..., Status.TIMEOUT_KILLED, None),
        ("a", {"status": "failed", "exitCode": None}, ..., Status.TOOL_ERROR, None),
        ("a", {"exitCode": "1"}, ..., Status.OK, None),
        ("a", {"exitCode": 1.5}, ..., Status.OK, None),
    ],
)
def test_outcomes_are_facts(text, details, observation, status, code):
    (made,) = read(OpenClaw(), jsonl(HEAD, ASK, run("a2", "u1", "c1"), ran("t3", "a2", "c1", text, **details)))
    (step,), _ = parts(made)
    assert step.observation == (text if observation is ... else observation)
    assert (step.outcome.status, step.outcome.exit_code) == (status, code)


def test_what_the_gateway_cut_is_flagged():
    text = "a\n\n⚠️ [Content truncated during persistence — original exceeded size limit. Use offset.]"
    middle = "a\n⚠️ [... middle content omitted ...]\nb"
    (made,) = read(OpenClaw(), jsonl(HEAD, ASK, run("a2", "u1", "c1"), ran("t3", "a2", "c1", text),
                                     run("a4", "t3", "c2"), ran("t5", "a4", "c2", middle)))  # fmt: skip
    steps, _ = parts(made)
    assert [(step.observation, step.shown) for step in steps] == [("a", text), (middle, None)]
    assert all(Lossiness.TRUNCATED_NO_FULL in step.lossiness for step in steps)


def test_what_the_gateway_wrote_is_no_word_of_the_model_or_a_tool():
    lost = "[openclaw] missing tool result in session history; inserted synthetic error result for transcript repair."
    mirror = [{"type": "text", "text": "What was sent."}]
    (made,) = read(
        OpenClaw(),
        jsonl(
            HEAD,
            {**SNAPSHOT, "type": "custom_message", "customType": "openclaw.runtime-context", "content": "context"},
            ASK,
            run("a2", "u1", "c1"),
            ran("t3", "a2", "c1", [{"type": "text", "text": lost}]),
            message("m4", "t3", "assistant", mirror, provider="openclaw", model="delivery-mirror"),
            run("a5", "m4", "c2"),
            ran("t6", "a5", "c2", "two"),
        ),
    )
    steps, orphans = parts(made)
    assert [(step.observation, step.outcome.status) for step in steps] == [
        (None, Status.UNKNOWN),
        ("two", Status.OK),
    ]
    assert not any(step.lossiness and Lossiness.TAIL_MISSING in step.lossiness for step in steps)
    assert [orphan.code for orphan in orphans] == ["harness_message"] * 3
    assert steps[1].thoughts == ()


def test_calls_and_results_in_the_words_of_other_providers():
    said = [
        {"type": "toolUse", "id": "r", "name": "read", "input": {"path": "a"}},
        {"type": "function_call", "call_id": "f", "name": "exec", "arguments": '{"command":"true"}'},
    ]
    answers = [
        message("t3", "a2", "toolResult", "of r", toolUseId=" r ", toolName="read"),
        message("t4", "t3", "toolResult", "of f", call_id="f", toolName="exec"),
    ]
    (made,) = read(OpenClaw(), jsonl(HEAD, SNAPSHOT, ASK, message("a2", "u1", "assistant", said), *answers))
    steps, orphans = parts(made)
    assert [(step.action.arguments, step.observation) for step in steps] == [
        ('{"path":"a"}', "of r"),
        ('{"command":"true"}', "of f"),
    ]
    assert not orphans


def test_a_leaf_moves_to_where_the_session_goes_on():
    left = [run("a2", "u1", "c1"), ran("t3", "a2", "c1", "one"), run("a4", "t3", "c2"), ran("t5", "a4", "c2", "left")]
    leaf = {"type": "leaf", "id": "l6", "parentId": "t5", "targetId": "t3", "timestamp": TIME}
    main, branch = read(OpenClaw(), jsonl(HEAD, SNAPSHOT, ASK, *left, leaf))
    assert [step.observation for step in parts(main)[0]] == ["one"]
    assert [step.observation for step in parts(branch)[0]] == ["left"]
    assert isinstance(branch, Imported)
    digest = Bytes(jsonl(HEAD, SNAPSHOT, ASK, *left, leaf)).digest
    assert branch.lineage.parent == derived_id("openclaw", digest, "")
    main, branch = read(OpenClaw(), jsonl(HEAD, SNAPSHOT, ASK, *left, leaf, run("a7", "l6", "c3"),
                                          ran("t8", "a7", "c3", "on")))  # fmt: skip
    assert [step.observation for step in parts(main)[0]] == ["one", "on"]


@pytest.mark.parametrize(
    ("records", "ours"),
    [
        ([{**HEAD, "cwd": "/w"}, ASK], False),
        ([{**HEAD, "cwd": "C:\\me\\.openclaw"}, ASK], True),
        ([{**HEAD, "cwd": "/w"}, SNAPSHOT], True),
        ([{**HEAD, "cwd": "/w"}, {**SNAPSHOT, "customType": "openclaw:prompt-error"}], True),
        ([{**HEAD, "cwd": "/w"}, ASK, {"type": "leaf", "id": "l", "targetId": None}], True),
    ],
)
def test_which_of_the_two_it_is(records, ours):
    source = Bytes(jsonl(*records))
    assert (OpenClaw().sniff(source), Pi().sniff(source)) == (ours, not ours)


def test_a_future_version_is_refused():
    with pytest.raises(VersionError, match="session version 4"):
        read(OpenClaw(), jsonl({**HEAD, "version": 4}, ASK, run("a2", "u1", "c1")))


def test_a_session_without_calls_is_refused():
    with pytest.raises(InputError, match="no tool was called"):
        read(OpenClaw(), jsonl(HEAD, SNAPSHOT, ASK))


def test_broken_files():
    fuzz(
        OpenClaw,
        jsonl(
            HEAD,
            SNAPSHOT,
            ASK,
            run("a2", "u1", "c1", "a"),
            ran("t3", "a2", "c1", "one", status="completed", exitCode=0),
            run("a4", "t3", "c2", "b"),
            ran("t5", "a4", "c2", "two\n\n(Command exited with code 1)", status="completed", exitCode=1),
            {"type": "leaf", "id": "l6", "targetId": "t3", "timestamp": TIME},
            run("a7", "t3", "c3", "c"),
            ran("t8", "a7", "c3", "three", status="running"),
        ),
    )


@pytest.mark.shared
def test_no_other_file_is_claimed(shared_data: Path) -> None:
    assert claimed(OpenClaw(), shared_data) == set()
