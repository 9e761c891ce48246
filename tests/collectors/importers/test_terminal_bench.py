"""Run directories of Terminal-Bench."""

from __future__ import annotations

import json
from typing import Any

import pytest

from worldtape.collectors.importers import _keys
from worldtape.collectors.importers.terminal_bench import TerminalBench
from worldtape.errors import InputError
from worldtape.schemas import EndStatus, Imported, ImportedStep, Orphan

from ._files import Bytes, jsonl
from ._fuzz import fuzz

RESULTS: dict[str, Any] = {
    "id": "0d0f", "trial_name": "hello.1-of-1.run1", "task_id": "hello", "instruction": "Say hello.",
    "is_resolved": False, "failure_mode": "agent_timeout", "parser_results": {"test_a": "passed", "test_b": "failed"},
    "recording_path": "run1/hello/sessions/agent.cast", "total_input_tokens": None, "agent_started_at": None,
}  # fmt: skip
HEAD = {"version": 2, "width": 60, "height": 10, "timestamp": 1764583200, "env": {"TERM": "screen"}}
EVENTS: list[list[Any]] = [
    [0.1, "o", "# "],
    [1.0, "i", "clear\r"],
    [1.1, "o", "\u001b[2J\u001b[H# "],
    [2.0, "i", "ls; tmux wait -S done\r"],
    [2.1, "o", "ls; tmux wait -S done\r\n"],
    [2.2, "o", "a.py\r\n# "],
    [2.3, "i", "vi"],
    [2.4, "o", "vi"],
    [2.5, "i", "m\r"],
    [2.6, "o", "m\r\n~\r\n"],
    [2.7, "i", "\u0003"],
    [2.8, "o", "^C\r\n# "],
]
COMMANDS = b"['clear', 'Enter']\n['ls', 'Enter']\n['vim', 'Enter']\n'C-c'\n['bash /tests/run-tests.sh', 'Enter']\n"


def run(events: list[list[Any]] = EVENTS, commands: bytes | None = COMMANDS, **fields: Any) -> Bytes:
    beside = {"sessions/agent.cast": jsonl(HEAD, *events)} | ({} if commands is None else {"commands.txt": commands})
    return Bytes(RESULTS | fields, "run1/hello/results.json", **beside)


def read(source: Bytes) -> tuple[Imported, list[ImportedStep], list[Orphan]]:
    assert TerminalBench().sniff(source)
    made = next(TerminalBench().read(source))
    assert isinstance(made, Imported)
    items = list(made.steps)
    steps = [item for item in items if isinstance(item, ImportedStep)]
    return made, steps, [item for item in items if isinstance(item, Orphan)]


def keys(step: ImportedStep) -> str:
    return "".join(stroke["keystrokes"] for stroke in json.loads(step.action.arguments or "[]"))


def test_a_trial_becomes_a_trajectory():
    made, steps, orphans = read(run())
    assert made.task is not None
    assert (made.task.id, made.task.benchmark, made.task.instruction) == ("hello", "Terminal-Bench", "Say hello.")
    assert (made.end.status, made.end.reason, made.end.reward) == (EndStatus.LIMIT, "agent_timeout", 0.0)
    assert made.extra["parser_results"] == {"test_a": "passed", "test_b": "failed"}
    assert [(step.action.actor, keys(step)) for step in steps] == [
        ("harness", "clear\r"), ("agent", "ls\r"), ("agent", "vim\r"), ("agent", "\u0003"),
    ]  # fmt: skip
    assert steps[1].action.raw == "ls; tmux wait -S done\r"
    assert steps[1].observation == "# ls; tmux wait -S done\na.py\n#"
    assert orphans == []


def test_sendings_of_a_slow_terminal_are_told_apart_by_commands_txt():
    events = [
        [1.0, "i", "ab"],
        [1.1, "o", "ab\r\nmore\r\n"],
        [1.2, "i", "cd"],
        [1.3, "o", "cd"],
        [1.4, "i", "e"],
        [1.5, "o", "e"],
    ]
    assert [keys(step) for step in read(run(events, b"'abcd'\n'e'\n"))[1]] == ["abcd", "e"]
    assert [keys(step) for step in read(run(events, None))[1]] == ["ab", "cde"]


def test_an_installed_agent_acts_out_of_sight():
    commands = b"['source /installed-agent/install-agent.sh', 'Enter']\n['claude -p x', 'Enter']\n"
    events = [
        [1.0, "i", "source /installed-agent/install-agent.sh; tmux wait -S done\r"], [1.1, "o", "noise\r\n"],
        [2.0, "i", "claude -p x; tmux wait -S done\r"], [2.1, "o", "$ ls\r\n"],
    ]  # fmt: skip
    made, steps, _ = read(run(events, commands, failure_mode="unset", is_resolved=None))
    assert made.extra["installed_agent"] is True
    assert [step.action.actor for step in steps] == ["harness", "harness"]
    assert (made.end.status, made.end.reward) == (EndStatus.COMPLETED, None)


def test_bad_lines_of_commands_txt_are_told_and_never_run():
    steps, orphans = read(run(commands=b"__import__('os').system('true')\n" + b"(" * 5000 + b"\n[1]\n" + COMMANDS))[1:]
    assert [keys(step) for step in steps] == ["clear\r", "ls\r", "vim\r", "\u0003"]
    assert [orphan.code for orphan in orphans] == ["bad_line"] * 3


def test_keys_of_tmux():
    assert _keys.typed(("a", "Enter", "C-d", "Up", "M-x", "C-Space")) == "a\r\u0004\u001b[A\u001bx\u0000"


def test_what_is_refused():
    with pytest.raises(InputError, match="results only"):
        next(TerminalBench().read(Bytes(RESULTS)))
    with pytest.raises(InputError, match="no input events"):
        next(TerminalBench().read(run([[0.1, "o", "x"]])))
    whole = Bytes({"id": "r", "results": [RESULTS]})
    assert TerminalBench().sniff(whole)
    with pytest.raises(InputError, match="whole run"):
        next(TerminalBench().read(whole))


def test_broken_versions():
    beside = {"sessions/agent.cast": jsonl(HEAD, *EVENTS), "commands.txt": COMMANDS}
    fuzz(TerminalBench, RESULTS, **beside)  # type: ignore[arg-type]
    for number in range(0, len(COMMANDS), 3):
        read(run(commands=COMMANDS[:number] + b"\xff" + COMMANDS[number + 2 :]))
