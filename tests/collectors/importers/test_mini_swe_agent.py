"""mini-swe-agent's trajectories."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from worldtape.collectors.importers.mini_swe_agent import MiniSweAgent
from worldtape.errors import FormatError, InputError, VersionError
from worldtape.schemas import EndStatus, Imported, ImportedStep, Lossiness, Orphan, Status

from ._files import Bytes
from ._fuzz import fuzz

START = [{"role": "system", "content": "You are …"}, {"role": "user", "content": "Please solve this."}]
END = "COMPLETE_TASK_AND_SUBMIT_FINAL_OUTPUT"


def asked(command: str, fence: str = "bash") -> dict[str, Any]:
    return {"role": "assistant", "content": f"THOUGHT: {command}\n\n```{fence}\n{command}\n```"}


def told(text: str, code: int = 0) -> dict[str, Any]:
    return {"role": "user", "content": f"<returncode>{code}</returncode>\n<output>\n{text}</output>"}


BARE = [
    *START,
    asked("ls"),
    told("a.py\n"),
    asked("cat b", "mswea_bash_command"),
    told("no such file\n", 1),
    asked("pwd"),
]
BARE += [told("/repo\n"), asked(f"echo {END} && git diff"), {"role": "user", "content": "diff --git\n"}]


def called(*commands: str, stamp: float) -> dict[str, Any]:
    made = [{"command": command, "tool_call_id": f"c{stamp}{n}"} for n, command in enumerate(commands)]
    return {"role": "assistant", "content": None, "extra": {"actions": made, "cost": 0.1, "timestamp": stamp}}


def result(text: str, *, stamp: float, call: str, **more: Any) -> dict[str, Any]:
    about = {"raw_output": text, "returncode": 0, "timestamp": stamp, "exception_info": ""} | more
    content = json.dumps({"returncode": about["returncode"], "output": text})
    return {"role": "tool", "tool_call_id": call, "content": content, "extra": about}


NEW: dict[str, Any] = {
    "info": {
        "config": {
            "environment": {"image": "python:3.11", "cwd": "/", "timeout": 30, "env": {"KEY": "secret"}},
            "environment_type": "minisweagent.environments.docker.DockerEnvironment",
            "agent_type": "minisweagent.agents.default.DefaultAgent",
            "model": {"model_name": "some/model"},
        },
        "mini_version": "2.1.0",
        "exit_status": "Submitted",
    },
    "messages": [
        *START,
        called("ls", stamp=100.5),
        result("a.py\n", stamp=101.0, call="c100.50"),
        called("cat a.py", "pwd", stamp=102.5),
        result("x = 1\n", stamp=103.0, call="c102.50"),
        result("/repo\n", stamp=103.5, call="c102.51"),
        {"role": "exit", "content": "diff", "extra": {"exit_status": "Submitted", "submission": "diff"}},
    ],
    "trajectory_format": "mini-swe-agent-1.1",
}


def read(data: Any) -> Imported:
    (found,) = MiniSweAgent().read(Bytes(data))
    assert isinstance(found, Imported)
    return found


def steps(data: Any) -> list[ImportedStep]:
    return [item for item in read(data).steps if isinstance(item, ImportedStep)]


def orphans(data: Any) -> list[str]:
    return [item.code for item in read(data).steps if isinstance(item, Orphan)]


def test_a_bare_list_of_messages() -> None:
    made = steps(BARE)
    assert [item.observation for item in made] == ["a.py\n", "no such file\n", "/repo\n", "diff --git\n"]
    assert [item.outcome.exit_code for item in made] == [0, 1, 0, None]
    assert [item.outcome.status for item in made[:2]] == [Status.OK, Status.TOOL_ERROR]
    assert made[0].action.text == '{"arguments":{"command":"ls"},"name":"bash"}'
    assert made[0].shown == "<returncode>0</returncode>\n<output>\na.py\n</output>"
    assert read(BARE).end.status is EndStatus.COMPLETED


def test_the_submissions_first_line_was_taken_by_the_harness() -> None:
    assert Lossiness.TRUNCATED_NO_FULL in steps(BARE)[-1].lossiness


def test_results_of_parsed_calls_pair_by_id_and_the_exit_is_no_observation() -> None:
    made = steps(NEW)
    assert [item.observation for item in made] == ["a.py\n", "x = 1\n", "/repo\n"]
    assert [item.action.batch.index for item in made if item.action.batch] == [0, 1]
    assert orphans(NEW) == ["exit"]
    assert (made[0].timing.started_at, made[0].timing.ended_at) == (100_500_000, 101_000_000)


def test_what_the_config_says_and_what_it_must_not() -> None:
    found = read(NEW)
    assert (found.environment.image, found.environment.backend) == ("python:3.11", "DockerEnvironment")
    assert found.environment.parameters == {"stateless": True, "cwd": "/", "timeout": 30}
    assert found.policy.model == "some/model"
    assert "secret" not in repr(found)


def test_tool_calls_without_parsed_actions() -> None:
    function = {"name": "bash", "arguments": '{"command": "ls"}'}
    message = {"role": "assistant", "content": "", "tool_calls": [{"id": "c1", "function": function}]}
    answer = {"role": "tool", "tool_call_id": "c1", "content": '{"returncode": 3, "output": "x"}'}
    (made,) = steps(NEW | {"messages": [*START, message, answer]})
    assert (made.observation, made.outcome.exit_code) == ("x", 3)


def test_an_output_with_its_middle_cut() -> None:
    text = "<returncode>0</returncode>\n<warning>\nToo long.\n</warning>\n<output_head>\nab\n</output_head>\n"
    text += "<elided_chars>\n900 characters elided\n</elided_chars>\n<output_tail>\nyz\n</output_tail>"
    made = steps([*START, asked("seq 999"), {"role": "user", "content": text}, asked("ls"), told("")])[0]
    assert made.observation == "ab\n[… 900 characters elided …]\nyz\n"
    assert made.extra["truncated"] == {"by": "harness", "omitted_chars": 900}
    assert Lossiness.TRUNCATED_NO_FULL in made.lossiness


def test_a_command_that_was_killed() -> None:
    text = (
        "The last command <command>sleep 99</command> timed out and has been killed.\nThe output of the command was:\n"
    )
    made = steps([*START, asked("sleep 99"), {"role": "user", "content": text + "<output>\npart\n</output>"}])[0]
    assert (made.observation, made.outcome.status) == ("part\n", Status.TIMEOUT_KILLED)
    lost = {"returncode": -1, "exception_type": "TimeoutExpired", "exception_info": "timed out"}
    made = steps(NEW | {"messages": [*START, called("x", stamp=1), result("", stamp=2, call="c10", **lost)]})[0]
    assert (made.outcome.status, made.outcome.exit_code) == (Status.TIMEOUT_KILLED, None)


def test_a_reply_that_breaks_the_rules_is_no_transition() -> None:
    two = {"role": "assistant", "content": "```bash\nls\n```\n```bash\npwd\n```"}
    data = [*START, two, {"role": "user", "content": "Please give EXACTLY one action."}, asked("ls"), told("a\n")]
    assert [item.observation for item in steps(data)] == ["a\n"]
    assert orphans(data) == ["agent_message", "harness_message"]


def test_a_run_that_died_after_its_last_command() -> None:
    (made,) = steps([*START, asked("ls")])
    assert made.outcome.status is Status.UNKNOWN
    assert Lossiness.TAIL_MISSING in made.lossiness
    assert read([*START, asked("ls")]).end.status is EndStatus.INTERRUPTED


def test_what_is_refused() -> None:
    with pytest.raises(VersionError, match="mini-swe-agent-2"):
        read(NEW | {"trajectory_format": "mini-swe-agent-2.0"})
    with pytest.raises(InputError, match="nothing was done"):
        read(NEW | {"messages": START})
    with pytest.raises(FormatError):
        read({"info": {"mini_version": "1"}})


def test_other_lists_of_messages_are_not_claimed() -> None:
    others: list[Any] = [[*START, asked("ls")], [], [1], {"messages": BARE}, {"info": {}}]
    for data in others:
        assert not MiniSweAgent().sniff(Bytes(data))
    assert MiniSweAgent().sniff(Bytes(BARE))
    assert MiniSweAgent().sniff(Bytes(NEW))


def test_broken_files() -> None:
    fuzz(MiniSweAgent(), BARE)
    fuzz(MiniSweAgent(), NEW, seed=6)


@pytest.mark.shared
def test_a_real_file(shared_data: Path) -> None:
    # jq '[.[] | select(.role == "assistant")] | length' → 10
    # grep -o '"<returncode>[01]' | sort | uniq -c → 7 zeros, 2 ones; the last answer has none
    source = Bytes((shared_data / "mini_swe" / "github_issue.traj.json").read_bytes())
    assert MiniSweAgent().sniff(source)
    made = steps(source.data)
    codes = [item.outcome.exit_code for item in made]
    assert (len(made), codes.count(0), codes.count(1), codes.count(None)) == (10, 7, 2, 1)
    assert all("<returncode>" not in (item.observation or "") for item in made)
