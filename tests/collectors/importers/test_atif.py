"""ATIF documents, Harbor's folders and traces."""

from __future__ import annotations

import copy
import json
from pathlib import Path
from typing import Any

import pytest

from worldtape.collectors.importers.atif import Atif
from worldtape.errors import FormatError, InputError, VersionError
from worldtape.schemas import Domain, EndStatus, Imported, ImportedStep, Lossiness, Orphan, Rejected, Status

from ._files import Bytes, jsonl
from ._fuzz import fuzz

SCREEN = "Current Terminal Screen:\n"
NEW = "New Terminal Output:\n"


def call(name: str, number: int, **arguments: Any) -> dict[str, Any]:
    return {"tool_call_id": f"call_{number}", "function_name": name, "arguments": arguments}


def agent(number: int, calls: list[Any], results: list[Any], **more: Any) -> dict[str, Any]:
    return {
        "step_id": number,
        "source": "agent",
        "message": f"I think {number}",
        "tool_calls": calls,
        "observation": {"results": results},
        **more,
    }


def document(*steps: Any, version: str = "1.7", name: str = "other", **more: Any) -> dict[str, Any]:
    about = {"name": name, "version": "2", "model_name": "some/model"}
    first = {"step_id": 1, "source": "user", "message": "Do it."}
    return {"schema_version": f"ATIF-v{version}", "session_id": "s", "agent": about, "steps": [first, *steps], **more}


def own(number: int, text: str) -> dict[str, Any]:
    return {"source_call_id": f"call_{number}", "content": text}


TWO = document(
    agent(2, [call("bash", 1, command="ls")], [own(1, "a.py")], timestamp="2026-12-01T10:00:00Z"),
    agent(3, [call("bash", 1, command="pwd"), call("read", 2, path="a.py")], [own(1, "/app"), own(2, "x = 1")]),
    agent(4, [call("bash", 3, command="make")], [own(3, "built")], reasoning_content="now make it"),
)


def read(data: Any, siblings: dict[str, bytes] | None = None) -> list[Imported]:
    found = list(Atif().read(Bytes(data, "trajectory.json", **(siblings or {}))))
    assert all(isinstance(item, Imported) for item in found), found
    return [item for item in found if isinstance(item, Imported)]


def steps(item: Imported) -> list[ImportedStep]:
    return [step for step in item.steps if isinstance(step, ImportedStep)]


def orphans(item: Imported) -> list[str]:
    return [step.code for step in item.steps if isinstance(step, Orphan)]


def test_a_turn_becomes_a_step_for_each_call() -> None:
    (found,) = read(TWO)
    made = steps(found)
    assert [step.action.name for step in made] == ["bash", "bash", "read", "bash"]
    assert [step.observation for step in made] == ["a.py", "/app", "x = 1", "built"]
    assert made[0].action.text == '{"arguments":{"command":"ls"},"name":"bash"}'
    assert made[0].action.batch is None
    assert [step.action.batch.index for step in made[1:3] if step.action.batch] == [0, 1]
    assert made[0].timing.started_at == 1_796_119_200_000_000
    assert made[3].thoughts == ({"reasoning": "now make it"}, {"text": "I think 4"})
    assert found.task is not None
    assert found.task.instruction == "Do it."
    assert found.policy.model == "some/model"


def test_ids_repeat_in_every_step_and_pair_inside_their_own() -> None:
    data = document(
        agent(2, [call("a", 1)], [own(1, "first")]),
        agent(3, [call("b", 1)], []),
        agent(4, [call("c", 1)], [own(1, "third")]),
    )
    made = steps(read(data)[0])
    assert [step.observation for step in made] == ["first", None, "third"]
    assert made[1].outcome.status is Status.UNKNOWN
    assert Lossiness.TAIL_MISSING not in made[1].lossiness


def test_one_result_of_several_calls_stands_on_the_last_and_is_never_copied() -> None:
    data = document(agent(2, [call("a", 1), call("b", 2), call("c", 3)], [{"content": "one screen"}]))
    made = steps(read(data)[0])
    assert [step.observation for step in made] == [None, None, "one screen"]
    assert all(step.action.batch and step.action.batch.shared for step in made)
    assert all(Lossiness.OBS_SHARED_BY_BATCH in step.lossiness for step in made)
    assert [step.outcome.status for step in made] == [Status.UNKNOWN, Status.UNKNOWN, Status.OK]


def test_a_result_of_an_unknown_call_is_an_orphan() -> None:
    (found,) = read(document(agent(2, [call("a", 1)], [own(9, "whose?")])))
    assert [step.observation for step in steps(found)] == [None]
    assert "orphan_result" in orphans(found)


def test_the_last_call_without_a_result_is_the_missing_tail() -> None:
    (step,) = steps(read(document(agent(2, [call("a", 1)], [])))[0])
    assert step.observation is None
    assert Lossiness.TAIL_MISSING in step.lossiness


def test_copied_context_is_counted_once_and_makes_no_steps() -> None:
    copied = agent(2, [call("a", 1)], [own(1, "x")]) | {"is_copied_context": True}
    (found,) = read(document(copied, agent(3, [call("b", 2)], [own(2, "y")])))
    assert [step.action.name for step in steps(found)] == ["b"]
    assert [item.details["count"] for item in found.steps if isinstance(item, Orphan)] == [1]


def test_terminus_texts_are_taken_off_and_name_their_renderer() -> None:
    pressed = {"keystrokes": "ls\n", "duration": 0.5}
    cut = "head\n[... output limited to 10000 bytes; 71 interior bytes omitted ...]\ntail"
    warned = "Previous response had warnings:\n- Extra text\n\n" + NEW + "a.py"
    data = document(
        agent(2, [call("bash_command", 1, **pressed)], [{"content": NEW + "$ ls"}]),
        agent(3, [call("bash_command", 2, **pressed)], [{"content": SCREEN + "$ "}]),
        agent(4, [call("bash_command", 3, **pressed)], [{"content": warned}]),
        agent(5, [call("bash_command", 4, **pressed)], [{"content": NEW + cut}]),
        name="terminus-2",
    )
    (found,) = read(data)
    made = steps(found)
    assert found.domain is Domain.TERMINAL
    assert [step.observation for step in made] == ["$ ls", "$ ", "a.py", cut]
    incremental, screen = "terminus.incremental", "terminus.screen"
    assert [step.extra["rendering"] for step in made] == [incremental, screen, incremental, incremental]
    assert made[0].shown == NEW + "$ ls"
    assert made[0].action.kind == "keystrokes"
    assert made[0].action.text == '[{"keystrokes": "ls\\n", "duration": 0.5}]'
    assert made[0].action.wait_s == 0.5
    assert Lossiness.TRUNCATED_NO_FULL in made[3].lossiness
    assert made[3].extra["truncated"]["omitted_bytes"] == 71


def test_a_reply_that_the_harness_refused_is_no_transition() -> None:
    refused = {"content": "Previous response had parsing errors:\nERROR: no\n\nPlease fix these issues."}
    (found,) = read(document(agent(2, [], [refused]), name="terminus-2"))
    assert steps(found) == []
    assert "harness_message" in orphans(found)


def test_a_reply_that_was_not_parsed_by_the_harness_is_parsed_here() -> None:
    said = json.dumps({"analysis": "", "plan": "", "commands": [{"keystrokes": "ls\n", "duration": 1}]})
    step = agent(2, [], [{"content": NEW + "a.py"}]) | {"message": f"<think>hm</think>{said}"}
    (made,) = steps(read(document(step, name="terminus-2"))[0])
    assert made.action.kind == "keystrokes"
    assert made.observation == "a.py"
    assert made.thoughts == ({"reasoning": "hm"},)


def test_xml_replies_are_parsed() -> None:
    said = '<response><commands><keystrokes duration="0.1">ls\n</keystrokes></commands></response>'
    step = agent(2, [], [{"content": NEW + "a.py"}]) | {"message": said}
    (made,) = steps(read(document(step, name="terminus-2"))[0])
    assert made.action.wait_s == 0.1


def test_a_system_step_with_an_observation_is_a_hand_over() -> None:
    ref = {"session_id": "sub", "trajectory_path": "sub.json"}
    step = {
        "source": "system",
        "message": "Handed over.",
        "observation": {"results": [{"subagent_trajectory_ref": [ref]}]},
    }
    (found,) = read(document(step))
    assert orphans(found) == ["harness_message", "subagent"]


def test_errors_come_from_facts() -> None:
    failed = own(1, "no such file") | {"extra": {"exit_code": 2}}
    flagged = own(2, "refused") | {"extra": {"is_error": True}}
    data = document(agent(2, [call("a", 1)], [failed]), agent(3, [call("a", 2)], [flagged]))
    made = steps(read(data)[0])
    assert [step.outcome.status for step in made] == [Status.TOOL_ERROR, Status.TOOL_ERROR]
    assert made[0].outcome.exit_code == 2


def test_claude_codes_own_streams_go_before_the_text_around_them() -> None:
    kept = {"tool_use_result": {"stdout": "a", "stderr": "b", "interrupted": True}}
    (step,) = steps(read(document(agent(2, [call("Bash", 1)], [own(1, "a\n\n[stderr]\nb")], extra=kept)))[0])
    assert step.observation == "a\nb"
    assert step.shown == "a\n\n[stderr]\nb"
    assert step.outcome.status is Status.INTERRUPTED


def test_times_that_run_backwards_are_kept_in_order_and_counted() -> None:
    data = document(
        agent(2, [call("a", 1)], [own(1, "1")], timestamp="2026-12-01T10:00:05Z"),
        agent(3, [call("b", 2)], [own(2, "2")], timestamp="2026-12-01T10:00:01+00:00"),
    )
    (found,) = read(data)
    assert [step.observation for step in steps(found)] == ["1", "2"]
    assert orphans(found) == ["time_backwards"]


def test_a_continuation_is_read_with_its_first_file_and_refused_alone() -> None:
    first = document(agent(2, [call("a", 1)], [own(1, "1")]), continued_trajectory_ref="trajectory.cont-1.json")
    copied = copy.deepcopy(first["steps"][1]) | {"is_copied_context": True}
    second = document(copied, agent(3, [call("b", 2)], [own(2, "2")]), session_id="s-cont-1")
    files = {"trajectory.json": json.dumps(first).encode(), "trajectory.cont-1.json": json.dumps(second).encode()}
    (found,) = read(first, files)
    assert [step.observation for step in steps(found)] == ["1", "2"]
    assert steps(found)[1].locator == "trajectory.cont-1.json#/steps/2"

    class Folder(Bytes):
        def sibling(self, name: str) -> Bytes | None:
            return Folder(files[name], name) if name in files else None

    with pytest.raises(InputError, match=r"goes on from trajectory\.json"):
        list(Atif().read(Folder(files["trajectory.cont-1.json"], "agent/trajectory.cont-1.json")))


def test_a_continuation_that_is_missing_or_a_url_or_itself_is_said() -> None:
    for ref in ("trajectory.cont-1.json", "https://example.org/t.json", "trajectory.json", "../../etc/passwd"):
        (found,) = read(document(agent(2, [call("a", 1)], [own(1, "1")]), continued_trajectory_ref=ref))
        assert found.end.status is EndStatus.INTERRUPTED
        assert ref in (found.end.reason or "")


def test_embedded_subagents_are_trajectories_of_their_own() -> None:
    sub = document(agent(2, [call("b", 2)], [own(2, "2")]), trajectory_id="sub")
    data = document(agent(2, [call("a", 1)], [own(1, "1")]), trajectory_id="main", subagent_trajectories=[sub])
    main, child = read(data)
    assert [step.observation for step in steps(main)] == ["1"]
    assert child.locator == "/subagent_trajectories/0"
    assert (child.lineage.parent, child.lineage.kind) == ("main", "subagent")


def test_harbors_result_stands_beside_the_trajectory() -> None:
    result = {"trial_name": "t__1", "task_name": "hello", "verifier_result": {"rewards": {"reward": 1.0}}}
    config = {"environment": {"type": "docker", "docker_image": "hello:1"}}
    siblings = {"../result.json": json.dumps(result).encode(), "../config.json": json.dumps(config).encode()}
    (found,) = read(TWO, siblings)
    assert found.end.reward == 1.0
    assert found.task is not None
    assert found.task.id == "hello"
    assert found.environment.image == "hello:1"
    assert Lossiness.NO_ENV_IMAGE not in found.lossiness


@pytest.mark.parametrize("version", ["1.0", "1.1", "1.2", "1.3", "1.4", "1.5", "1.6", "1.7", "1.8"])
def test_versions_that_are_read(version: str) -> None:
    data = {**TWO, "schema_version": f"ATIF-v{version}"}
    assert Atif().sniff(Bytes(data))
    assert len(steps(read(data)[0])) == 4


@pytest.mark.parametrize("version", ["1.9", "2.0"])
def test_future_versions_are_refused_by_name(version: str) -> None:
    data = {**TWO, "schema_version": f"ATIF-v{version}"}
    assert Atif().sniff(Bytes(data))
    with pytest.raises(VersionError, match=f"ATIF-v{version}"):
        list(Atif().read(Bytes(data)))


def test_a_bad_record_among_many_is_rejected_alone() -> None:
    bad = {"schema_version": "ATIF-v1.9", "steps": []}
    for data in (json.dumps([TWO, bad, TWO]).encode(), jsonl(TWO, bad, TWO)):
        found = list(Atif().read(Bytes(data)))
        assert [isinstance(item, Rejected) for item in found] == [False, True, False]


def test_what_is_no_atif_is_not_claimed() -> None:
    others: list[Any] = [{"steps": []}, {"schema_version": 3}, [], [1], "nothing", jsonl({"type": "session"})]
    for data in others:
        assert not Atif().sniff(Bytes(data))
    with pytest.raises(FormatError):
        list(Atif().read(Bytes({"steps": []})))


def episode(number: int, trial: str = "t") -> dict[str, Any]:
    said = [{"role": "user", "content": "\nTask Description:\nDo it.\n\nCurrent terminal state:\n" + SCREEN + "$ "}]
    for turn in range(number + 1):
        commands = {"commands": [{"keystrokes": f"echo {turn}\n", "duration": 1}]}
        said.append({"role": "assistant", "content": json.dumps(commands)})
        said.append({"role": "user", "content": f"{NEW}{turn}"})
    about = {"agent": "terminus-2", "model": "m", "task": "hello", "run_id": "r", "trial_name": trial, "result": None}
    return {"conversations": said[:-1], "episode": f"episode-{number}", **about}


def test_of_traces_only_the_longest_of_each_trial_is_read() -> None:
    data = [episode(0), episode(1), episode(2), episode(0, "u"), episode(1, "u")]
    first, second = read(data)
    assert (first.locator, second.locator) == ("/2", "/4")
    assert [step.observation for step in steps(first)] == ["0", "1", None]
    assert first.initial == "$ "
    assert first.task is not None
    assert first.task.instruction == "Do it."


def test_a_trace_that_is_no_continuation_stands_alone() -> None:
    other = episode(1)
    other["conversations"] = [{"role": "user", "content": "Summed up."}, *other["conversations"][1:]]
    assert len(read([episode(0), other])) == 2


def test_broken_files() -> None:
    fuzz(Atif(), TWO)
    fuzz(Atif(), jsonl(TWO, document(agent(2, [call("z", 1)], [own(1, "zz")]))))
    fuzz(Atif(), [episode(0), episode(2)])


# trajectories, steps, steps without an observation:
# jq '[.steps[] | select(.is_copied_context != true) | .tool_calls // [] | length] | add' FILE
# jq '[.steps[] | select(.tool_calls and (.observation | not))] | length' FILE
# traces: jq '[.[-1].conversations[] | select(.role == "assistant")] | length - 1' (the first was refused)
REAL = {
    "adp_v17_excerpt.json": (1, 3, 0),
    "oh_hello.json": (1, 2, 1),
    "t2_ctxsum.json": (1, 7, 0),
    "t2_ctxsum_sub_answers.json": (1, 0, 0),
    "t2_invalid-json.json": (1, 3, 0),
    "t2_invalid-json_traces.json": (1, 3, 1),
}


@pytest.mark.shared
@pytest.mark.parametrize("name", REAL)
def test_real_files(shared_data: Path, name: str) -> None:
    source = Bytes((shared_data / "atif" / name).read_bytes(), name)
    assert Atif().sniff(source)
    found = read(source.data)
    made = [step for item in found for step in steps(item)]
    assert (len(found), len(made), sum(step.observation is None for step in made)) == REAL[name]
    assert not any(NEW in (step.observation or "") for step in made)


@pytest.mark.shared
def test_a_real_opening_gives_task_and_first_screen(shared_data: Path) -> None:
    (found,) = read((shared_data / "atif" / "t2_ctxsum.json").read_bytes())
    assert found.task is not None
    assert found.task.instruction == 'Create a file called hello.txt with "Hello, world!" as the content.'
    assert found.initial is not None
    assert found.initial.startswith("bash: cannot set terminal process group")
    assert found.extra["initial_rendering"] == "terminus.screen"
