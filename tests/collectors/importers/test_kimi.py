"""Sessions of Kimi CLI and Kimi Code."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from worldtape.collectors.importers.kimi import Kimi
from worldtape.errors import InputError, VersionError
from worldtape.schemas import EndStatus, Imported, Lossiness, Rejected, Status, derived_id

from ._files import Bytes, jsonl
from ._fuzz import fuzz
from ._sessions import claimed, hold_for_lines, parts

SESSION = "sessions/abc/0b9c2f6e-1111-4222-8333-444455556666"
PROMPT = {"role": "_system_prompt", "content": "You are Kimi."}
ASK = {"role": "user", "content": "Fix it."}


def asks(*calls: tuple[str, str], text: str = "") -> dict[str, Any]:
    """A message of the model in a context."""
    made = [
        {"type": "function", "id": call, "function": {"name": name, "arguments": json.dumps({"of": call})}}
        for call, name in calls
    ]
    content = [{"type": "think", "think": "hm"}, {"type": "text", "text": text}]
    return {"role": "assistant", "content": content, "tool_calls": made}


def tool(call: str, *texts: str) -> dict[str, Any]:
    return {"role": "tool", "content": [{"type": "text", "text": text} for text in texts], "tool_call_id": call}


def at(second: float, kind: str, **payload: Any) -> dict[str, Any]:
    """A record of Kimi CLI's wire."""
    return {"timestamp": 1767225600 + second, "message": {"type": kind, "payload": payload}}


def calls(second: float, call: str, name: str = "ReadFile", arguments: str | None = None) -> dict[str, Any]:
    function = {"name": name, "arguments": json.dumps({"of": call}) if arguments is None else arguments}
    return at(second, "ToolCall", type="function", id=call, function=function)


def answers(second: float, call: str, output: Any = "", message: str = "", *, error: bool = False) -> dict[str, Any]:
    value = {"is_error": error, "output": output, "message": message, "display": [], "extras": None}
    return at(second, "ToolResult", tool_call_id=call, return_value=value)


def inside(record: dict[str, Any], call: str, agent: str | None = None) -> dict[str, Any]:
    """The same record, as a sub-agent's."""
    names = {"task_tool_call_id": call} if agent is None else {"parent_tool_call_id": call, "agent_id": agent}
    wrapped = {"type": "SubagentEvent", "payload": {**names, "event": record["message"]}}
    return {"timestamp": record["timestamp"], "message": wrapped}


def loop(second: int, kind: str, **event: Any) -> dict[str, Any]:
    """A record of Kimi Code's wire."""
    return {
        "type": "context.append_loop_event",
        "event": {"type": kind, "uuid": "u", "turnId": "0", **event},
        "time": 1767225600000 + second * 1000,
    }


HEAD = {"type": "metadata", "protocol_version": "1.3"}
BEGIN = at(0, "TurnBegin", user_input=[{"type": "text", "text": "Fix it."}])
FLAT = {"type": "metadata", "protocol_version": "1.5", "created_at": 1767225600000}
FLAT_ASK = {
    "type": "context.append_message",
    "message": {"role": "user", "content": [{"type": "text", "text": "Fix it."}], "origin": {"kind": "user"}},
    "time": 1767225600000,
}


def read(*records: Any, name: str = "source", beside: dict[str, bytes] | None = None) -> list[Imported | Rejected]:
    source = Bytes(jsonl(*records), name, **(beside or {}))
    assert Kimi().sniff(source)
    return list(Kimi().read(source))


def test_a_context():
    (made,) = read(
        PROMPT,
        {"role": "_checkpoint", "id": 0},
        {"role": "user", "content": "<system>CHECKPOINT 0</system>"},
        ASK,
        asks(("c1", "ReadFile"), ("c2", "Shell")),
        {"role": "_usage", "token_count": 12},
        tool("c2", "<system>Command executed successfully.</system>", "two\n"),
        tool("c1", "<system>1 line read.</system>", "one"),
        asks(text="Done."),
        name=f"{SESSION}/context.jsonl",
    )
    assert isinstance(made, Imported)
    assert made.task is not None
    assert (made.task.id, made.task.instruction) == ("0b9c2f6e-1111-4222-8333-444455556666", "Fix it.")
    assert Lossiness.NO_TIMESTAMPS in made.lossiness
    assert made.extra["records"] == {"_system_prompt": 1, "_checkpoint": 1, "_usage": 1}
    steps, orphans = parts(made)
    assert [(step.observation, step.outcome.exit_code) for step in steps] == [("one", None), ("two\n", 0)]
    assert steps[1].shown == "<system>Command executed successfully.</system>two\n"
    assert steps[0].extra["message"] == "1 line read."
    assert [step.action.batch.index for step in steps if step.action.batch] == [0, 1]
    assert steps[0].thoughts == ({"thinking": "hm"},)
    assert [orphan.code for orphan in orphans] == ["harness_message", "last_words"]


def test_a_wire():
    (made,) = read(
        HEAD,
        BEGIN,
        at(1, "StepBegin", n=1),
        at(2, "ContentPart", type="think", think="hm"),
        at(2.5, "ContentPart", type="text", text="So."),
        calls(3, "c1"),
        calls(3, "c2", "Shell", '{"command":"ls","timeout":60}'),
        answers(5, "c2", "two\n", "Command executed successfully."),
        answers(6, "c1", "one", "1 line read."),
        at(7, "StatusUpdate", context_usage=0.1),
        at(8, "StepBegin", n=2),
        calls(9, "c3"),
        answers(9.5, "c3", [{"type": "text", "text": "three"}]),
        at(10, "TurnEnd"),
        name=f"{SESSION}/wire.jsonl",
    )
    assert isinstance(made, Imported)
    assert made.started_at == 1767225600000000
    assert made.end.status is EndStatus.COMPLETED
    steps, _ = parts(made)
    assert [step.observation for step in steps] == ["one", "two\n", "three"]
    assert [step.action.batch and step.action.batch.size for step in steps] == [2, 2, None]
    assert steps[0].thoughts == ({"thinking": "hm"}, {"text": "So."})
    assert (steps[1].action.timeout_s, steps[1].outcome.exit_code) == (60, 0)
    assert (steps[1].timing.started_at, steps[1].timing.ended_at) == (1767225603000000, 1767225605000000)
    assert Lossiness.MERGED_STREAMS in steps[1].lossiness


def test_a_flat_wire():
    (made,) = read(
        FLAT,
        {"type": "turn.prompt", "input": [], "time": 1},
        FLAT_ASK,
        loop(1, "step.begin", step=1),
        loop(2, "content.part", stepUuid="s1", part={"type": "think", "think": "hm"}),
        loop(3, "tool.call", stepUuid="s1", toolCallId="c1", name="Read", args={"of": "c1"}),
        loop(3, "tool.call", stepUuid="s1", toolCallId="c2", name="Bash", args={"command": "ls"}),
        loop(4, "tool.result", toolCallId="c2", result={"output": "a\nCommand failed with exit code: 2.",
                                                        "isError": True}),
        loop(5, "tool.result", toolCallId="c1", result={"output": "one", "note": "<system>seen</system>"}),
        {"type": "usage.record", "model": "kimi-k2", "time": 1},
        {"type": "context.apply_compaction", "summary": "s", "compactedCount": 2},
    )  # fmt: skip
    assert isinstance(made, Imported)
    assert made.policy.model == "kimi-k2"
    assert made.task is not None
    assert made.task.instruction == "Fix it."
    steps, orphans = parts(made)
    assert [(step.observation, step.outcome.exit_code) for step in steps] == [("one", None), ("a\n", 2)]
    assert steps[1].shown == "a\nCommand failed with exit code: 2."
    assert steps[0].extra["note"] == "<system>seen</system>"
    assert [orphan.code for orphan in orphans] == ["compacted"]


REFUSAL = "The tool call is rejected by the user. Stop."


@pytest.mark.parametrize(
    ("texts", "name", "status", "observation", "code"),
    [
        (["<system>ERROR: Command failed with exit code: 3.</system>", "no"], "Shell", Status.TOOL_ERROR, "no", 3),
        (["<system>ERROR</system>", "<system>No file.</system>"], "ReadFile", Status.TOOL_ERROR, "No file.", None),
        (["<system>ERROR: Command killed by timeout (5s)</system>", "up"], "Shell", Status.TIMEOUT_KILLED, "up", None),
        ([f"<system>ERROR: {REFUSAL}</system>"], "Shell", Status.NOT_EXECUTED, None, None),
        (["<system>Tool output is empty.</system>"], "ReadFile", Status.OK, "", None),
        (["<system>Command executed successfully.</system>"], "Shell", Status.OK, "", 0),
        (["plain <system>x</system>"], "ReadFile", Status.OK, "plain <system>x</system>", None),
    ],
)
def test_the_words_before_an_output(texts, name, status, observation, code):
    (made,) = read(PROMPT, ASK, asks(("c1", name)), tool("c1", *texts))
    (step,), _ = parts(made)
    assert (step.outcome.status, step.observation, step.outcome.exit_code) == (status, observation, code)
    assert (step.shown or step.observation) == "".join(texts)


@pytest.mark.parametrize(
    ("result", "status", "observation", "code"),
    [
        ({"output": "Process exited with code 1\nCommand failed with exit code: 1.", "isError": True},
         Status.TOOL_ERROR, "", 1),
        ({"output": "Command executed successfully."}, Status.OK, "", 0),
        ({"output": "it prints\nCommand failed with exit code: 1."}, Status.OK,
         "it prints\nCommand failed with exit code: 1.", None),
        ({"output": "x\nCommand executed successfully. Output is truncated to fit in the message.", "truncated": True},
         Status.OK, "x\n", 0),
        ({"output": "up\nCommand killed by timeout (60s)", "isError": True}, Status.TIMEOUT_KILLED, "up\n", None),
        ({"output": [{"type": "text", "text": "a"}]}, Status.OK, "a", None),
    ],
)  # fmt: skip
def test_the_words_behind_an_output(result, status, observation, code):
    record = loop(2, "tool.result", toolCallId="c1", result=result)
    (made,) = read(FLAT, loop(1, "tool.call", stepUuid="s", toolCallId="c1", name="Bash", args={}), record)
    (step,), _ = parts(made)
    assert (step.outcome.status, step.observation, step.outcome.exit_code) == (status, observation, code)
    assert (Lossiness.TRUNCATED_NO_FULL in step.lossiness) == (result.get("truncated") is True)


def test_a_refusal_is_no_observation():
    (made,) = read(HEAD, BEGIN, calls(1, "c1"), answers(2, "c1", "", REFUSAL, error=True))
    (step,), _ = parts(made)
    assert (step.outcome.status, step.observation, step.shown) == (Status.NOT_EXECUTED, None, REFUSAL)


def test_arguments_that_come_in_pieces():
    (made,) = read(
        HEAD,
        BEGIN,
        calls(1, "c1", arguments='{"of"'),
        at(1, "ToolCallPart", arguments_part=':"c1"'),
        at(1, "ToolCallPart", arguments_part="}"),
        answers(2, "c1", "one"),
    )
    (step,), _ = parts(made)
    assert (step.action.arguments, step.observation) == ('{"of":"c1"}', "one")


@pytest.mark.parametrize("agent", [None, "a7"])
def test_sub_agents_are_trajectories_of_their_own(agent):
    records = [HEAD, BEGIN, calls(1, "t1", "Task"), calls(1, "t2", "Task"), calls(1, "c1")]
    records += [inside(at(2, "StepBegin", n=1), "t2", agent), inside(calls(3, "c1"), "t2", agent)]
    records += [inside(answers(4, "c1", "inside"), "t2", agent)]
    records += [answers(5, "t2", "It says inside."), answers(6, "t1", "Found."), answers(7, "c1", "one")]
    main, side = read(*records)
    steps, _ = parts(main)
    assert [step.observation for step in steps] == ["Found.", "It says inside.", "one"]
    assert [Lossiness.SYNTHETIC_OBS in step.lossiness for step in steps] == [True, True, False]
    assert [step.observation for step in parts(side)[0]] == ["inside"]
    assert isinstance(side, Imported)
    assert (side.lineage.kind, side.lineage.step) == ("subagent", 1)
    assert side.lineage.parent == derived_id("kimi", Bytes(jsonl(*records)).digest, "")


def test_a_session_is_told_once():
    wire = jsonl(HEAD, BEGIN, calls(1, "c1"), answers(2, "c1", "one"))
    context = [PROMPT, ASK, asks(("c1", "ReadFile")), tool("c1", "one")]
    with pytest.raises(InputError, match=r"wire\.jsonl beside it"):
        read(*context, beside={"wire.jsonl": wire})
    assert read(*context, beside={"wire.jsonl": jsonl(HEAD, BEGIN)})
    root = jsonl(HEAD, BEGIN, calls(1, "t1", "Task"), inside(calls(2, "c1"), "t1"))
    with pytest.raises(InputError, match="a sub-agent's"):
        read(HEAD, BEGIN, calls(1, "c1"), beside={"../../wire.jsonl": root})


def test_the_file_of_a_sub_agent_names_its_parent():
    main = jsonl(FLAT, FLAT_ASK)
    records = [loop(1, "tool.call", toolCallId="c1", name="Read", args={}), loop(2, "tool.result", toolCallId="c1")]
    (made,) = read(FLAT, *records, beside={"../main/wire.jsonl": main})
    assert isinstance(made, Imported)
    assert made.lineage.kind == "subagent"
    assert made.lineage.parent == derived_id("kimi", Bytes(main).digest, "")


def test_what_was_taken_back_is_a_branch_and_its_beginning_is_counted_once():
    start = [PROMPT, {"role": "_checkpoint", "id": 0}, ASK, asks(("c1", "ReadFile")), tool("c1", "one")]
    now = jsonl(*start, asks(("c2", "ReadFile")), tool("c2", "new"))
    old = [*start, {"role": "_checkpoint", "id": 1}, asks(("c3", "ReadFile")), tool("c3", "old")]
    (made,) = read(*old, name="s/context_1.jsonl", beside={"context.jsonl": now})
    assert isinstance(made, Imported)
    assert made.task is not None
    assert made.task.instruction == "Fix it."
    assert (made.lineage.kind, made.lineage.parent) == ("branch", derived_id("kimi", Bytes(now).digest, ""))
    steps, orphans = parts(made)
    assert [step.observation for step in steps] == ["old"]
    assert [orphan.code for orphan in orphans] == ["copied_context"]
    (made,) = read(*start, name="s/context.jsonl", beside={"context_1.jsonl": jsonl(*old)})
    assert [step.observation for step in parts(made)[0]] == ["one"]


def test_what_a_compaction_keeps_is_counted_once():
    old = [PROMPT, ASK, asks(("c1", "ReadFile")), tool("c1", "one"), asks(text="Half done.")]
    summary = {"role": "user", "content": "<system>Previous context has been compacted. Here it is:</system> s"}
    now = [PROMPT, summary, *old[2:], asks(("c1", "ReadFile")), tool("c1", "two")]
    (made,) = read(*now, name="s/context.jsonl", beside={"context_1.jsonl": jsonl(*old)})
    steps, orphans = parts(made)
    assert [step.observation for step in steps] == ["two"]
    assert [orphan.code for orphan in orphans] == ["copied_context", "compacted"]


def test_what_belongs_to_nothing():
    (made,) = read(
        HEAD,
        BEGIN,
        at(1, "SteerInput", user_input="Faster."),
        at(1, "SteerInput", user_input="<system-reminder>Slow.</system-reminder>"),
        answers(1, "c0", "who asked?"),
        at(2, "ToolCall", id="c8", function={}),
        calls(2, "c1"),
        at(3, "StepInterrupted"),
        at(3, "CompactionEnd"),
        {"timestamp": 4, "message": 7},
        {"type": "new"},
        [1],
    )
    (step,), orphans = parts(made)
    assert (step.observation, step.outcome.status) == (None, Status.INTERRUPTED)
    assert [orphan.code for orphan in orphans] == [
        "bad_line", "unknown_record", "user_message", "harness_message", "orphan_result", "orphan_call",
        "interrupted", "compacted", "unknown_record",
    ]  # fmt: skip


def test_times_that_run_backwards_keep_the_order_of_the_file():
    (made,) = read(HEAD, BEGIN, calls(5, "c1"), answers(4, "c1", "one"))
    (step,), orphans = parts(made)
    assert step.observation == "one"
    assert [orphan.code for orphan in orphans] == ["time_backwards"]


def test_an_id_that_comes_again_answers_the_latest_call():
    records = [HEAD, BEGIN, calls(1, "c1"), answers(2, "c1", "one"), at(3, "StepBegin", n=2)]
    (made,) = read(*records, calls(4, "c1"), answers(5, "c1", "two"))
    assert [step.observation for step in parts(made)[0]] == ["one", "two"]


def test_a_session_that_breaks_off():
    (made,) = read(HEAD, BEGIN, calls(1, "c1"), answers(2, "c1", "one"), calls(3, "c2"))
    assert isinstance(made, Imported)
    assert made.end.status is EndStatus.INTERRUPTED
    steps, _ = parts(made)
    assert [step.observation for step in steps] == ["one", None]
    assert Lossiness.TAIL_MISSING in steps[1].lossiness


def test_lines_are_lines():
    hold_for_lines(Kimi(), HEAD, BEGIN, calls(1, "c1"), answers(2, "c1", "one"))
    hold_for_lines(Kimi(), PROMPT, ASK, asks(("c1", "ReadFile")), tool("c1", "one"))
    result = loop(2, "tool.result", toolCallId="c1", result={"output": "one"})
    hold_for_lines(Kimi(), FLAT, FLAT_ASK, loop(1, "tool.call", toolCallId="c1", name="Read", args={}), result)


def test_a_session_without_calls_is_refused():
    for records in ([PROMPT, ASK], [HEAD, BEGIN], [FLAT, FLAT_ASK]):
        with pytest.raises(InputError, match="no tool was called"):
            read(*records)


def test_a_later_protocol_is_refused():
    with pytest.raises(VersionError, match=r"protocol 2\.0"):
        read({**HEAD, "protocol_version": "2.0"}, BEGIN, calls(1, "c1"))


def test_broken_files():
    shell = tool("c2", "<system>ERROR: Command failed with exit code: 2.</system>", "two")
    fuzz(Kimi, jsonl(PROMPT, ASK, asks(("c1", "ReadFile"), ("c2", "Shell")), tool("c1", "one"), shell))
    task = [calls(3, "t1", "Task"), inside(calls(4, "c3"), "t1"), inside(answers(5, "c3", "inside"), "t1")]
    late = [calls(1, "c1", arguments='{"of":'), at(1, "ToolCallPart", arguments_part='"c1"}')]
    wire = [*late, calls(1, "c2", "Shell"), answers(2, "c2", "two"), answers(2, "c1", "one")]
    fuzz(Kimi, jsonl(HEAD, BEGIN, *wire, *task, answers(6, "t1", "Found.")))
    flat = [loop(1, "tool.call", stepUuid="s", toolCallId=f"c{n}", name="Bash", args={"of": n}) for n in range(3)]
    flat += [loop(2, "tool.result", toolCallId=f"c{n}", result={"output": f"out {n}\n"}) for n in range(3)]
    fuzz(Kimi, jsonl(FLAT, FLAT_ASK, *flat))


@pytest.mark.shared
def test_a_real_file(shared_data: Path) -> None:
    (made,) = list(Kimi().read(Bytes((shared_data / "other_cli/kimi_context.jsonl").read_bytes())))
    # jq -r 'select(.role=="tool").content' kimi_context.jsonl: one result; .tool_calls//[]|length: one call
    (step,), orphans = parts(made)
    assert (step.action.name, step.observation) == ("Shell", "src-tauri/src/providers/mod.rs")
    assert Lossiness.NO_EXIT_CODE in step.lossiness
    assert [orphan.code for orphan in orphans] == ["last_words"]


@pytest.mark.shared
def test_no_other_file_is_claimed(shared_data: Path) -> None:
    assert claimed(Kimi(), shared_data) == {"other_cli/kimi_context.jsonl"}
