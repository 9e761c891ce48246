"""Sessions of Gemini CLI."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from worldtape.collectors.importers.gemini import Gemini
from worldtape.errors import InputError
from worldtape.schemas import Imported, ImportedStep, Lossiness, Status

from ._files import Bytes, jsonl
from ._fuzz import fuzz
from ._sessions import claimed, parts

HEAD = {
    "sessionId": "s1",
    "projectHash": "abc",
    "startTime": "2026-01-01T00:00:00Z",
    "lastUpdated": "2026-01-01T00:00:09Z",
}
ASK = {"id": "u1", "timestamp": "2026-01-01T00:00:01Z", "type": "user", "content": "Fix it."}
_OK = {"status": "success", "timestamp": "2026-01-01T00:00:03Z"}

LATER = "2026-01-01T00:00:04Z"


def response(call_id: str, **answer: Any) -> list[Any]:
    return [{"functionResponse": {"id": call_id, "name": "x", "response": answer}}]


def call(call_id: str, name: str = "read_file", args: Any = None, **more: Any) -> dict[str, Any]:
    return {"id": call_id, "name": name, "args": args or {"path": call_id}, **_OK, **more}


def says(key: str, *calls: Any, **more: Any) -> dict[str, Any]:
    stamp = "2026-01-01T00:00:02Z"
    return {
        "id": key,
        "timestamp": stamp,
        "type": "gemini",
        "content": "",
        "model": "gem",
        "toolCalls": list(calls),
        **more,
    }


def whole(*messages: Any) -> dict[str, Any]:
    return {**HEAD, "messages": [ASK, *messages]}


def read(data: Any) -> Imported:
    source = Bytes(data)
    assert Gemini().sniff(source)
    (made,) = list(Gemini().read(source))
    assert isinstance(made, Imported)
    return made


def only(*calls: Any) -> ImportedStep:
    (step,), _ = parts(read(whole(says("g1", *calls))))
    return step


A = call("c1", result=response("c1", output="one"))
B = call("c2", result=response("c2", output="two"))


def test_a_document():
    made = read(
        whole(
            {"type": "info", "content": "Hi."},
            says("g1", A, B, thoughts=[{"subject": "Plan", "description": "Read."}], content="Let me see."),
            {"id": "u2", "type": "user", "content": [{"text": "More."}]},
            {"id": "m1", "type": "model", "parts": [{"text": "Done."}]},
        )
    )
    assert made.task is not None
    assert (made.task.id, made.task.instruction) == ("s1", "Fix it.")
    assert made.policy.model == "gem"
    steps, orphans = parts(made)
    assert [step.observation for step in steps] == ["one", "two"]
    assert [(step.action.batch.index, step.action.batch.size) for step in steps if step.action.batch] == [
        (0, 2),
        (1, 2),
    ]
    assert steps[0].thoughts == ({"thinking": "Plan\nRead."}, {"text": "Let me see."})
    assert steps[0].timing.started_at == 1767225602000000
    assert steps[0].timing.ended_at == 1767225603000000
    assert [orphan.code for orphan in orphans] == ["harness_message", "user_message", "last_words"]


OLD = "Command: ls\nDirectory: /tmp\nOutput: {}\nError: (none)\nExit Code: {}\nSignal: {}\nBackground PIDs: (none)\n"
OLD += "Process Group PGID: 5"
OLDEST = "Command: ls\nDirectory: (root)\nStdout: {}\nStderr: {}\nError: (none)\nExit Code: 0\nSignal: (none)"


@pytest.mark.parametrize(
    ("text", "observation", "code", "status"),
    [
        (OLD.format("a\nb", "0", "0"), "a\nb", 0, Status.OK),
        (OLD.format("(empty)", "2", "0"), "", 2, Status.TOOL_ERROR),
        (OLD.format("a", "(none)", "9"), "a", None, Status.TOOL_ERROR),
        (OLD.format("a\nError: mine\nb", "0", "0"), "a\nError: mine\nb", 0, Status.OK),
        (OLDEST.format("out", "(empty)"), "out", 0, Status.OK),
        (OLDEST.format("out", "err"), "out\nerr", 0, Status.OK),
        ("Output: a/\nb\nProcess Group PGID: 5", "a/\nb", None, Status.OK),
        ("Output: no\nExit Code: 1\nProcess Group PGID: 5", "no", 1, Status.TOOL_ERROR),
        ("plain", "plain", None, Status.OK),
    ],
)
def test_the_words_around_a_shell(text, observation, code, status):
    step = only(call("c1", "run_shell_command", result=response("c1", output=text)))
    assert (step.observation, step.outcome.exit_code, step.outcome.status) == (observation, code, status)
    assert (step.shown or step.observation) == text


def test_a_shell_whose_words_cannot_be_told_apart_is_marked():
    step = only(call("c1", "run_shell_command", result=response("c1", output="Command: ls\\nOutput: a")))
    assert (step.observation, step.shown) == ("Command: ls\\nOutput: a", None)
    assert Lossiness.OBS_TEMPLATED in step.lossiness


@pytest.mark.parametrize(
    ("more", "status", "observation"),
    [
        ({"status": "error", "result": response("c1", error="No file")}, Status.TOOL_ERROR, "No file"),
        ({"status": "cancelled", "result": response("c1", error="[Operation Cancelled]")}, Status.INTERRUPTED, None),
        ({"status": "cancelled"}, Status.INTERRUPTED, None),
        ({"status": "success", "result": response("c1", output="x")}, Status.OK, "x"),
        (
            {"status": "success", "result": response("c1", content=[{"text": "x"}], isError=True)},
            Status.TOOL_ERROR,
            "x",
        ),
        ({"status": "success", "result": response("c1", other=1)}, Status.OK, '{"other":1}'),
        ({"status": "executing"}, Status.UNKNOWN, None),
        ({"status": None, "result": response("c1", error="x")}, Status.TOOL_ERROR, "x"),
    ],
)
def test_outcomes_are_facts(more, status, observation):
    step = only(call("c1", **more))
    assert (step.outcome.status, step.observation) == (status, observation)
    assert (Lossiness.TAIL_MISSING in step.lossiness) == (more["status"] == "executing")


def test_ids_that_come_again_pair_inside_their_message():
    made = read(whole(says("g1", A), says("g2", call("c1", result=response("c1", output="again"))), says("g3", B)))
    assert [step.observation for step in parts(made)[0]] == ["one", "again", "two"]


def test_lines_with_patches():
    early = says("g1", call("c1", status="executing"))
    data = jsonl(
        {**HEAD, "kind": "main"},
        ASK,
        {"$set": {"lastUpdated": "2026-01-01T00:00:05Z", "summary": "A fix"}},
        early,
        says("g1", A),
        says("g2", call("c9", result=response("c9", output="undone"))),
        {"$rewindTo": "g2"},
        says("g3", {**B, "timestamp": LATER}, timestamp=LATER),
        {"$rewindTo": "gone"},
        {"$set": 7},
    )
    made = read(data + b'{"id":"cut')
    steps, orphans = parts(made)
    assert [step.observation for step in steps] == ["one", "two"]
    codes = [orphan.code for orphan in orphans]
    assert codes == ["rewound", "bad_record", "bad_record", "truncated_source"]
    assert made.extra["header"]["summary"] == "A fix"


def test_a_patch_that_sets_all_messages():
    data = jsonl(HEAD, ASK, says("g1", A), {"$set": {"messages": [ASK, says("g2", B)]}}, says("g3", A))
    assert [step.observation for step in parts(read(data))[0]] == ["two", "one"]


def test_one_document_on_one_line():
    assert len(parts(read(json.dumps(whole(says("g1", A))) + "\n"))[0]) == 1


def test_bom_and_crlf():
    data = b"\xef\xbb\xbf" + jsonl(HEAD, ASK, says("g1", A), says("g2", B)).replace(b"\n", b"\r\n")
    assert len(parts(read(data))[0]) == 2


def test_a_session_without_calls_is_refused():
    with pytest.raises(InputError, match="no tool was called"):
        read(whole(says("g1")))


def test_broken_files():
    shell = call("c3", "run_shell_command", result=response("c3", output=OLD.format("three", "0", "0")))
    messages = [says("g1", A, B, thoughts=[{"subject": "Plan"}]), says("g2", shell)]
    fuzz(Gemini, whole(*messages))
    fuzz(Gemini, jsonl(HEAD, ASK, {"$set": {"lastUpdated": "x"}}, *messages, {"$rewindTo": "g9"}))


# jq '[.messages[].toolCalls//[]|length]|add' FILE; for the lines: jq -s '[.[].toolCalls//[]|length]|add'
REAL = {"other_cli/gemini_large.json": 2, "other_cli/gemini_v040.jsonl": 1}
REFUSED = [
    "atif/rfc_gemini_src.json",
    "claude_code/entire_not_jsonl.jsonl",
    "other_cli/gemini_standard_session.json",
    "other_cli/gemini_system_messages.json",
    "other_cli/gemini_thinking_only.json",
]


@pytest.mark.shared
@pytest.mark.parametrize("name", REAL)
def test_real_files(name: str, shared_data: Path) -> None:
    assert len(parts(read((shared_data / name).read_bytes()))[0]) == REAL[name]


@pytest.mark.shared
def test_a_real_observation(shared_data: Path) -> None:
    (step,), _ = parts(read((shared_data / "other_cli/gemini_v040.jsonl").read_bytes()))
    # jq -r '.toolCalls//[]|.[].resultDisplay' gemini_v040.jsonl
    assert step.observation == "AgentSessions/\nREADME.md"


@pytest.mark.shared
@pytest.mark.parametrize("name", REFUSED)
def test_real_files_without_calls_are_refused(name: str, shared_data: Path) -> None:
    with pytest.raises(InputError, match="no tool was called"):
        read((shared_data / name).read_bytes())


@pytest.mark.shared
def test_no_other_file_is_claimed(shared_data: Path) -> None:
    assert claimed(Gemini(), shared_data) == {*REAL, *REFUSED}
