"""The stream that `droid exec` prints."""

from __future__ import annotations

from typing import Any

import pytest

from worldtape.collectors.importers.droid import Droid
from worldtape.errors import InputError
from worldtape.schemas import Imported, Lossiness, Status

from ._files import Bytes, jsonl
from ._fuzz import fuzz
from ._sessions import hold_for_lines, parts, read

HEAD = {"type": "system", "subtype": "init", "cwd": "/app", "session_id": "s1", "tools": ["Read"], "model": "m"}
START = 1_762_517_060_000


def line(kind: str, key: str, at: int = 0, **more: Any) -> dict[str, Any]:
    return {"type": kind, "id": key, "timestamp": START + at, "session_id": "s1", **more}


def calls(key: str, turn: str, tool: str = "Read", at: int = 1, **asked: Any) -> dict[str, Any]:
    return line("tool_call", key, at, messageId=turn, toolId=tool, toolName=tool, parameters={"of": key, **asked})


def gives(key: str, value: Any, tool: str = "Read", at: int = 2, *, error: bool = False) -> dict[str, Any]:
    return line("tool_result", key, at, toolId=tool, isError=error, value=value)


ASK = line("message", "u1", role="user", text="Fix it.")


def test_a_stream():
    hm = line("reasoning", "r1", text="hm")
    (made,) = read(
        Droid(),
        jsonl(
            HEAD,
            ASK,
            hm,
            hm,
            line("message", "a1", role="assistant", text="So."),
            calls("c1", "a1"),
            calls("c2", "a1", "Execute", command="ls", timeout=9),
            gives("c2", "b\n\n\n[Process exited with code 0]", "Execute"),
            gives("c1", "one"),
            line("message", "a2", role="assistant", text="Done."),
            line("completion", "e", finalText="Done.", numTurns=1, durationMs=3000),
        ),
    )
    assert isinstance(made, Imported)
    assert made.task is not None
    assert (made.task.id, made.task.instruction, made.policy.model) == ("s1", "Fix it.", "m")
    assert made.environment.parameters == {"cwd": "/app"}
    assert made.extra["records"] == {"system": 1, "completion": 1}
    assert made.started_at == START * 1000
    steps, orphans = parts(made)
    assert [(step.action.name, step.observation) for step in steps] == [("Read", "one"), ("Execute", "b\n")]
    assert steps[0].thoughts == ({"thinking": "hm"}, {"text": "So."})
    assert [step.action.batch.index for step in steps if step.action.batch] == [0, 1]
    assert (steps[1].outcome.exit_code, steps[1].action.timeout_s) == (0, 9)
    assert [orphan.code for orphan in orphans] == ["last_words"]


def test_lines():
    hold_for_lines(Droid(), HEAD, ASK, calls("c1", "a1"), calls("c2", "a1"), gives("c1", "one"), gives("c2", "two"))


def test_what_is_told_of_no_step():
    (made,) = read(
        Droid(),
        jsonl(
            HEAD,
            ASK,
            gives("c0", "who asked?"),
            {**calls("c1", "a1"), "timestamp": START + 9},
            gives("c1", {"stdout": "a"}, error=True),
            line("message", "u2", role="user", text="Go on."),
            line("tool_call", "c3"),
            line("tomorrow", "x"),
            calls("c4", "a4"),
        ),
    )
    steps, orphans = parts(made)
    assert [(step.observation, step.outcome.status) for step in steps] == [
        ('{"stdout":"a"}', Status.TOOL_ERROR),
        (None, Status.UNKNOWN),
    ]
    assert Lossiness.TAIL_MISSING in steps[1].lossiness
    assert [orphan.code for orphan in orphans] == [
        "orphan_result", "time_backwards", "user_message", "orphan_call", "unknown_record", "time_backwards",
    ]  # fmt: skip


def test_results_without_ids_answer_calls_without_ids():
    bare = [{key: value for key, value in one.items() if key != "id"} for one in (calls("c1", "a1"), gives("c1", "x"))]
    (made,) = read(Droid(), jsonl(HEAD, ASK, *bare, calls("c2", "a2"), gives("c2", "y")))
    assert [step.observation for step in parts(made)[0]] == ["x", "y"]


def test_a_stream_without_calls_is_refused():
    with pytest.raises(InputError, match="no tool was called"):
        read(Droid(), jsonl(HEAD, ASK))


@pytest.mark.parametrize(
    "records",
    [
        [{**HEAD, "subtype": "other"}, ASK],
        [{**HEAD, "session_id": 7}, ASK],
        [HEAD, {"type": "assistant", "message": {"role": "assistant", "content": []}}],
        [HEAD, {"type": "message", "role": "user", "content": "x"}],
        [HEAD],
    ],
)
def test_what_is_no_stream(records):
    assert not Droid().sniff(Bytes(jsonl(*records)))


def test_broken_streams():
    fuzz(
        Droid,
        jsonl(
            HEAD,
            ASK,
            line("reasoning", "r1", text="hm"),
            calls("c1", "a1"),
            calls("c2", "a1"),
            gives("c1", "one"),
            gives("c2", "two", error=True),
            calls("c3", "a2", "Execute"),
            gives("c3", "three\n\n\n[Process exited with code 0]", "Execute"),
        ),
    )
