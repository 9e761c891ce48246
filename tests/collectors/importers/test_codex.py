"""Rollouts of Codex."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from worldtape.collectors.importers.codex import Codex
from worldtape.errors import InputError
from worldtape.schemas import Imported, ImportedStep, Lossiness, Orphan, Status

from ._files import Bytes, jsonl
from ._fuzz import fuzz
from ._sessions import claimed, parts

TIME = "2026-01-01T00:00:00.000Z"


def line(kind: str, payload: Any, at: str = TIME) -> dict[str, Any]:
    return {"timestamp": at, "type": kind, "payload": payload}


def item(kind: str, at: str = TIME, **fields: Any) -> dict[str, Any]:
    return line("response_item", {"type": kind, **fields}, at)


def event(kind: str, **fields: Any) -> dict[str, Any]:
    return line("event_msg", {"type": kind, **fields})


def call(name: str, call_id: str, arguments: Any = '{"command":["ls"]}', **more: Any) -> dict[str, Any]:
    return item("function_call", name=name, call_id=call_id, arguments=arguments, **more)


def gives(call_id: str, output: Any, **more: Any) -> dict[str, Any]:
    return item("function_call_output", call_id=call_id, output=output, **more)


def says(role: str, text: str) -> dict[str, Any]:
    kind = "output_text" if role == "assistant" else "input_text"
    return item("message", role=role, content=[{"type": kind, "text": text}])


META = line("session_meta", {"id": "s1", "timestamp": TIME, "cwd": "/app", "cli_version": "0.60.0", "git": {"b": 1}})
TURN = line("turn_context", {"cwd": "/app", "model": "gpt-x", "effort": "high", "approval_policy": "never"})
ASK = says("user", "Fix it.")


def read(data: bytes | dict[str, Any], name: str = "rollout.jsonl") -> Imported:
    source = Bytes(data, name)
    assert Codex().sniff(source)
    (made,) = list(Codex().read(source))
    assert isinstance(made, Imported)
    return made


def only(*records: Any, name: str = "shell") -> ImportedStep:
    (step,), _ = parts(read(jsonl(META, ASK, call(name, "c1"), *records)))
    return step


def codes(orphans: list[Orphan]) -> list[str]:
    return [orphan.code for orphan in orphans]


def packed(output: str, code: int = 0) -> str:
    return json.dumps({"output": output, "metadata": {"exit_code": code, "duration_seconds": 0.5}})


def test_a_rollout():
    made = read(
        jsonl(
            META,
            says("user", "<environment_context>\n<cwd>/app</cwd>\n</environment_context>"),
            TURN,
            ASK,
            event("user_message", message="Fix it."),
            item("reasoning", summary=[{"type": "summary_text", "text": "hm"}], encrypted_content="x"),
            says("assistant", "Let me see."),
            call("shell", "c1"),
            gives("c1", packed("a.txt\n")),
            event("agent_message", message="Done."),
            says("assistant", "Done."),
        )
    )
    assert made.task is not None
    assert (made.task.id, made.task.instruction) == ("s1", "Fix it.")
    assert made.policy.model == "gpt-x"
    assert made.environment.versions == {"codex": "0.60.0"}
    assert made.environment.parameters["cwd"] == "/app"
    (step,), orphans = parts(made)
    assert step.action.text == '{"arguments":{"command":["ls"]},"name":"shell"}'
    assert step.thoughts == ({"thinking": "hm"}, {"text": "Let me see."})
    assert (step.observation, step.shown) == ("a.txt\n", packed("a.txt\n"))
    assert (step.outcome.status, step.outcome.exit_code) == (Status.OK, 0)
    assert step.timing.duration_ms == 500
    assert Lossiness.NO_EXIT_CODE not in step.lossiness
    assert Lossiness.MERGED_STREAMS in step.lossiness
    assert codes(orphans) == ["harness_message", "last_words"]


@pytest.mark.parametrize(
    ("output", "status", "observation", "code"),
    [
        (packed("no\n", 2), Status.TOOL_ERROR, "no\n", 2),
        ("plain", Status.OK, "plain", None),
        ("Exit code: 1\nWall time: 1.5 seconds\nOutput:\nboom\n", Status.TOOL_ERROR, "boom\n", 1),
        (
            "Chunk ID: a\nWall time: 0.1 seconds\nProcess exited with code 0\nOriginal token count: 5\nOutput:\nhi",
            Status.OK, "hi", 0,
        ),
        (
            "Chunk ID: a\nWall time: 1.0 seconds\nProcess running with session ID 7\nOutput:\n> ",
            Status.TIMEOUT_STILL_RUNNING, "> ", None,
        ),
        (packed("command timed out after 1000 milliseconds\nhalf", 124), Status.TIMEOUT_KILLED, "half", 124),
        ({"content": "ok", "success": True}, Status.OK, "ok", None),
        ({"content": "bad", "success": False}, Status.TOOL_ERROR, "bad", None),
        ({"output": "x", "metadata": {"exit_code": 3}}, Status.TOOL_ERROR, "x", 3),
        ({"type": "input_text", "text": "a.txt\n"}, Status.OK, "a.txt\n", None),
        ([{"type": "input_text", "text": "a\n"}, {"type": "input_text", "text": "b\n"}], Status.OK, "a\nb\n", None),
        ("aborted by user after 1.2s", Status.INTERRUPTED, None, None),
        ('{"output": "its own JSON"}', Status.OK, '{"output": "its own JSON"}', None),
        ("x\nExit code: 1\nOutput:\ny", Status.OK, "x\nExit code: 1\nOutput:\ny", None),
    ],
)  # fmt: skip
def test_outputs_of_every_version(output, status, observation, code):
    step = only(gives("c1", output))
    assert (step.outcome.status, step.observation, step.outcome.exit_code) == (status, observation, code)
    assert (Lossiness.NO_EXIT_CODE in step.lossiness) == (code is None and observation is not None)


def test_exit_codes_and_times_come_from_events_wherever_they_stand():
    ended = event("exec_command_end", call_id="c1", exit_code=4, duration={"secs": 1, "nanos": 500_000_000})
    for records in ([ended, gives("c1", "boom")], [gives("c1", "boom"), ended]):
        step = only(*records)
        assert (step.outcome.status, step.outcome.exit_code) == (Status.TOOL_ERROR, 4)
        assert step.timing.duration_ms == 1500


def test_what_a_call_asks_of_time():
    made = read(
        jsonl(
            META,
            call("shell", "c1", '{"command":["ls"],"timeout_ms":1500}'),
            call("exec_command", "c2", '{"cmd":"ls","yield_time_ms":250}'),
        )
    )
    steps, _ = parts(made)
    assert (steps[0].action.timeout_s, steps[1].action.wait_s) == (1.5, 0.25)


def test_an_mcp_error_comes_from_its_event():
    ended = event("mcp_tool_call_end", call_id="c1", result={"Ok": {"content": [], "isError": True}})
    assert only(ended, gives("c1", "no"), name="srv__add").outcome.status is Status.TOOL_ERROR


def test_calls_without_an_output_between_them_are_one_batch():
    made = read(jsonl(META, ASK, call("shell", "c1", '{"a":1}'), call("shell", "c2", '{"a":2}'),
                      gives("c2", "two"), gives("c1", "one"), call("shell", "c3"), gives("c3", "three")))  # fmt: skip
    steps, orphans = parts(made)
    assert [step.observation for step in steps] == ["one", "two", "three"]
    assert [step.action.batch.index if step.action.batch else None for step in steps] == [0, 1, None]
    assert orphans == []


def test_custom_and_local_shell_calls():
    patch = "*** Begin Patch\n*** End Patch"
    made = read(
        jsonl(
            META,
            item("custom_tool_call", call_id="c1", name="apply_patch", input=patch, status="completed"),
            item("custom_tool_call_output", call_id="c1", output=packed("Success.")),
            item("local_shell_call", call_id="c2", status="completed", action={"type": "exec", "command": ["ls"]}),
            gives("c2", packed("a")),
            item("custom_tool_call", call_id="c3", name="exec", input='{"cmd": "ls"}'),
            item("custom_tool_call_output", call_id="c3", output=[{"type": "input_text", "text": "b"}]),
            item("local_shell_call", id="c4", action={"type": "exec", "command": ["pwd"]}),
            item("local_shell_call_output", id="c4", output="/app"),
        )
    )
    steps, _ = parts(made)
    assert [step.observation for step in steps] == ["Success.", "a", "b", "/app"]
    assert [step.action.name for step in steps] == ["apply_patch", "local_shell", "exec", "local_shell"]
    assert (steps[0].action.arguments, steps[0].action.raw) == (
        json.dumps({"input": patch}, separators=(",", ":")),
        patch,
    )
    assert (steps[2].action.arguments, steps[2].action.raw) == ('{"cmd":"ls"}', '{"cmd": "ls"}')


def test_arguments_that_are_no_json_are_kept():
    (step,), _ = parts(read(jsonl(META, call("shell", "c1", "{broken"), gives("c1", "x"))))
    assert (step.action.arguments, step.action.raw) == ('"{broken"', "{broken")


def test_searches_of_the_provider():
    made = read(
        jsonl(
            META,
            item("web_search_call", id="w1", status="completed", action={"type": "search", "query": "q"}),
            event("web_search_end", call_id="w1", query="q", results=[{"title": "T"}]),
            item("web_search_call", id="w2", status="completed", action={"type": "search", "query": "r"}),
            event("web_search_end", call_id="w3", query="r", results=[{"title": "U"}]),
            item("tool_search_call", call_id="c1", arguments={"query": "x"}),
            item("tool_search_output", call_id="c1", tools=[{"name": "t"}]),
        )
    )
    steps, orphans = parts(made)
    assert [step.observation for step in steps] == ['[{"title":"T"}]', None, '[{"name":"t"}]']
    assert [step.outcome.status for step in steps] == [Status.OK] * 3
    assert orphans == []


def test_an_aborted_turn_leaves_a_call_without_output():
    aborted = event("turn_aborted", reason="interrupted")
    made = read(
        jsonl(META, ASK, call("shell", "c1"), aborted, says("user", "On."), call("shell", "c2"), gives("c2", "a"))
    )
    steps, orphans = parts(made)
    assert [(step.observation, step.outcome.status) for step in steps] == [(None, Status.INTERRUPTED), ("a", Status.OK)]
    assert codes(orphans) == ["interrupted", "user_message"]
    late = read(jsonl(META, ASK, call("shell", "c1"), aborted, gives("c1", "after all")))
    assert [(step.observation, step.outcome.status) for step in parts(late)[0]] == [("after all", Status.OK)]


def test_the_end_of_a_rollout_that_was_cut():
    data = jsonl(META, ASK, call("shell", "c1"), gives("c1", "a"), call("shell", "c2")) + b'{"timestamp":"2026'
    made = read(data)
    steps, orphans = parts(made)
    assert [step.outcome.status for step in steps] == [Status.OK, Status.UNKNOWN]
    assert steps[1].lossiness == (Lossiness.TAIL_MISSING,)
    assert made.end.status == "interrupted"
    assert codes(orphans) == ["truncated_source"]


def test_a_compacted_history_is_not_read_twice():
    again = [one["payload"] for one in (ASK, call("shell", "c1"), gives("c1", "a"))]
    compacted = line("compacted", {"message": "", "replacement_history": again})
    made = read(
        jsonl(META, ASK, call("shell", "c1"), gives("c1", "a"), compacted, call("shell", "c2"), gives("c2", "b"))
    )
    steps, orphans = parts(made)
    assert [step.observation for step in steps] == ["a", "b"]
    assert codes(orphans) == ["compacted"]
    assert orphans[0].details["copied_context"] == 3


def test_where_a_rollout_comes_from():
    spawned = {"subagent": {"thread_spawn": {"parent_thread_id": "p1"}}}
    agent = read(jsonl(line("session_meta", {"id": "s2", "source": spawned}), call("shell", "c1"), gives("c1", "a")))
    assert (agent.lineage.parent, agent.lineage.kind) == ("p1", "subagent")
    forked = line("session_meta", {"id": "s2", "forked_from_id": "p1"})
    fork = read(jsonl(forked, META, call("shell", "c1"), gives("c1", "a")))
    assert (fork.lineage.parent, fork.lineage.kind) == ("p1", "fork")
    assert codes(parts(fork)[1]) == ["copied_context"]


def test_markers_of_cuts_are_found():
    assert Lossiness.TRUNCATED_NO_FULL in only(gives("c1", packed("a\n[... omitted 5 of 9 lines ...]\nb"))).lossiness
    assert Lossiness.TRUNCATED_NO_FULL in only(gives("c1", "a…12 tokens truncated…b")).lossiness


def test_orphans_unknown_records_and_times():
    made = read(
        jsonl(
            META,
            gives("c0", "who asked?"),
            item("function_call", call_id="c9"),
            item("new_kind"),
            line("new_record", {}),
            {**call("shell", "c1"), "timestamp": "2026-02-01T00:00:00Z"},
            gives("c1", "a"),
            [1],
        )
    )
    _, orphans = parts(made)
    assert codes(orphans) == [
        "orphan_result", "orphan_call", "unknown_record", "unknown_record", "time_backwards", "bad_line",
    ]  # fmt: skip


def test_early_versions():
    function = {
        "function": {"name": "shell"},
        "arguments": {"command": ["ls"]},
        "call_id": "c1",
        "type": "function_call",
    }
    nested = read(jsonl(META, line("response_item", {"payload": function}), gives("c1", "a")))
    assert parts(nested)[0][0].action.text == '{"arguments":{"command":["ls"]},"name":"shell"}'
    bare = jsonl(
        {"id": "s1", "timestamp": TIME, "instructions": None, "git": {}},
        {"record_type": "state"},
        ASK["payload"],
        call("shell", "c1")["payload"],
        gives("c1", packed("a"))["payload"],
    )
    made = read(bare)
    (step,), orphans = parts(made)
    assert (step.observation, orphans) == ("a", [])
    assert made.extra["session_id"] == "s1"
    assert Lossiness.WALL_CLOCK_ONLY in made.lossiness
    whole = read(
        {"session": {"id": "s1", "timestamp": TIME, "instructions": ""}, "items": [
            ASK["payload"], call("shell", "c1")["payload"], gives("c1", packed("a"))["payload"],
        ]}, name="rollout.json",
    )  # fmt: skip
    (step,), _ = parts(whole)
    assert (step.observation, step.locator) == ("a", "/items/1")


def test_what_is_refused():
    with pytest.raises(InputError, match="no tool was called"):
        read(jsonl(META, ASK, says("assistant", "No.")))
    drawn = {"ts": TIME, "dir": "meta", "kind": "session_start"}
    with pytest.raises(InputError, match="drew on the screen"):
        read(jsonl(drawn, drawn))


def test_broken_files():
    fuzz(
        Codex,
        jsonl(
            META, TURN, ASK,
            item("reasoning", summary=[{"type": "summary_text", "text": "hm"}]),
            call("shell", "c1", '{"a":1}'), call("shell", "c2", '{"a":2}'),
            event("exec_command_end", call_id="c1", exit_code=0, duration={"secs": 1, "nanos": 5}),
            gives("c1", packed("one")), gives("c2", "Exit code: 1\nWall time: 1 seconds\nOutput:\ntwo"),
            item("custom_tool_call", call_id="c3", name="apply_patch", input="patch"),
            item("custom_tool_call_output", call_id="c3", output=[{"type": "input_text", "text": "three"}]),
            line("compacted", {"message": "", "replacement_history": [ASK["payload"]]}),
            item("local_shell_call", call_id="c4", action={"command": ["ls"]}), gives("c4", {"content": "four"}),
            event("turn_aborted", reason="interrupted"),
        ),
    )  # fmt: skip


# Steps of real files: jq -s '[.[]|select(.type=="response_item" and (.payload.type|tostring|test("_call$")))]|length'
REAL = {"av_fc_args_1.jsonl": 1, "av_function_calls.jsonl": 2, "js_small.jsonl": 8}
REFUSED = {"av_standard_session.jsonl": "no tool", "js_052_raw.jsonl": "no tool", "tui_oss_story.jsonl": "drew"}


@pytest.mark.shared
@pytest.mark.parametrize("name", REAL)
def test_real_files(name: str, shared_data: Path) -> None:
    made = read((shared_data / "codex" / name).read_bytes(), name)
    assert len(parts(made)[0]) == REAL[name]


@pytest.mark.shared
def test_real_facts(shared_data: Path) -> None:
    steps, orphans = parts(read((shared_data / "codex" / "js_small.jsonl").read_bytes()))
    # jq 'select(.payload.call_id=="call-1" or .payload.call_id=="call-2")|.payload.output' js_small.jsonl
    assert [step.observation for step in steps[:2]] == ["a.txt\nb.txt\n", "a.txt\n"]
    # grep -c '"type":"compacted"' js_small.jsonl
    assert codes(orphans).count("compacted") == 6
    # jq 'select(.payload.type|tostring|test("_output$"))|.payload.call_id' js_small.jsonl: one comes before its call
    assert codes(orphans).count("orphan_result") == 1


@pytest.mark.shared
@pytest.mark.parametrize("name", REFUSED)
def test_real_files_that_are_refused(name: str, shared_data: Path) -> None:
    with pytest.raises(InputError, match=REFUSED[name]):
        read((shared_data / "codex" / name).read_bytes(), name)


@pytest.mark.shared
def test_no_other_file_is_claimed(shared_data: Path) -> None:
    assert claimed(Codex(), shared_data) == {"codex/" + name for name in [*REAL, *REFUSED]}
