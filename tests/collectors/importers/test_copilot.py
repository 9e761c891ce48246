"""Sessions of GitHub Copilot's CLI and coding agent."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from worldtape.collectors.importers.copilot import Copilot
from worldtape.errors import InputError, VersionError
from worldtape.schemas import EndStatus, Imported, ImportedStep, Lossiness, Rejected, Status, derived_id

from ._files import Bytes, jsonl
from ._fuzz import fuzz
from ._sessions import claimed, hold_for_branches, hold_for_lines, parts


class Log:
    """Writes events as Copilot does: each names the one before it."""

    def __init__(self, **start: Any) -> None:
        self.events: list[dict[str, Any]] = []
        context = {"cwd": "/app", "branch": "main"}
        data = {"sessionId": "s1", "version": 1, "producer": "copilot-agent", "copilotVersion": "1.0.80"}
        self("session.start", **{**data, "context": context, "selectedModel": "gpt", **start})
        self("user.message", content="Fix it.", transformedContent="<now>Fix it.", attachments=[])

    def __call__(self, kind: str, agent: str | None = None, **data: Any) -> Log:
        number = len(self.events)
        event: dict[str, Any] = {
            "type": kind,
            "data": data,
            "id": f"e{number}",
            "timestamp": f"2026-01-01T00:00:{number:02}.000Z",
        }
        event["parentId"] = f"e{number - 1}" if number else None
        self.events.append(event | ({"agentId": agent} if agent else {}))
        return self

    def says(self, *calls: dict[str, Any], agent: str | None = None, **data: Any) -> Log:
        message = {"messageId": f"m{len(self.events)}", "content": "", "toolRequests": list(calls), **data}
        return self("assistant.message", agent, **message)

    def runs(self, call: str, tool: str, agent: str | None = None) -> Log:
        return self("tool.execution_start", agent, toolCallId=call, toolName=tool, arguments={})

    def gives(self, call: str, content: str, agent: str | None = None, **more: Any) -> Log:
        result = {"content": content, "detailedContent": "for people"}
        return self("tool.execution_complete", agent, **{"toolCallId": call, "success": True, "result": result, **more})


def call(call_id: str, name: str = "view", **arguments: Any) -> dict[str, Any]:
    arguments = arguments or {"path": call_id}
    return {"toolCallId": call_id, "name": name, "arguments": arguments, "type": "function"}


def read(log: Log | list[Any]) -> list[Imported | Rejected]:
    source = Bytes(jsonl(*(log.events if isinstance(log, Log) else log)))
    assert Copilot().sniff(source)
    return list(Copilot().read(source))


def only(log: Log) -> ImportedStep:
    (made,) = read(log)
    (step,), _ = parts(made)
    return step


def test_a_session():
    log = Log()
    log("assistant.turn_start", turnId="0").says(call("c1"), call("c2"), reasoningText="hm")
    log.runs("c1", "view").runs("c2", "view").gives("c2", "two").gives("c1", "one")
    log("assistant.turn_end", turnId="0")("user.message", content="More.").says(content="Done.")
    log("session.shutdown", shutdownType="routine")
    (made,) = read(log)
    assert isinstance(made, Imported)
    assert made.task is not None
    assert (made.task.id, made.task.instruction) == ("s1", "Fix it.")
    assert (made.policy.model, made.environment.versions) == ("gpt", {"copilot": "1.0.80"})
    assert made.environment.parameters == {"cwd": "/app", "git_branch": "main"}
    assert made.end.status is EndStatus.COMPLETED
    steps, orphans = parts(made)
    assert [(step.observation, step.outcome.status) for step in steps] == [("one", Status.OK), ("two", Status.OK)]
    assert [step.action.batch.index for step in steps if step.action.batch] == [0, 1]
    assert steps[0].thoughts == ({"thinking": "hm"},)
    assert steps[0].timing.started_at == 1767225603000000
    assert steps[0].timing.duration_ms == 3000
    assert [orphan.code for orphan in orphans] == ["user_message", "last_words"]


@pytest.mark.parametrize(
    ("content", "observation", "code", "status"),
    [
        ("a\nb\n<exited with exit code 0>", "a\nb", 0, Status.OK),
        ("<exited with exit code 2>", "", 2, Status.TOOL_ERROR),
        ("hello\n<shellId: 0 completed with exit code 1>", "hello", 1, Status.TOOL_ERROR),
        ("up\n<command with shellId: 7 is still running after 30 seconds. Use read_bash.>", "up", None,
         Status.TIMEOUT_STILL_RUNNING),
        ("<exited with exit code 1>\nsaid the manual", "<exited with exit code 1>\nsaid the manual", None, Status.OK),
        ("plain", "plain", None, Status.OK),
    ],
)  # fmt: skip
def test_the_words_behind_a_shell(content, observation, code, status):
    asked = call("c1", "bash", command="ls", initial_wait=20)
    step = only(Log().says(asked).runs("c1", "bash").gives("c1", content))
    assert (step.observation, step.outcome.exit_code, step.outcome.status) == (observation, code, status)
    assert (step.shown or step.observation) == content
    assert step.action.wait_s == 20
    assert Lossiness.MERGED_STREAMS in step.lossiness
    assert (Lossiness.NO_EXIT_CODE in step.lossiness) == (code is None)


def test_the_words_behind_a_shell_are_nobody_elses():
    text = "said\n<exited with exit code 1>"
    step = only(Log().says(call("c1")).gives("c1", text))
    assert (step.observation, step.outcome.exit_code) == (text, None)


def test_a_shell_tells_its_code_and_folder_in_a_block_of_its_own():
    blocks = [{"type": "shell_exit", "shellId": "1", "exitCode": 3, "cwd": "/tmp/x"}]
    result = {"content": "no", "contents": blocks}
    step = only(Log().says(call("c1", "bash", command="x")).gives("c1", "", result=result))
    assert (step.observation, step.outcome.exit_code, step.state_after) == ("no", 3, {"cwd": "/tmp/x"})


@pytest.mark.parametrize(
    ("error", "status", "observation", "shown"),
    [
        ({"message": "You may not", "code": "denied"}, Status.NOT_EXECUTED, None, "You may not"),
        ({"message": "Not now", "code": "rejected"}, Status.NOT_EXECUTED, None, "Not now"),
        ({"message": "No such path", "code": "failure"}, Status.TOOL_ERROR, "No such path", None),
        (None, Status.TOOL_ERROR, None, None),
    ],
)
def test_outcomes_are_facts(error, status, observation, shown):
    step = only(Log().says(call("c1")).gives("c1", "", success=False, result=None, error=error))
    assert (step.outcome.status, step.observation, step.shown) == (status, observation, shown)


def test_what_was_cut_is_marked():
    cut = "Output too large to read at once (86.7 KB). Saved to: /tmp/copilot-tool-output-1.txt"
    assert Lossiness.TRUNCATED_NO_FULL in only(Log().says(call("c1")).gives("c1", cut)).lossiness


def test_a_call_nobody_asked_the_model_for_is_the_users():
    log = Log()("tool.user_requested", toolCallId="u1", toolName="bash", arguments={"command": "ls"})
    log.runs("u1", "bash").gives("u1", "a\n<exited with exit code 0>").says(call("c1")).gives("c1", "one")
    (made,) = read(log)
    steps, _ = parts(made)
    assert [(step.action.actor, step.observation) for step in steps] == [("human", "a"), ("agent", "one")]


def test_events_of_the_screen_are_nothing():
    log = Log()("assistant.message_delta", deltaContent="x")("tool.execution_partial_result", partialOutput="o")
    log("session.background_tasks_changed").events[-1]["ephemeral"] = True
    log("assistant.reasoning", content="hm").says(call("c1"), reasoningText="hm").gives("c1", "one")
    assert only(log).thoughts == ({"thinking": "hm"},)


@pytest.mark.parametrize("named", [True, False])
def test_sub_agents_are_trajectories_of_their_own(named):
    """Newer events name their agent; older ones only the call that asked for it."""
    agent = {"agent": "worker"} if named else {"parentToolCallId": "t2"}
    log = Log().says(call("t1", "task", prompt="Find."), call("t2", "task", prompt="Read."), call("c1"))
    if named:
        log("subagent.started", "worker", toolCallId="t2", agentName="reader")
    log.says(call("s1"), **agent).gives("s1", "inside", **agent)
    log.gives("t2", "It says inside.").gives("t1", "Found.").gives("c1", "one")
    main, side = read(log)
    steps, _ = parts(main)
    assert [step.observation for step in steps] == ["Found.", "It says inside.", "one"]
    assert [Lossiness.SYNTHETIC_OBS in step.lossiness for step in steps] == [True, True, False]
    assert [step.observation for step in parts(side)[0]] == ["inside"]
    assert isinstance(side, Imported)
    assert (side.lineage.kind, side.lineage.step) == ("subagent", 1)
    assert side.lineage.parent == derived_id("copilot", Bytes(jsonl(*log.events)).digest, "")


def test_what_was_taken_back_is_a_branch():
    log = Log().says(call("c1")).gives("c1", "both").says(call("c2")).gives("c2", "left")
    log("user.message", content="Otherwise.").events[-1]["parentId"] = "e3"
    hold_for_branches(Copilot(), *log.says(call("c3")).gives("c3", "kept").events)


def test_a_resumed_session_and_copies_are_counted_once():
    log = Log().says(call("c1")).gives("c1", "one")
    copies = [dict(event) for event in log.events]
    log("session.resume", resumeTime="x", eventCount=4).says(call("c2")).gives("c2", "two")
    (made,) = read(copies + log.events)
    steps, orphans = parts(made)
    assert [step.observation for step in steps] == ["one", "two"]
    assert [(orphan.code, orphan.details) for orphan in orphans] == [("copied_context", {"count": 4})]


def test_an_id_that_comes_again_answers_the_latest_call():
    log = Log().says(call("c1")).gives("c1", "one").says(call("c1", path="b")).gives("c1", "two")
    (made,) = read(log)
    assert [step.observation for step in parts(made)[0]] == ["one", "two"]


def test_what_belongs_to_nothing():
    log = Log()("system.notification", content="Soon.")("user.message", content="Skill.", source="skill-x")
    log("session.compaction_complete", success=True)("session.truncation")("session.compaction_complete", success=False)
    log("session.snapshot_rewind", upToEventId="e1").gives("c0", "who asked?").says({"toolCallId": "c9"}, call("c1"))
    log("abort", reason="user initiated").events.append({"type": "new.kind"})
    (made,) = read([*log.events, [1]])
    (step,), orphans = parts(made)
    assert (step.observation, step.outcome.status) == (None, Status.INTERRUPTED)
    assert Lossiness.TAIL_MISSING not in step.lossiness
    codes = [orphan.code for orphan in orphans]
    assert codes == [
        "bad_line", "unknown_record", "harness_message", "harness_message", "compacted", "compacted", "rewound",
        "orphan_result", "orphan_call", "interrupted",
    ]  # fmt: skip


def test_a_session_that_breaks_off():
    (made,) = read(Log().says(call("c1")).runs("c1", "view"))
    assert isinstance(made, Imported)
    assert made.end.status is EndStatus.INTERRUPTED
    (step,), _ = parts(made)
    assert Lossiness.TAIL_MISSING in step.lossiness


def test_times_that_run_backwards_keep_the_order_of_the_file():
    log = Log().says(call("c1")).gives("c1", "one")
    log.events[-1]["timestamp"] = "2025-12-31T23:59:59Z"
    (made,) = read(log)
    (step,), orphans = parts(made)
    assert step.observation == "one"
    assert [orphan.code for orphan in orphans] == ["time_backwards"]


def test_lines_are_lines():
    hold_for_lines(Copilot(), *Log().says(call("c1")).gives("c1", "one").events)


def test_a_session_without_calls_is_refused():
    with pytest.raises(InputError, match="no tool was called"):
        read(Log().says(content="Hi."))


def test_a_later_format_is_refused():
    with pytest.raises(VersionError, match="version 2"):
        read(Log(version=2).says(call("c1")).gives("c1", "one"))


def test_broken_files():
    log = Log().says(call("c1"), call("b1", "bash", command="ls", timeout=9), reasoningText="hm").runs("b1", "bash")
    log.gives("b1", "a\n<exited with exit code 0>").gives("c1", "one").says(call("t1", "task", prompt="Find."))
    log.says(call("s1", path="in"), agent="w").gives("s1", "inside", agent="w").gives("t1", "Found.")
    fuzz(Copilot, jsonl(*log.events))


@pytest.mark.shared
def test_no_other_file_is_claimed(shared_data: Path) -> None:
    assert claimed(Copilot(), shared_data) == set()
