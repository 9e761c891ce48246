"""Sessions of Claude Code."""

from __future__ import annotations

import json
from typing import Any

import pytest

from worldtape.collectors.importers.claude_code import ClaudeCode
from worldtape.errors import FormatError, InputError
from worldtape.schemas import Imported, ImportedStep, Lossiness, Orphan, Rejected, Status, derived_id

from ._files import Bytes, jsonl
from ._fuzz import fuzz
from ._sessions import parts

_SECONDS = iter(range(10**6))


def record(kind: str, uuid: str, parent: str | None, content: Any, **more: Any) -> dict[str, Any]:
    message = {"role": kind, "content": content, **more.pop("message", {})}
    stamp = f"2026-01-01T00:{next(_SECONDS) // 60 % 60:02}:{int(uuid.strip('abcdefgrstu-') or 0) % 60:02}.000Z"
    common = {"sessionId": "s1", "cwd": "/app", "gitBranch": "main", "version": "2.1.0", "isSidechain": False}
    return {**common, "type": kind, "uuid": uuid, "parentUuid": parent, "timestamp": stamp, "message": message, **more}


def says(uuid: str, parent: str | None, *parts: dict[str, Any], turn: str | None = None, **more: Any) -> dict[str, Any]:
    message = {"id": turn or f"msg_{uuid}", "model": "claude-x", "usage": {"output_tokens": 1}}
    return record("assistant", uuid, parent, list(parts), message=message, **more)


def bash(call: str, command: str) -> dict[str, Any]:
    return {"type": "tool_use", "id": call, "name": "Bash", "input": {"command": command}}


def gives(uuid: str, parent: str | None, call: str, content: Any, told: Any = None, **more: Any) -> dict[str, Any]:
    part = {"type": "tool_result", "tool_use_id": call, "content": content}
    if more.pop("error", False):
        part["is_error"] = True
    return record("user", uuid, parent, [part], toolUseResult=told, **more)


def ran(out: str, err: str = "", **more: Any) -> dict[str, Any]:
    return {"stdout": out, "stderr": err, "interrupted": False, "isImage": False, **more}


ASK = record("user", "u1", None, "Fix it.")


def read(*records: Any, **siblings: Any) -> list[Imported | Rejected]:
    source = Bytes(jsonl(*records), siblings.pop("name", "s1.jsonl"), **siblings)
    assert ClaudeCode().sniff(source)
    return list(ClaudeCode().read(source))


def only(*records: Any) -> ImportedStep:
    (made,) = read(ASK, says("a2", "u1", bash("t1", "ls")), *records)
    (step,), _ = parts(made)
    return step


def codes(orphans: list[Orphan]) -> list[str]:
    return [orphan.code for orphan in orphans]


def test_a_session():
    made = read(
        ASK,
        says("a2", "u1", {"type": "thinking", "thinking": "hm"}, {"type": "text", "text": "Let me see."}, turn="m1"),
        says("a3", "a2", bash("t1", "ls"), turn="m1"),
        gives("u4", "a3", "t1", "a.txt", ran("a.txt\n")),
        says("a5", "u4", {"type": "text", "text": "Done."}),
    )
    assert isinstance(made[0], Imported)
    assert len(made) == 1
    assert made[0].task is not None
    assert (made[0].task.id, made[0].task.instruction) == ("s1", "Fix it.")
    assert made[0].policy.model == "claude-x"
    assert made[0].environment.versions == {"claude-code": "2.1.0"}
    (step,), orphans = parts(made[0])
    assert step.action.text == '{"arguments":{"command":"ls"},"name":"Bash"}'
    assert step.thoughts == ({"thinking": "hm"}, {"text": "Let me see."})
    assert (step.observation, step.shown) == ("a.txt\n", "a.txt")
    assert step.outcome.status is Status.OK
    assert step.state_after == {"cwd": "/app", "git_branch": "main"}
    assert step.timing.started_at is not None
    assert step.timing.ended_at is not None
    assert codes(orphans) == ["last_words"]


def test_one_message_on_several_lines_is_one_batch_and_results_beside_the_path_are_found():
    (made,) = read(
        ASK,
        says("a2", "u1", bash("t1", "one"), turn="m1"),
        says("a3", "a2", bash("t2", "two"), turn="m1"),
        gives("u4", "a2", "t1", "1"),
        gives("u5", "a3", "t2", "2"),
        says("a6", "u5", bash("t3", "three")),
        gives("u7", "a6", "t3", "3"),
    )
    steps, orphans = parts(made)
    assert [step.observation for step in steps] == ["1", "2", "3"]
    batches = [step.action.batch for step in steps]
    assert [(b.index, b.size, b.shared) for b in batches if b] == [(0, 2, False), (1, 2, False)]
    assert batches[2] is None
    assert orphans == []


def test_siblings_of_one_message_are_merged_though_the_leaf_hangs_on_one_of_them():
    (made,) = read(
        ASK,
        says("a2", "u1", bash("t1", "one"), turn="m1"),
        says("a3", "u1", bash("t2", "two"), turn="m1"),
        gives("u4", "a2", "t1", "1"),
        gives("u5", "a3", "t2", "2"),
    )
    assert [step.observation for step in parts(made)[0]] == ["1", "2"]


def test_the_tree_is_followed_by_its_last_word_and_branches_keep_only_their_own_part():
    source = [
        ASK,
        says("a2", "u1", bash("t1", "ls")),
        gives("u3", "a2", "t1", "a"),
        says("a4", "u3", bash("t2", "old")),
        gives("u5", "a4", "t2", "o"),
        record("user", "u6", "u3", "No, otherwise."),
        says("a7", "u6", bash("t3", "new")),
        gives("u8", "a7", "t3", "n"),
    ]
    main, branch = read(*source)
    assert [step.observation for step in parts(main)[0]] == ["a", "n"]
    assert codes(parts(main)[1]) == []
    assert [step.observation for step in parts(branch)[0]] == ["o"]
    assert isinstance(branch, Imported)
    own = Bytes(jsonl(*source)).digest
    assert (branch.lineage.kind, branch.lineage.step) == ("branch", 0)
    assert branch.lineage.parent == derived_id("claude-code", own, "")


def test_a_first_prompt_that_was_rewritten_starts_anew():
    main, branch = read(
        ASK,
        says("a2", "u1", bash("t1", "old")),
        gives("u3", "a2", "t1", "o"),
        record("user", "u4", None, "Fix that."),
        says("a5", "u4", bash("t2", "new")),
        gives("u6", "a5", "t2", "n"),
    )
    assert [step.observation for step in parts(main)[0]] == ["n"]
    assert [step.observation for step in parts(branch)[0]] == ["o"]


def test_records_without_parents_follow_each_other():
    chain = [
        ASK,
        says("a2", None, bash("t1", "ls")),
        gives("u3", None, "t1", "a"),
        record("user", "u4", None, "More."),
        says("a5", None, bash("t2", "pwd")),
        gives("u6", None, "t2", "b"),
    ]
    for one in ([{k: v for k, v in r.items() if k != "parentUuid"} for r in chain], chain):
        (made,) = read(*one)
        steps, orphans = parts(made)
        assert [step.observation for step in steps] == ["a", "b"]
        assert codes(orphans) == ["user_message"]


def test_a_parent_that_is_not_there_is_counted():
    (made,) = read(ASK, says("a2", "gone", bash("t1", "ls")), gives("u3", "a2", "t1", "a"))
    steps, orphans = parts(made)
    assert [step.observation for step in steps] == ["a"]
    assert Orphan("unknown_parent", {"count": 1}) in orphans


def test_parents_in_a_circle_end():
    (made,) = read(says("a2", "u3", bash("t1", "ls")), gives("u3", "a2", "t1", "a"))
    assert [step.observation for step in parts(made)[0]] == ["a"]


def test_compaction_joins_what_stands_before_it():
    boundary = {**record("user", "c4", None, ""), "type": "system", "subtype": "compact_boundary"}
    boundary |= {"logicalParentUuid": "u3", "message": None}
    (made,) = read(
        ASK,
        says("a2", "u1", bash("t1", "ls")),
        gives("u3", "a2", "t1", "a"),
        boundary,
        record("user", "u5", "c4", "Summary: all is well.", isCompactSummary=True),
        says("a6", "u5", bash("t2", "pwd")),
        gives("u7", "a6", "t2", "b"),
    )
    steps, orphans = parts(made)
    assert [step.observation for step in steps] == ["a", "b"]
    assert codes(orphans) == ["compacted", "compacted"]


def test_side_chains_are_trajectories_of_their_own():
    task = {"type": "tool_use", "id": "t1", "name": "Task", "input": {"prompt": "Look."}}
    other = {"type": "tool_use", "id": "t9", "name": "Task", "input": {"prompt": "Else."}}
    side: dict[str, Any] = {"isSidechain": True}
    source = [
        ASK,
        says("a2", "u1", task, other),
        record("user", "s3", None, "Look.", **side),
        says("s4", "s3", bash("t2", "ls"), **side),
        gives("s5", "s4", "t2", "a.txt", **side),
        gives("u6", "a2", "t1", [{"type": "text", "text": "There is a.txt."}]),
    ]
    main, agent = read(*source)
    (step, second), _ = parts(main)
    assert second.observation is None
    assert step.observation == "There is a.txt."
    assert Lossiness.SYNTHETIC_OBS in step.lossiness
    (own,), _ = parts(agent)
    assert own.observation == "a.txt"
    assert isinstance(agent, Imported)
    assert (agent.lineage.kind, agent.lineage.step) == ("subagent", 0)
    assert agent.locator.startswith("bytes:")
    assert agent.task is not None
    assert agent.task.instruction == "Look."


def test_a_file_of_a_sub_agent_knows_its_session():
    side: dict[str, Any] = {"isSidechain": True, "agentId": "x"}
    source = [
        record("user", "u1", None, "Look.", **side),
        says("a2", "u1", bash("t1", "ls"), **side),
        gives("u3", "a2", "t1", "a", **side),
    ]
    whole = jsonl(ASK)
    (made,) = read(*source, name="agent-x.jsonl", **{"s1.jsonl": whole})
    assert isinstance(made, Imported)
    assert (made.locator, made.lineage.kind) == ("", "subagent")
    assert made.lineage.parent == derived_id("claude-code", Bytes(whole).digest, "")
    (lone,) = read(*source, name="agent-x.jsonl")
    assert isinstance(lone, Imported)
    assert lone.lineage.parent == "s1"


def test_a_resumed_beginning_is_counted_once():
    old: dict[str, Any] = {"sessionId": "s0"}
    source = [
        record("user", "u1", None, "Fix it.", **old),
        says("a2", "u1", bash("t1", "ls"), **old),
        gives("u3", "a2", "t1", "a", **old),
        record("user", "u4", "u3", "On."),
        says("a5", "u4", bash("t2", "pwd")),
        gives("u6", "a5", "t2", "b"),
    ]
    (made,) = read(*source, **{"s0.jsonl": jsonl(*source[:3])})
    steps, orphans = parts(made)
    assert [step.observation for step in steps] == ["b"]
    assert Orphan("copied_context", {"count": 3}) in orphans
    assert isinstance(made, Imported)
    assert made.lineage.kind == "resumed"
    (lone,) = read(*source)
    assert [step.observation for step in parts(lone)[0]] == ["a", "b"]


def test_copies_within_a_file_are_counted_once():
    source = [ASK, says("a2", "u1", bash("t1", "ls")), gives("u3", "a2", "t1", "a")]
    (made,) = read(*source, *source, says("a4", "u3", bash("t2", "pwd")), gives("u5", "a4", "t2", "b"))
    steps, orphans = parts(made)
    assert [step.observation for step in steps] == ["a", "b"]
    assert Orphan("copied_context", {"count": 3}) in orphans


@pytest.mark.parametrize(
    ("content", "told", "error", "status", "observation", "exit_code"),
    [
        ("out", ran("out\n", "err\n"), False, Status.OK, "out\nerr\n", None),
        ("(Bash completed with no output)", ran(""), False, Status.OK, "", None),
        ("Tool ran without output", None, False, Status.OK, "", None),
        ("Exit code 2\nls: no", "Error: Exit code 2\nls: no", True, Status.TOOL_ERROR, "ls: no", 2),
        ("<tool_use_error>No such tool</tool_use_error>", "Error: x", True, Status.TOOL_ERROR, "No such tool", None),
        ("part", ran("part", interrupted=True), False, Status.INTERRUPTED, "part", None),
        ("[Request interrupted by user for tool use]", "Error: x", True, Status.INTERRUPTED, None, None),
        (
            "The user doesn't want to proceed with this tool use. The tool use was rejected.",
            "User rejected tool use", True, Status.NOT_EXECUTED, None, None,
        ),
        (
            "Claude requested permissions to write to /a, but you haven't granted it yet.",
            "Error: x", True, Status.NOT_EXECUTED, None, None,
        ),
        (
            "Command running in background with ID: b1", ran("", backgroundTaskId="b1"),
            False, Status.TIMEOUT_STILL_RUNNING, "Command running in background with ID: b1", None,
        ),
        (
            "<status>completed</status>\n<stdout>\nhi\n</stdout>",
            ran("hi", shellId="b1", status="completed", exitCode=3), False, Status.TOOL_ERROR, "hi", 3,
        ),
        ("Command timed out after 2m 0.0s\nhalf", "Error: x", True, Status.TIMEOUT_KILLED,
         "Command timed out after 2m 0.0s\nhalf", None),
        ("1→x\n\n<system-reminder>\nBe good.\n</system-reminder>\n", None, False, Status.OK, "1→x", None),
    ],
)  # fmt: skip
def test_outcomes_are_facts(content, told, error, status, observation, exit_code):
    step = only(gives("u3", "a2", "t1", content, told, error=error))
    assert (step.outcome.status, step.observation, step.outcome.exit_code) == (status, observation, exit_code)
    assert (step.shown or step.observation) == content
    assert (Lossiness.NO_EXIT_CODE in step.lossiness) == (exit_code is None and observation is not None)


def test_streams_are_told_apart_where_only_one_has_output():
    assert Lossiness.MERGED_STREAMS in only(gives("u3", "a2", "t1", "x", ran("x", "y"))).lossiness
    assert Lossiness.MERGED_STREAMS in only(gives("u3", "a2", "t1", "x")).lossiness
    assert Lossiness.MERGED_STREAMS not in only(gives("u3", "a2", "t1", "x", ran("x"))).lossiness


def test_a_large_output_is_taken_from_the_file_beside_the_session_only():
    preview = "<persisted-output>\nOutput saved to: /home/a/s1/tool-results/t1.txt\nPreview: a\n</persisted-output>"
    source = [ASK, says("a2", "u1", bash("t1", "ls")), gives("u3", "a2", "t1", preview)]
    (made,) = read(*source, **{"s1/tool-results/t1.txt": b"all of it"})
    (step,), _ = parts(made)
    assert (step.observation, step.shown) == ("all of it", preview)
    (lone,) = read(*source)
    (cut,), _ = parts(lone)
    assert Lossiness.TRUNCATED_NO_FULL in cut.lossiness
    climbs = preview.replace("t1.txt", "../../../etc/passwd")
    (made,) = read(*source[:2], gives("u3", "a2", "t1", climbs), passwd=b"no")
    assert parts(made)[0][0].observation == climbs


def test_markers_of_cuts_are_found():
    step = only(gives("u3", "a2", "t1", "a\n... [12 lines truncated] ...\nb"))
    assert Lossiness.TRUNCATED_NO_FULL in step.lossiness


def test_what_a_call_asks_of_time():
    asks = {"type": "tool_use", "id": "t1", "name": "Bash", "input": {"command": "ls", "timeout": 1500}}
    (made,) = read(ASK, says("a2", "u1", asks), gives("u3", "a2", "t1", "a"))
    assert parts(made)[0][0].action.timeout_s == 1.5


def test_pictures_alone_are_no_text():
    step = only(gives("u3", "a2", "t1", [{"type": "image", "source": {"data": "…"}}]))
    assert (step.observation, step.shown) == (None, "[image]")


def test_a_call_without_a_result_and_a_result_without_a_call():
    (made,) = read(ASK, gives("u2", "u1", "t0", "who asked?"), says("a3", "u2", bash("t1", "ls")))
    (step,), orphans = parts(made)
    assert (step.observation, step.outcome.status) == (None, Status.UNKNOWN)
    assert Lossiness.TAIL_MISSING in step.lossiness
    assert codes(orphans) == ["orphan_result"]
    assert isinstance(made, Imported)
    assert made.end.status == "interrupted"


def test_a_user_who_stops_a_turn_leaves_its_calls_interrupted():
    (made,) = read(
        ASK,
        says("a2", "u1", bash("t1", "sleep 9")),
        record("user", "u3", "a2", [{"type": "text", "text": "[Request interrupted by user]"}]),
        says("a4", "u3", bash("t2", "ls")),
        gives("u5", "a4", "t2", "a"),
    )
    steps, orphans = parts(made)
    assert [step.outcome.status for step in steps] == [Status.INTERRUPTED, Status.OK]
    assert codes(orphans) == ["interrupted"]


def test_what_the_harness_says_is_not_the_task():
    (made,) = read(
        record(
            "user", "u1", None, "Caveat: The messages below were generated by the user while running local commands."
        ),
        record("user", "u2", "u1", "<command-name>/clear</command-name>"),
        record("user", "u3", "u2", "<local-command-stdout></local-command-stdout>"),
        record("user", "u4", "u3", "Now fix it."),
        says("a5", "u4", bash("t1", "ls")),
        gives("u6", "a5", "t1", "a"),
        record("user", "u7", "u6", "And more."),
    )
    assert isinstance(made, Imported)
    assert made.task is not None
    assert made.task.instruction == "Now fix it."
    assert codes(parts(made)[1]) == ["harness_message"] * 3 + ["user_message"]


def test_lines_that_are_no_records_are_counted():
    data = jsonl(ASK, says("a2", "u1", bash("t1", "ls")), gives("u3", "a2", "t1", "a"), "x", 42, [1], {"type": "new"})
    data += b'{"broken\n' + jsonl({"silly": 1}) + b'{"type":"user","mess'
    (made,) = list(ClaudeCode().read(Bytes(data)))
    steps, orphans = parts(made)
    assert len(steps) == 1
    assert codes(orphans) == ["bad_line"] * 4 + ["truncated_source"] + ["unknown_record"] * 2


def test_times_that_run_backwards_keep_the_order_of_the_file():
    late = {**says("a2", "u1", bash("t1", "ls")), "timestamp": "2026-02-01T00:00:00Z"}
    early = {**gives("u3", "a2", "t1", "a"), "timestamp": "2026-01-01T00:00:00Z"}
    (made,) = read(ASK, late, early)
    assert codes(parts(made)[1]) == ["time_backwards"]


def test_bom_and_crlf():
    plain = jsonl(ASK, says("a2", "u1", bash("t1", "ls")), gives("u3", "a2", "t1", "a\u2028b"))
    data = b"\xef\xbb\xbf" + plain.replace(b"\n", b"\r\n")
    assert ClaudeCode().sniff(Bytes(data))
    (made,) = list(ClaudeCode().read(Bytes(data)))
    assert parts(made)[0][0].observation == "a\u2028b"


def test_a_first_line_longer_than_the_head():
    (made,) = read(
        record("user", "u1", None, "x" * 100_000), says("a2", "u1", bash("t1", "ls")), gives("u3", "a2", "t1", "a")
    )
    assert len(parts(made)[0]) == 1


def test_ids_that_come_again_pair_inside_their_turn():
    (made,) = read(
        ASK,
        says("a2", "u1", bash("call_1", "one")),
        says("a3", "a2", bash("call_1", "two")),
        gives("u4", "a3", "call_1", "2"),
    )
    assert [step.observation for step in parts(made)[0]] == [None, "2"]


def test_a_session_without_calls_is_refused():
    with pytest.raises(InputError, match="no tool was called"):
        read(ASK, says("a2", "u1", {"type": "text", "text": "Hello."}))


def test_a_file_that_changes_is_an_error():
    class Changing(Bytes):
        def open(self):
            stream = super().open()
            self.data = b"{" * len(self.data)
            return stream

    source = Changing(jsonl(ASK, says("a2", "u1", bash("t1", "ls")), gives("u3", "a2", "t1", "a")))
    with pytest.raises(FormatError):
        list(ClaudeCode().read(source))


def test_the_web_export():
    lines = [{k: r[k] for k in ("type", "timestamp", "message")} for r in (
        ASK, says("a2", "u1", bash("t1", "ls")), gives("u3", "a2", "t1", "a"),
    )]  # fmt: skip
    for data in (json.dumps({"loglines": lines}, indent=1), json.dumps({"loglines": lines}) + "\n"):
        source = Bytes(data)
        assert ClaudeCode().sniff(source)
        (made,) = list(ClaudeCode().read(source))
        (step,), _ = parts(made)
        assert (step.observation, step.locator) == ("a", "/loglines/1")


def test_broken_files():
    fuzz(
        ClaudeCode,
        jsonl(
            ASK,
            says("a2", "u1", {"type": "thinking", "thinking": "hm"}, turn="m1"),
            says("a3", "a2", bash("t1", "ls"), turn="m1"),
            says("a4", "a3", bash("t2", "pwd"), turn="m1"),
            gives("u5", "a3", "t1", "a.txt", ran("a.txt", "warn")),
            gives("u6", "a4", "t2", "Exit code 1\nno", "Error: no", error=True),
            says("a7", "u5", bash("t3", "old")),
            gives("u8", "a7", "t3", "old."),
            record("user", "u9", "u6", "On."),
            says("a10", "u9", bash("t4", "new")),
            gives("u11", "a10", "t4", "new."),
            says("s1", None, bash("t5", "side"), isSidechain=True, agentId="x"),
            gives("s2", "s1", "t5", "side.", isSidechain=True, agentId="x"),
        ),
    )
    fuzz(ClaudeCode, {"loglines": [ASK, says("a", None, bash("1", "a")), gives("b", None, "1", "x"),
                                   says("c", None, bash("2", "b")), gives("d", None, "2", "y")]})  # fmt: skip
