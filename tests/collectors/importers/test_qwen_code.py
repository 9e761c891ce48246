"""Sessions of Qwen Code."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from worldtape.collectors.importers.qwen_code import QwenCode
from worldtape.errors import InputError
from worldtape.schemas import Imported, Lossiness, Rejected, Status, derived_id

from ._files import Bytes, jsonl
from ._fuzz import fuzz
from ._sessions import claimed, parts


def record(kind: str, uuid: str, parent: str | None, *pieces: Any, **more: Any) -> dict[str, Any]:
    common = {"sessionId": "s1", "timestamp": "2026-01-01T00:00:01Z", "cwd": "/app", "version": "0.18.1"}
    role = "model" if kind == "assistant" else "user"
    return {
        "uuid": uuid,
        "parentUuid": parent,
        **common,
        "type": kind,
        "message": {"role": role, "parts": list(pieces)},
        **more,
    }


def call(call_id: str, name: str = "read_file") -> dict[str, Any]:
    return {"functionCall": {"id": call_id, "name": name, "args": {"of": call_id}}}


def gives(uuid: str, parent: str | None, call_id: str, status: str = "success", **answer: Any) -> dict[str, Any]:
    error = answer.pop("errorType", None)
    name = answer.pop("name", "read_file")
    told = {"callId": call_id, "status": status, "errorType": error}
    part = {"functionResponse": {"id": call_id, "name": name, "response": answer}}
    return record("tool_result", uuid, parent, part, toolCallResult=told)


ASK = record("user", "u1", None, {"text": "Fix it."})
SYSTEM = {**record("system", "y1", "u1", subtype="ui_telemetry"), "message": None}
SYSTEM.pop("message")


def read(*records: Any) -> list[Imported | Rejected]:
    source = Bytes(jsonl(*records))
    assert QwenCode().sniff(source)
    return list(QwenCode().read(source))


def test_a_session():
    (made,) = read(
        ASK,
        SYSTEM,
        record(
            "assistant",
            "a2",
            "y1",
            {"text": "hm", "thought": True},
            {"text": "So."},
            call("c1"),
            call("c2"),
            model="qwen",
        ),
        gives("t3", "a2", "c2", output="two"),
        gives("t4", "t3", "c1", output="one"),
        record("assistant", "a5", "t4", {"text": "Done."}),
    )
    assert isinstance(made, Imported)
    assert made.task is not None
    assert (made.task.id, made.task.instruction) == ("s1", "Fix it.")
    assert made.policy.model == "qwen"
    assert made.environment.versions == {"qwen-code": "0.18.1"}
    assert made.extra["records"] == {"ui_telemetry": 1}
    steps, orphans = parts(made)
    assert [step.observation for step in steps] == ["one", "two"]
    assert steps[0].thoughts == ({"thinking": "hm"}, {"text": "So."})
    assert steps[0].state_after == {"cwd": "/app"}
    assert [step.action.batch.index for step in steps if step.action.batch] == [0, 1]
    assert [orphan.code for orphan in orphans] == ["last_words"]


@pytest.mark.parametrize(
    ("result", "status", "observation"),
    [
        (gives("t3", "a2", "c1", "error", error="Must be absolute", errorType="invalid_tool_params"), Status.REJECTED,
         "Must be absolute"),
        (gives("t3", "a2", "c1", "error", error="Denied", errorType="execution_denied"), Status.NOT_EXECUTED, None),
        (gives("t3", "a2", "c1", "error", error="boom"), Status.TOOL_ERROR, "boom"),
        (gives("t3", "a2", "c1", "cancelled", error="[Operation Cancelled]"), Status.INTERRUPTED, None),
        (gives("t3", "a2", "c1", output="x"), Status.OK, "x"),
    ],
)  # fmt: skip
def test_outcomes_are_facts(result, status, observation):
    (made,) = read(ASK, record("assistant", "a2", "u1", call("c1")), result)
    (step,), _ = parts(made)
    assert (step.outcome.status, step.observation) == (status, observation)


def test_the_words_around_a_shell():
    told = "Command: ls\nDirectory: /\nOutput: a\nError: (none)\nExit Code: 1\nSignal: (none)\nProcess Group PGID: 7"
    result = gives("t3", "a2", "c1", output=told, name="run_shell_command")
    (made,) = read(ASK, record("assistant", "a2", "u1", call("c1", "run_shell_command")), result)
    (step,), _ = parts(made)
    assert (step.observation, step.shown, step.outcome.exit_code) == ("a", told, 1)
    assert Lossiness.MERGED_STREAMS in step.lossiness


def test_the_tree_is_followed_by_its_last_word():
    source = [
        ASK,
        record("assistant", "a2", "u1", call("c1")),
        gives("t3", "a2", "c1", output="old"),
        record("user", "u4", "u1", {"text": "Otherwise."}),
        record("assistant", "a5", "u4", call("c2")),
        gives("t6", "a5", "c2", output="new"),
    ]
    main, branch = read(*source, *source[:2])
    assert [step.observation for step in parts(main)[0]] == ["new"]
    assert [step.observation for step in parts(branch)[0]] == ["old"]
    assert isinstance(branch, Imported)
    assert branch.lineage.kind == "branch"
    assert branch.lineage.parent == derived_id("qwen-code", Bytes(jsonl(*source, *source[:2])).digest, "")


def test_what_belongs_to_nothing():
    compressed = {**SYSTEM, "uuid": "y9", "parentUuid": "u1", "subtype": "chat_compression"}
    (made,) = read(
        ASK,
        compressed,
        gives("t2", "y9", "c0", output="who asked?"),
        record("assistant", "a3", "t2", call("c1"), {"functionCall": {"id": "c2"}}),
        {"type": "new"},
        [1],
    )
    (step,), orphans = parts(made)
    assert step.outcome.status is Status.UNKNOWN
    assert Lossiness.TAIL_MISSING in step.lossiness
    assert [orphan.code for orphan in orphans] == [
        "bad_line",
        "unknown_record",
        "compacted",
        "orphan_result",
        "orphan_call",
    ]


def test_a_session_without_calls_is_refused():
    with pytest.raises(InputError, match="no tool was called"):
        read(ASK, record("assistant", "a2", "u1", {"text": "Hello."}))


def test_broken_files():
    fuzz(
        QwenCode,
        jsonl(
            ASK,
            SYSTEM,
            record("assistant", "a2", "y1", {"text": "hm", "thought": True}, call("c1"), call("c2")),
            gives("t3", "a2", "c1", output="one"),
            gives("t4", "t3", "c2", "error", error="two", errorType="invalid_tool_params"),
            record("assistant", "a5", "t4", call("c3", "run_shell_command")),
            gives("t6", "a5", "c3", output="Output: three\nProcess Group PGID: 7", name="run_shell_command"),
        ),
    )


@pytest.mark.shared
def test_a_real_file(shared_data: Path) -> None:
    source = Bytes((shared_data / "other_cli/qwen_code.jsonl").read_bytes())
    (made,) = list(QwenCode().read(source))
    # jq '.message.parts//[]|.[]|select(.functionCall)' qwen_code.jsonl: one call, errorType invalid_tool_params
    (step,), _ = parts(made)
    assert (step.observation, step.outcome.status) == ("Path must be absolute: .", Status.REJECTED)


@pytest.mark.shared
def test_no_other_file_is_claimed(shared_data: Path) -> None:
    assert claimed(QwenCode(), shared_data) == {"other_cli/qwen_code.jsonl"}
