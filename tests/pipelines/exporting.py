"""A lake with everything an exporter can meet: real terminal sessions, imported files, and tapes written by hand."""

from __future__ import annotations

import json
import shutil
from pathlib import Path
from typing import Any

from tests.pipelines.lakes import Written
from worldtape import import_files, project
from worldtape.pipelines.demo._demo import TAPES
from worldtape.schemas import EnvironmentSpec, EventKind, Target, Tool
from worldtape.storage import Lake


def call(key: str, name: str, **arguments: Any) -> dict[str, Any]:
    return {"tool_call_id": key, "function_name": name, "arguments": arguments}


def result(content: str, key: str | None = None) -> dict[str, Any]:
    return {"content": content} | ({} if key is None else {"source_call_id": key})


ATIF = {
    "schema_version": "ATIF-v1.7",
    "session_id": "s",
    "agent": {"name": "terminus-2", "version": "2.0", "model_name": "some/model"},
    "steps": [
        {"step_id": 1, "source": "user", "message": "Tidy the folder."},
        {
            "step_id": 2,
            "timestamp": "2026-12-01T10:00:05.000007Z",
            "source": "agent",
            "message": "I look.",
            "reasoning_content": "SECRET-REASONING",
            "tool_calls": [
                call("c", "bash_command", keystrokes="ls\n", duration=0.1),
                call("c", "bash_command", keystrokes="pwd\n"),
            ],
            "observation": {"results": [result("New Terminal Output:\n$ ls\na\u2028b\n$ pwd\n/app\n$ ")]},
        },
        {
            "step_id": 3,
            "source": "agent",
            "message": "",
            "tool_calls": [
                call("a", "write", path="x", text="``` **Action:**\n"),
                call("b", "read", path="x", big=2**70),
            ],
            "observation": {"results": [result("", "a"), result("two", "b")]},
        },
        {"step_id": 4, "source": "agent", "message": "", "tool_calls": [call("t", "mark_task_complete")]},
    ],
}
CHAT = {
    "id": 7,
    "license": "mit",
    "tools": [{"type": "function", "function": {"name": "find", "parameters": {"type": "object"}}}],
    "messages": [
        {"role": "user", "content": "Find it."},
        {
            "role": "assistant",
            "content": None,
            "tool_calls": [{"id": "1", "function": {"name": "find", "arguments": '{"q": [1, {"deep": null}]}'}}],
        },
        {"role": "tool", "tool_call_id": "1", "content": "é 漢字 \u0000"},
        {
            "role": "assistant",
            "content": "",
            "tool_calls": [{"id": "2", "function": {"name": "find", "arguments": "no JSON"}}],
        },
        {"role": "tool", "tool_call_id": "2", "content": "<predicted_observation>\nno\n</predicted_observation>"},
    ],
}


def sample_lake(root: Path) -> Lake:
    """Record, import and project; real sessions are the tapes that Worldtape ships."""
    lake = root / "lake"
    Lake.open(lake, create=True)
    _ship(lake)
    sources = root / "sources"
    sources.mkdir()
    (sources / "atif.json").write_text(json.dumps(ATIF))
    (sources / "chat.jsonl").write_text(json.dumps(CHAT) + "\n")
    report = import_files([sources], lake, workers=0)
    assert report.total.trajectories == 2, report
    _faulty(lake)
    _talk(lake)
    _empty(lake)
    project(lake, workers=0)
    return Lake.open(lake)


def _ship(lake: Path) -> None:
    for tape in (TAPES / "terminal").rglob("*.jsonl.zst"):
        target = lake / "tapes" / tape.parent.name / tape.name
        target.parent.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(tape, target)


def _faulty(lake: Path) -> None:
    """Faults that come and go, rewards, snapshots, probes that fail, an action without an answer at the end."""
    written = Written(lake, "faulty")
    written.ready(environment=EnvironmentSpec(kind="terminal", backend="local").to_dict())
    _ran(written, 0, state_after={"cwd": "/tmp"}, reward=0.5, snapshot="snap-1")
    fault = {"kind": "disk_full", "instruction": "The disk is full."}
    written.tape.append(EventKind.FAULT, fault)
    killed = {"status": "timeout_killed", "signal": 9, "exit_codes": [0, 137], "exit_code": 137}
    _ran(written, 1, outcome=killed | {"error": {"type": "OSError", "message": "No space left", "code": 28}})
    written.tape.append(EventKind.FAULT, {})
    times = {"started_at": 1_796_122_469_739_040, "first_output_at": 1_796_122_469_739_041, "duration_ms": 0.125}
    _ran(written, 2, timing=times | {"ended_at": 1_796_122_469_739_999}, lossiness=["merged_streams"])
    cut = {"kind": "keystrokes", "text": '[{"keystrokes": "sleep 9\\n"}]', "actor": "human", "wait_s": 0.1}
    written.tape.append(EventKind.ACTION, cut | {"timeout_s": 3.0, "raw": "sleep 9"}, step=3)
    written.seal()


def _ran(written: Written, step: int, **result: Any) -> None:
    action = {"kind": "keystrokes", "text": f"run {step}", "actor": "agent"}
    written.tape.append(EventKind.ACTION, action, step=step)
    written.data("x\r\n")
    written.captured(step)
    whole = {"outcome": {"status": "ok", "exit_code": 0}, "timing": {"duration_ms": 1.5}} | result
    written.tape.append(EventKind.RESULT, whole, step=step)


def _talk(lake: Path) -> None:
    """Words to a simulated user, a window that is clicked, several calls of one turn of which one has no answer."""
    written = Written(lake, "talk", domain="mcp", task={"id": "t", "instruction": "Ask.", "reference": "yes"})
    tool = Tool(name="ask", input_schema='{"type":"object"}')
    written.ready(environment=EnvironmentSpec(kind="mcp", tools=(tool,)).to_dict())
    actions: list[dict[str, Any]] = [
        {"kind": "message", "text": "Which one?"},
        {"kind": "ui_action", "text": "click(7)", "target": Target(id="7", role="button").to_dict()},
        *(
            {
                "kind": "tool_call",
                "text": '{"name":"ask","arguments":{}}',
                "name": "ask",
                "arguments": "{}",
                "batch": {"id": "b", "index": index, "size": 2, "shared": False},
            }
            for index in range(2)
        ),
    ]
    for step, action in enumerate(actions):
        written.tape.append(EventKind.ACTION, {"actor": "agent"} | action, step=step)
        if step == 2:
            written.tape.append(EventKind.RESULT, {"outcome": {"status": "unknown"}}, step=step)
            continue
        written.data(f"answer {step}\r\n")
        written.captured(step, shown=f"It says: answer {step}" if step == 1 else None)
        written.tape.append(EventKind.RESULT, {"outcome": {"status": "ok"}, "timing": {}}, step=step)
    written.seal()


def _empty(lake: Path) -> None:
    written = Written(lake, "empty")
    written.ready()
    written.seal()
