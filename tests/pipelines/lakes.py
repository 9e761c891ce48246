"""What the tests of projection and curation share."""

from __future__ import annotations

import hashlib
import subprocess
import sys
from pathlib import Path
from typing import Any

from tests.pipelines.tapes import COLS, RENDERER, ROWS
from worldtape.schemas import End, EndStatus, EnvironmentSpec, EventKind, Header, PolicySpec
from worldtape.storage import TapeWriter


def files(lake: Path, *folders: str) -> dict[str, str]:
    """Every file below some folders of a lake, and its SHA-256."""
    found = [path for folder in folders for path in sorted((lake / folder).rglob("*")) if path.is_file()]
    return {str(path.relative_to(lake)): hashlib.sha256(path.read_bytes()).hexdigest() for path in found}


def header(trajectory_id: str, **fields: Any) -> Header:
    environment = EnvironmentSpec(kind="terminal", parameters={"cols": COLS, "rows": ROWS})
    return Header(
        **{
            "trajectory_id": trajectory_id,
            "domain": "terminal",
            "environment": environment,
            "policy": PolicySpec(kind="script"),
        }
        | fields
    )


def captured(text: str, received: dict[str, int], **fields: Any) -> dict[str, Any]:
    digest = hashlib.sha256(text.encode()).hexdigest()
    return {"renderer": RENDERER, "received": received, "sha256": digest, "settled_by": "prompt"} | fields


def action(text: str = "ls", **fields: Any) -> dict[str, Any]:
    return {"kind": "keystrokes", "text": text} | fields


class Written:
    """A tape written event by event."""

    def __init__(self, lake: Path, trajectory_id: str = "one", **fields: Any) -> None:
        self.tape = TapeWriter.create(lake, header(trajectory_id, **fields), durability="none")
        self.received: dict[str, int] = {}
        self.screen = ""

    def data(self, text: str) -> None:
        self.tape("pty", text.encode(), 0)
        self.received["pty"] = self.received.get("pty", 0) + len(text.encode())
        self.screen += text.replace("\r", "")

    def captured(self, step: int | None, **fields: Any) -> None:
        shown = "\n".join(line.rstrip(" ") for line in self.screen.split("\n")).rstrip("\n")
        self.tape.append(EventKind.CAPTURED, captured(shown, dict(self.received), **fields), step=step)

    def ready(self, **fields: Any) -> None:
        environment = {"kind": "terminal", "backend": "local"}
        found = {"environment": environment, "initial_state": {"probes": {"cwd": "/"}}} | fields
        self.tape.append(EventKind.READY, found)
        self.captured(None)

    def step(self, step: int, output: str = "x\r\n", **result: Any) -> None:
        self.tape.append(EventKind.ACTION, action(f"run {step}"), step=step)
        self.data(output)
        self.captured(step)
        whole = {"outcome": {"status": "ok", "exit_code": 0}, "timing": {"duration_ms": 1.5}} | result
        self.tape.append(EventKind.RESULT, whole, step=step)

    def seal(self) -> None:
        self.tape.seal(End(status=EndStatus.COMPLETED))


def killed_in_the_middle(code: str, *arguments: str, after: int) -> None:
    """Run Python code that prints a line per finished part, and kill it after some of them."""
    command = [sys.executable, "-c", code, *arguments]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        for _ in range(after):
            assert process.stdout.readline()
        process.kill()
