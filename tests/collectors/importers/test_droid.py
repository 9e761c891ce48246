"""Sessions of Factory Droid."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from worldtape.collectors.importers.droid import Droid
from worldtape.errors import InputError, VersionError
from worldtape.schemas import Imported, Lossiness, Status, derived_id

from ._files import Bytes, jsonl
from ._fuzz import fuzz
from ._sessions import claimed, hold_for_branches, hold_for_lines, parts, read

HEAD = {"type": "session_start", "id": "s1", "title": "Fix it.", "owner": "me", "version": 2, "cwd": "/app"}
TIME = "2026-01-01T00:00:01.000Z"


def message(key: str, parent: str | None, role: str, *content: Any, **more: Any) -> dict[str, Any]:
    line = {
        "type": "message",
        "id": key,
        "timestamp": TIME,
        "message": {"role": role, "content": list(content), **more},
    }
    return line if parent is None else {**line, "parentId": parent}


def text(words: str) -> dict[str, Any]:
    return {"type": "text", "text": words}


def calls(key: str, parent: str, *ids: str, tool: str = "Read", **asked: Any) -> dict[str, Any]:
    parts = [{"type": "tool_use", "id": one, "name": tool, "input": {"of": one, **asked}} for one in ids]
    return message(key, parent, "assistant", *parts, modelId="m")


def gives(key: str, parent: str, call: str, answer: Any, **more: Any) -> dict[str, Any]:
    return message(key, parent, "user", {"type": "tool_result", "tool_use_id": call, "content": answer, **more})


CONTEXT = message("context-u1", None, "user", text("<system-reminder>tools…</system-reminder>"), visibility="llm_only")
ASK = message("u1", "context-u1", "user", text("Fix it."))


def test_a_session():
    said = [
        {"type": "thinking", "thinking": "hm", "signature": "x"},
        text("So."),
        {"type": "tool_use", "id": "c1", "name": "Read", "input": {"file_path": "a"}},
        {"type": "tool_use", "id": "c2", "name": "Execute", "input": {"command": "ls", "timeout": 60}},
    ]
    (made,) = read(
        Droid(),
        jsonl(
            HEAD,
            CONTEXT,
            ASK,
            message("a2", "u1", "assistant", *said, modelId="m"),
            gives("t3", "a2", "c2", "two\n\n\n[Process exited with code 0]"),
            gives("t4", "t3", "c1", [text("one")]),
            {"type": "todo_state", "id": "d5", "timestamp": TIME, "todos": {}},
            message("a6", "t4", "assistant", text("Done.")),
        ),
        "s1.jsonl",
        **{"s1.settings.json": b'{"model": "other"}'},
    )
    assert isinstance(made, Imported)
    assert made.task is not None
    assert (made.task.id, made.task.instruction, made.policy.model) == ("s1", "Fix it.", "m")
    assert (made.environment.kind, made.environment.parameters) == ("droid", {"cwd": "/app"})
    assert made.extra["format_version"] == 2
    assert made.extra["header"] == {"title": "Fix it."}
    assert made.extra["records"] == {"todo_state": 1}
    steps, orphans = parts(made)
    assert [(step.action.name, step.observation) for step in steps] == [("Read", "one"), ("Execute", "two\n")]
    assert steps[0].thoughts == ({"thinking": "hm"}, {"text": "So."})
    assert [step.action.batch.index for step in steps if step.action.batch] == [0, 1]
    assert (steps[1].action.timeout_s, steps[1].outcome.exit_code) == (60, 0)
    assert steps[1].lossiness == (Lossiness.MERGED_STREAMS,)
    assert [orphan.code for orphan in orphans] == ["harness_message", "last_words"]


def test_lines():
    hold_for_lines(Droid(), HEAD, CONTEXT, ASK, calls("a2", "u1", "c1", "c2"), gives("t3", "a2", "c1", "one"),
                   gives("t4", "t3", "c2", "two"))  # fmt: skip


@pytest.mark.parametrize(
    ("answer", "error", "observation", "status", "code"),
    [
        ("Error: Command failed (exit code: 1)\nls: no\n\n\n[Process exited with code 1]", True, "ls: no\n",
         Status.TOOL_ERROR, 1),
        ("Error: Command failed (exit code: 1)\n[Process exited with code 1]", False, "", Status.TOOL_ERROR, 1),
        ("a\n\n\n[Process exited with code 0]", False, "a\n", Status.OK, 0),
        ("a\n", False, "a\n", Status.OK, None),
        ('Error: Execute call rejected: missing required parameters "riskLevel".', True, ..., Status.REJECTED, None),
        ("boom", True, ..., Status.TOOL_ERROR, None),
        ("a\n<system-reminder>todo</system-reminder>", False, "a", Status.OK, None),
        (None, False, None, Status.OK, None),
    ],
)  # fmt: skip
def test_the_words_around_an_output(answer, error, observation, status, code):
    result = gives("t3", "a2", "c1", answer, is_error=error)
    (made,) = read(Droid(), jsonl(HEAD, ASK, calls("a2", "u1", "c1", tool="Execute"), result))
    (step,), _ = parts(made)
    assert step.observation == (answer if observation is ... else observation)
    assert (step.outcome.status, step.outcome.exit_code) == (status, code)
    assert step.shown == (answer if answer != step.observation else None)
    assert (Lossiness.NO_EXIT_CODE in step.lossiness) is (code is None and step.observation is not None)


def test_the_text_of_a_file_is_no_exit_code():
    log = "x\n[Process exited with code 3]"
    (made,) = read(Droid(), jsonl(HEAD, ASK, calls("a2", "u1", "c1"), gives("t3", "a2", "c1", log)))
    (step,), _ = parts(made)
    assert (step.observation, step.outcome.exit_code, step.outcome.status) == (log, None, Status.OK)


def test_the_tree_is_followed_by_its_last_word():
    session = [
        HEAD,
        ASK,
        calls("a2", "u1", "c1"),
        gives("t3", "a2", "c1", "both"),
        calls("a4", "t3", "c2"),
        gives("t5", "a4", "c2", "left"),
        message("u6", "t3", "user", text("Otherwise.")),
        calls("a7", "u6", "c2"),
        gives("t8", "a7", "c2", "kept"),
    ]
    hold_for_branches(Droid(), *session, *session[1:3])


def test_messages_without_parents_follow_each_other():
    session = [ASK, calls("a2", "u1", "c1"), gives("t3", "a2", "c1", "one"), calls("a4", "t3", "c2")]
    bare = [{key: value for key, value in one.items() if key not in ("id", "parentId")} for one in session]
    (made,) = read(Droid(), jsonl({**HEAD, "version": "0.81.0"}, *bare))
    steps, _ = parts(made)
    assert [(step.observation, step.outcome.status) for step in steps] == [("one", Status.OK), (None, Status.UNKNOWN)]
    assert Lossiness.TAIL_MISSING in steps[1].lossiness
    assert isinstance(made, Imported)
    assert made.environment.versions == {"droid": "0.81.0"}


def test_what_is_told_of_no_step():
    reminded = "<system-reminder>\nBe brief.\n</system-reminder>\n\nGo on."
    (made,) = read(
        Droid(),
        jsonl(
            HEAD,
            CONTEXT,
            ASK,
            gives("t2", "u1", "c0", "who asked?"),
            {"type": "compaction_state", "id": "k3", "timestamp": TIME, "summaryText": "short", "removedCount": 2},
            calls("a4", "t2", "c1"),
            gives("t5", "a4", "c1", "one"),
            message("u6", "t5", "user", "A text alone."),
            message("u7", "u6", "user", text(reminded)),
            message("a8", "u7", "assistant", {"type": "tool_use", "id": "c9", "input": {}}),
            {"type": "tomorrow"},
        ),
    )
    (step,), orphans = parts(made)
    assert step.observation == "one"
    assert [orphan.code for orphan in orphans] == [
        "unknown_record", "compacted", "harness_message", "orphan_result", "user_message", "harness_message",
        "user_message", "orphan_call",
    ]  # fmt: skip
    assert [orphan.details["text"] for orphan in orphans if orphan.code == "user_message"] == [
        "A text alone.",
        "Go on.",
    ]


def test_a_called_session_hangs_on_the_one_that_called_it():
    above = jsonl(HEAD, ASK, calls("a2", "u1", "c1", tool="Task"), gives("t3", "a2", "c1", "It is done."))
    (caller,) = read(Droid(), above)
    (step,), _ = parts(caller)
    assert Lossiness.SYNTHETIC_OBS in step.lossiness
    head = {**HEAD, "id": "s2", "callingSessionId": "s1", "callingToolUseId": "c1"}
    (made,) = read(Droid(), jsonl(head, ASK, calls("a2", "u1", "c1")), "s2.jsonl", **{"s1.jsonl": above})
    assert isinstance(made, Imported)
    assert (made.lineage.kind, made.lineage.parent) == ("subagent", derived_id("droid", Bytes(above).digest, ""))
    assert made.extra["header"]["callingToolUseId"] == "c1"


def test_what_a_fork_copies_is_counted_once():
    old = [HEAD, CONTEXT, ASK, calls("a2", "u1", "c1"), gives("t3", "a2", "c1", "one")]
    head = {**HEAD, "id": "s2", "parent": "s1", "forkedAtMessageId": "t3"}
    new = jsonl(head, *old[1:], calls("a4", "t3", "c2"), gives("t5", "a4", "c2", "two"))
    (made,) = read(Droid(), new, "s2.jsonl", **{"s1.jsonl": jsonl(*old)})
    steps, orphans = parts(made)
    assert [step.observation for step in steps] == ["two"]
    assert [(orphan.code, orphan.details["count"]) for orphan in orphans] == [("copied_context", 4)]
    assert isinstance(made, Imported)
    assert (made.lineage.kind, made.lineage.step) == ("resumed", 0)
    assert made.lineage.parent == derived_id("droid", Bytes(jsonl(*old)).digest, "")


def test_what_is_not_for_the_model_is_the_harness_s():
    hook = message("h3", "a2", "user", hookEventName="PostToolUse", hookResults=[{"exitCode": 0}])
    notice = message("n4", "h3", "user", text("Low on credit."), visibility="user_only")
    (made,) = read(Droid(), jsonl(HEAD, CONTEXT, ASK, calls("a2", "u1", "c1"), hook, notice,
                                  gives("t5", "n4", "c1", "one")))  # fmt: skip
    (step,), orphans = parts(made)
    assert step.observation == "one"
    assert [orphan.code for orphan in orphans] == ["harness_message"] * 3


@pytest.mark.parametrize("settings", [b'{"model": "beside"}', b"no", b"[]", b'{"model": 7}'])
def test_the_model_may_stand_beside_the_session(settings):
    line = calls("a2", "u1", "c1")
    del line["message"]["modelId"]
    (made,) = read(Droid(), jsonl(HEAD, ASK, line), "x/s1.jsonl", **{"s1.settings.json": settings})
    assert isinstance(made, Imported)
    assert made.policy.model == ("beside" if b"beside" in settings else None)


def test_times_that_run_backwards_keep_their_order():
    late = {**calls("a2", "u1", "c1"), "timestamp": "2026-01-01T00:00:09Z"}
    (made,) = read(Droid(), jsonl(HEAD, CONTEXT, ASK, late, gives("t3", "a2", "c1", "one")))
    (step,), orphans = parts(made)
    assert step.observation == "one"
    assert [orphan.code for orphan in orphans] == ["harness_message", "time_backwards"]


@pytest.mark.parametrize("version", [3, 0, -1, 10**30])
def test_other_versions_are_refused(version):
    with pytest.raises(VersionError, match="1 and 2 are read"):
        read(Droid(), jsonl({**HEAD, "version": version}, ASK, calls("a2", "u1", "c1")))


def test_a_session_without_calls_is_refused():
    with pytest.raises(InputError, match="no tool was called"):
        read(Droid(), jsonl(HEAD, ASK, message("a2", "u1", "assistant", text("Hello."))))


@pytest.mark.parametrize(
    "records",
    [
        [{**HEAD, "id": 7}, ASK],
        [{"type": "session_start", "id": "s"}, ASK],
        [HEAD, {"type": "user_message"}],
        [HEAD, {"type": "message", "role": "user", "content": "x"}],
        [ASK],
    ],
)
def test_what_is_no_session(records):
    assert not Droid().sniff(Bytes(jsonl(*records)))


@pytest.mark.parametrize("odd", [None, 7, [], {}, [[]]])
def test_values_of_other_types_are_passed_over(odd):
    line = calls("a2", "u1", "c1")
    line["message"]["content"] += [odd, {"type": odd, "text": odd}]
    line["message"] |= {"modelId": odd, "visibility": odd}
    (made,) = read(Droid(), jsonl({**HEAD, "parent": odd, "callingSessionId": odd}, ASK, {"type": odd},
                                  {**line, "timestamp": odd}, gives("t3", "a2", "c1", "one")))  # fmt: skip
    assert [step.observation for step in parts(made)[0]] == ["one"]


def test_broken_files():
    fuzz(
        Droid,
        jsonl(
            HEAD,
            CONTEXT,
            ASK,
            calls("a2", "u1", "c1", "c2"),
            gives("t3", "a2", "c1", "one"),
            gives("t4", "t3", "c2", [text("two")], is_error=True),
            calls("a5", "t4", "c3", tool="Execute"),
            gives("t6", "a5", "c3", "three\n\n\n[Process exited with code 0]"),
            calls("a7", "t4", "c4", tool="Edit"),
            gives("t8", "a7", "c4", "four"),
        ),
    )


@pytest.mark.shared
def test_a_real_file(shared_data: Path) -> None:
    (made,) = read(Droid(), (shared_data / "other_cli/droid.jsonl").read_bytes())
    # jq -c '.message|objects|.content[]|select(.type|startswith("tool_"))' droid.jsonl: one call, one result
    (step,), orphans = parts(made)
    assert (step.action.name, step.observation) == ("Execute", "line1\nline2\nline3\n")
    # jq -r 'select(.message.role=="user")|.message.content[0].text//empty' droid.jsonl: Step 1, Step 2
    assert [orphan.code for orphan in orphans] == ["user_message", "last_words"]


@pytest.mark.shared
def test_no_other_file_is_claimed(shared_data: Path) -> None:
    assert claimed(Droid(), shared_data) == {"other_cli/droid.jsonl"}
