"""Sessions of pi."""

from __future__ import annotations

from collections import Counter
from pathlib import Path
from typing import Any

import pytest

from worldtape.collectors.importers.pi import Pi
from worldtape.errors import InputError, VersionError
from worldtape.schemas import Imported, Lossiness, Status, derived_id

from ._files import Bytes, jsonl
from ._fuzz import fuzz
from ._sessions import claimed, hold_for_branches, hold_for_lines, parts, read

HEAD = {"type": "session", "version": 3, "id": "s1", "timestamp": "2026-01-01T00:00:00.000Z", "cwd": "/app"}


def entry(kind: str, key: str, parent: str | None, **more: Any) -> dict[str, Any]:
    return {"type": kind, "id": key, "parentId": parent, "timestamp": f"2026-01-01T00:00:{clock():02}Z", **more}


_TICKS = iter(range(10**9))


def clock() -> int:
    return next(_TICKS) % 60


def message(key: str, parent: str | None, role: str, content: Any = None, **more: Any) -> dict[str, Any]:
    content = [{"type": "text", "text": content}] if isinstance(content, str) else content
    return entry("message", key, parent, message={"role": role, "content": content, **more})


def calls(key: str, parent: str | None, *ids: str, tool: str = "read", **more: Any) -> dict[str, Any]:
    content = [{"type": "toolCall", "id": one, "name": tool, "arguments": {"of": one}} for one in ids]
    return message(key, parent, "assistant", content, **{"model": "m", "stopReason": "toolUse", **more})


def gives(key: str, parent: str | None, call: str, text: Any, tool: str = "read", **more: Any) -> dict[str, Any]:
    answer = {"toolCallId": call, "toolName": tool, "isError": False, **more}
    return message(key, parent, "toolResult", text, **answer)


ASK = message("u1", None, "user", "Fix it.")


def test_a_session():
    said = [
        {"type": "thinking", "thinking": "hm", "thinkingSignature": "x"},
        {"type": "text", "text": "So."},
        {"type": "toolCall", "id": "c1", "name": "read", "arguments": {"path": "a"}},
        {"type": "toolCall", "id": "c2", "name": "bash", "arguments": {"command": "ls", "timeout": 9}},
    ]
    (made,) = read(
        Pi(),
        jsonl(
            HEAD,
            entry("model_change", "h1", None, provider="p", modelId="m"),
            message("u1", "h1", "user", "Fix it."),
            message("a2", "u1", "assistant", said, model="m", stopReason="toolUse"),
            gives("t3", "a2", "c2", "two", "bash"),
            gives("t4", "t3", "c1", "one", details={"truncation": None, "diff": "+a"}),
            entry("label", "l5", "t4", targetId="a2", label="here"),
            message("a6", "l5", "assistant", "Done.", stopReason="stop"),
            entry("custom", "x7", "a6", customType="todo", data={}),
        ),
    )
    assert isinstance(made, Imported)
    assert made.task is not None
    assert (made.task.id, made.task.instruction, made.policy.model) == ("s1", "Fix it.", "m")
    assert (made.environment.kind, made.environment.parameters) == ("pi", {"cwd": "/app"})
    assert made.extra["format_version"] == 3
    assert made.extra["records"] == {"model_change": 1, "label": 1}
    steps, orphans = parts(made)
    assert [(step.action.name, step.observation) for step in steps] == [("read", "one"), ("bash", "two")]
    assert steps[0].thoughts == ({"thinking": "hm"}, {"text": "So."})
    assert [step.action.batch.index for step in steps if step.action.batch] == [0, 1]
    assert steps[0].extra == {"call_id": "c1", "entry": "a2", "details": {"diff": "+a"}}
    assert steps[1].action.timeout_s == 9
    assert set(steps[1].lossiness) == {Lossiness.NO_EXIT_CODE, Lossiness.MERGED_STREAMS}
    assert steps[1].timing.started_at is not None
    assert [orphan.code for orphan in orphans] == ["last_words"]


def test_lines():
    hold_for_lines(Pi(), HEAD, ASK, calls("a2", "u1", "c1", "c2"), gives("t3", "a2", "c1", "one"),
                   gives("t4", "t3", "c2", "two"))  # fmt: skip


def test_the_first_version_has_no_ids():
    session = [HEAD, ASK, calls("a2", "u1", "c1"), gives("t3", "a2", "c1", "one"), calls("a4", "t3", "c1"),
               gives("t5", "a4", "c1", "again")]  # fmt: skip
    flat = [{key: value for key, value in one.items() if key not in ("id", "parentId", "version")} for one in session]
    (made,) = read(Pi(), jsonl({**flat[0], "id": "s1"}, *flat[1:]))
    assert [step.observation for step in parts(made)[0]] == ["one", "again"]
    assert isinstance(made, Imported)
    assert made.extra["format_version"] == 1


@pytest.mark.parametrize("version", [4, 0, "3", True, None, 3.5])
def test_other_versions_are_refused(version):
    with pytest.raises(VersionError, match="1 to 3 are read"):
        read(Pi(), jsonl({**HEAD, "version": version}, ASK, calls("a2", "u1", "c1")))


def test_the_tree_is_followed_from_its_last_entry():
    session = [
        HEAD,
        ASK,
        calls("a2", "u1", "c1"),
        gives("t3", "a2", "c1", "both"),
        calls("a4", "t3", "c2"),
        gives("t5", "a4", "c2", "left"),
        entry("branch_summary", "b6", "t3", fromId="t5", summary="It failed."),
        message("u7", "b6", "user", "Otherwise."),
        calls("a8", "u7", "c3"),
        gives("t9", "a8", "c3", "kept"),
        message("u10", None, "user", "From the start."),
    ]
    hold_for_branches(Pi(), *session[:-1])
    anew = read(Pi(), jsonl(*session, calls("a11", "u10", "c4"), gives("t12", "a11", "c4", "anew")))
    told = [[step.observation for step in parts(one)[0]] for one in anew]
    assert told == [["anew"], ["both", "kept"], ["left"]]


def test_what_is_told_of_no_step():
    (made,) = read(
        Pi(),
        jsonl(
            HEAD,
            ASK,
            gives("t2", "u1", "c0", "who asked?"),
            entry("custom_message", "x3", "t2", customType="note", content="injected", display=False),
            message("b4", "x3", "bashExecution", None, command="ls", output="a", exitCode=0),
            message("x5", "b4", "hookMessage", "by a hook", customType="h"),
            message("x6", "x5", "branchSummary", None, summary="was"),
            message("x7", "x6", "nobody", "?"),
            calls("a8", "x7", "c1"),
            entry("compaction", "k9", "a8", summary="short", firstKeptEntryId="a8"),
            message("u10", "k9", "user", "Go on."),
            {"type": "tomorrow", "id": "z"},
        ),
    )
    (step,), orphans = parts(made)
    assert (step.observation, step.outcome.status) == (None, Status.UNKNOWN)
    assert Lossiness.TAIL_MISSING in step.lossiness
    assert [orphan.code for orphan in orphans] == [
        "unknown_record", "orphan_result", "harness_message", "user_command", "harness_message", "branch_left",
        "unknown_record", "compacted", "user_message",
    ]  # fmt: skip
    assert orphans[3].details["output"] == "a"


@pytest.mark.parametrize(
    ("text", "more", "observation", "status", "code", "cut"),
    [
        ("a\n\n\nCommand exited with code 2", {"isError": True}, "a\n", Status.TOOL_ERROR, 2, False),
        ("Command exited with code 1", {"isError": True}, "", Status.TOOL_ERROR, 1, False),
        ("a\n\nCommand exited with code 2", {}, "a\n\nCommand exited with code 2", Status.OK, None, False),
        ("a\n\nCommand aborted", {"isError": True}, "a", Status.INTERRUPTED, None, False),
        ("a\n\nCommand timed out after 9 seconds", {"isError": True}, "a", Status.TIMEOUT_KILLED, None, False),
        ("(no output)", {}, "", Status.OK, None, False),
        ("z\n\n[Showing lines 9-10 of 10. Full output: /tmp/pi-bash-1.log]", {}, "z", Status.OK, None, True),
        ("z\n\n[Showing last 50.0KB of line 1 (line is 90KB). Full output: /tmp/x]\n\nCommand exited with code 1",
         {"isError": True}, "z", Status.TOOL_ERROR, 1, True),
        ("z", {"details": {"truncation": {"truncated": True}}}, "z", Status.OK, None, True),
    ],
)  # fmt: skip
def test_the_words_behind_an_output(text, more, observation, status, code, cut):
    result = gives("t3", "a2", "c1", text, "bash", **more)
    (made,) = read(Pi(), jsonl(HEAD, ASK, calls("a2", "u1", "c1", tool="bash"), result))
    (step,), _ = parts(made)
    assert (step.observation, step.outcome.status, step.outcome.exit_code) == (observation, status, code)
    assert (Lossiness.TRUNCATED_NO_FULL in step.lossiness) is cut
    assert step.shown == (text if text != observation else None)


@pytest.mark.parametrize(
    ("content", "error", "observation", "status"),
    [
        ('Validation failed for tool "read":\n  - path: needed', True, ..., Status.REJECTED),
        ("Tool fetch not found", True, ..., Status.REJECTED),
        ("Tool fetch not found", False, ..., Status.OK),
        ("Skipped due to queued user message.", True, None, Status.NOT_EXECUTED),
        ("Operation aborted", True, None, Status.INTERRUPTED),
        ("ENOENT: no such file", True, ..., Status.TOOL_ERROR),
        ("x\n\nCommand exited with code 1", False, ..., Status.OK),
        ([{"type": "image", "data": "AA", "mimeType": "image/png"}], False, None, Status.OK),
        ("a\n\n[Showing lines 1-2 of 9. Use offset=3 to continue.]", False, ..., Status.OK),
    ],
)
def test_other_tools(content, error, observation, status):
    (made,) = read(Pi(), jsonl(HEAD, ASK, calls("a2", "u1", "c1"), gives("t3", "a2", "c1", content, isError=error)))
    (step,), _ = parts(made)
    assert (step.observation, step.outcome.status) == (content if observation is ... else observation, status)
    assert (Lossiness.TRUNCATED_NO_FULL in step.lossiness) is ("Use offset" in str(content))


def test_calls_of_a_message_that_was_broken_off_were_not_run():
    (made,) = read(
        Pi(),
        jsonl(
            HEAD,
            ASK,
            calls("a2", "u1", "c1", "c2", stopReason="error", errorMessage="terminated"),
            calls("a3", "a2", "c1"),
            gives("t4", "a3", "c1", "one"),
            calls("a5", "t4", "c5"),
            calls("a6", "a5", "c6", stopReason="aborted"),
        ),
    )
    steps, _ = parts(made)
    assert [(step.observation, step.outcome.status) for step in steps] == [
        (None, Status.NOT_EXECUTED),
        (None, Status.NOT_EXECUTED),
        ("one", Status.OK),
        (None, Status.INTERRUPTED),
        (None, Status.NOT_EXECUTED),
    ]
    assert steps[0].extra["error"] == "terminated"
    assert not any(Lossiness.TAIL_MISSING in step.lossiness for step in steps)


def test_times_that_run_backwards_keep_their_order():
    late, early = "2026-01-01T00:00:09Z", "2026-01-01T00:00:01Z"
    first = {**calls("a2", "u1", "c1"), "timestamp": late}
    (made,) = read(Pi(), jsonl(HEAD, ASK, first, {**gives("t3", "a2", "c1", "one"), "timestamp": early}))
    (step,), orphans = parts(made)
    assert step.observation == "one"
    assert [orphan.code for orphan in orphans] == ["time_backwards"]
    bare = {key: value for key, value in HEAD.items() if key != "timestamp"}
    untimed = [{key: value for key, value in one.items() if key != "timestamp"} for one in (ASK, first)]
    (made,) = read(Pi(), jsonl(bare, *untimed))
    assert isinstance(made, Imported)
    assert Lossiness.NO_TIMESTAMPS in made.lossiness


def test_what_a_fork_copies_is_counted_once():
    old = [HEAD, ASK, calls("a2", "u1", "c1"), gives("t3", "a2", "c1", "one")]
    new = [{**HEAD, "id": "s2", "parentSession": "/home/me/.pi/agent/sessions/--app--/2026_s1.jsonl"}, *old[1:],
           calls("a4", "t3", "c2"), gives("t5", "a4", "c2", "two")]  # fmt: skip
    source = Bytes(jsonl(*new), "x/2026_s2.jsonl", **{"2026_s1.jsonl": jsonl(*old)})
    (made,) = Pi().read(source)
    steps, orphans = parts(made)
    assert [step.observation for step in steps] == ["two"]
    assert [(orphan.code, orphan.details["count"]) for orphan in orphans] == [("copied_context", 3)]
    assert isinstance(made, Imported)
    assert (made.lineage.kind, made.lineage.step) == ("resumed", 0)
    assert made.lineage.parent == derived_id("pi", Bytes(jsonl(*old)).digest, "")
    (alone,) = Pi().read(Bytes(jsonl(*new), "x/2026_s2.jsonl"))
    assert isinstance(alone, Imported)
    assert (len(parts(alone)[0]), alone.lineage.parent) == (2, "2026_s1")


@pytest.mark.parametrize("path", ["../../etc/passwd", "..", "C:\\x\\..\\y.jsonl", "/"])
def test_a_path_in_the_header_leads_nowhere(path):
    (made,) = read(Pi(), jsonl({**HEAD, "parentSession": path}, ASK, calls("a2", "u1", "c1")))
    assert isinstance(made, Imported)


def test_a_repeated_entry_is_one():
    session = [ASK, calls("a2", "u1", "c1"), gives("t3", "a2", "c1", "one")]
    (made,) = read(Pi(), jsonl(HEAD, *session, *session))
    steps, orphans = parts(made)
    assert [step.observation for step in steps] == ["one"]
    assert [orphan.code for orphan in orphans] == ["copied_context"]


def test_a_session_without_calls_is_refused():
    with pytest.raises(InputError, match="no tool was called"):
        read(Pi(), jsonl(HEAD, ASK, message("a2", "u1", "assistant", "Hello.")))


@pytest.mark.parametrize(
    "records",
    [
        [{**HEAD, "id": 7}, ASK],
        [{"type": "session", "id": "s"}, ASK],
        [HEAD, {"type": "user", "uuid": "u"}],
        [ASK],
    ],
)
def test_what_is_no_session(records):
    assert not Pi().sniff(Bytes(jsonl(*records)))


@pytest.mark.parametrize("odd", [None, 7, [], {}, [[]]])
def test_values_of_other_types_are_passed_over(odd):
    content = [odd, {"type": odd, "name": odd, "text": odd}, *calls("a2", "u1", "c1")["message"]["content"]]
    line = message("a2", "u1", "assistant", content, model=odd, provider=odd, stopReason=odd)
    (made,) = read(Pi(), jsonl(HEAD, {**ASK, "type": "message"}, {"type": odd}, {**line, "timestamp": odd},
                               gives("t3", "a2", "c1", "one", details=odd)))  # fmt: skip
    assert [step.observation for step in parts(made)[0]] == ["one"]


def test_broken_files():
    fuzz(
        Pi,
        jsonl(
            HEAD,
            entry("model_change", "h1", None, provider="p", modelId="m"),
            message("u1", "h1", "user", "Fix it."),
            calls("a2", "u1", "c1", "c2"),
            gives("t3", "a2", "c1", "one"),
            gives("t4", "t3", "c2", "two", details={"truncation": {"truncated": True}}),
            calls("a5", "t4", "c3", tool="bash"),
            gives("t6", "a5", "c3", "three\n\nCommand exited with code 2", "bash", isError=True),
            entry("branch_summary", "b7", "t4", fromId="t6", summary="No."),
            calls("a8", "b7", "c4", tool="write"),
            gives("t9", "a8", "c4", "four", "write"),
        ),
    )


@pytest.mark.shared
def test_a_real_file(shared_data: Path) -> None:
    (made,) = read(Pi(), (shared_data / "other_cli/pi_large.jsonl").read_bytes())
    steps, orphans = parts(made)
    # jq -r '.message|objects|.content[]?|objects|select(.type=="toolCall")|.name' pi_large.jsonl | sort | uniq -c
    assert Counter(step.action.name for step in steps) == {"bash": 192, "edit": 146, "read": 50, "write": 3}
    # jq 'select(.message.role=="toolResult")|1' pi_large.jsonl | wc -l: 373, so 18 have none. They are in messages with
    # stopReason aborted or error: jq '.message|objects|select(.stopReason=="aborted" or .stopReason=="error")
    # |.content[]|select(.type=="toolCall")|1' pi_large.jsonl | wc -l
    states = Counter(step.outcome.status for step in steps)
    assert states[Status.NOT_EXECUTED] == sum(step.observation is None for step in steps) == 18
    # jq '.message|objects|select(.isError)|.content[0].text|test("Command aborted$")' pi_large.jsonl | sort | uniq -c
    assert (states[Status.INTERRUPTED], states[Status.TOOL_ERROR]) == (2, 17)
    # … |.content[0].text|capture("Command exited with code (?<code>\\d+)$").code' pi_large.jsonl | sort | uniq -c
    assert Counter(step.outcome.exit_code for step in steps) == {None: 374, 1: 14, 2: 3}
    # jq -r 'select(.message.role=="user")|1' pi_large.jsonl | wc -l: 88, the first is the task
    assert [orphan.code for orphan in orphans].count("user_message") == 87


@pytest.mark.shared
def test_no_other_file_is_claimed(shared_data: Path) -> None:
    assert claimed(Pi(), shared_data) == {"other_cli/pi_large.jsonl"}
