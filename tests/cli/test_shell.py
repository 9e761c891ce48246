"""`worldtape shell`, at a real terminal and at a pipe."""

from __future__ import annotations

import fcntl
import json
import os
import pty
import re
import select
import struct
import subprocess
import sys
import termios
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from tests._sandboxes import need_namespaces
from worldtape.schemas import EventKind
from worldtape.storage import TapeReader, find_tapes

COMMAND = [sys.executable, "-m", "worldtape", "shell"]
WITH_TERMINAL = (
    "import fcntl, os, sys, termios; fcntl.ioctl(0, termios.TIOCSCTTY, 0); os.execv(sys.argv[1], sys.argv[1:])"
)
"""A new session takes its standard input as its terminal, then becomes the command."""
PATIENCE_S = 20
pytestmark = pytest.mark.sandbox


@pytest.fixture(autouse=True)
def _local() -> None:
    need_namespaces()


class Person:
    """Sits at a terminal: types, and waits for what should appear."""

    def __init__(self, fd: int) -> None:
        self.fd = fd
        self.seen = b""

    def type(self, keys: str) -> None:
        self.seen = b""
        os.write(self.fd, keys.encode())

    def wait_for(self, pattern: str) -> None:
        until = time.monotonic() + PATIENCE_S
        while not re.search(pattern.encode(), self.seen, re.DOTALL):
            assert time.monotonic() < until, f"never saw {pattern!r} in {self.seen!r}"
            if select.select([self.fd], [], [], 1)[0]:
                try:
                    self.seen += os.read(self.fd, 65536)
                except OSError as error:
                    raise AssertionError(f"ended without {pattern!r}: {self.seen!r}") from error

    def resize(self, cols: int, rows: int) -> None:
        fcntl.ioctl(self.fd, termios.TIOCSWINSZ, struct.pack("HHHH", rows, cols, 0, 0))


@contextmanager
def at_terminal(lake: Path) -> Iterator[tuple[Person, subprocess.Popen[bytes], int]]:
    person_fd, fd = pty.openpty()
    person = Person(person_fd)
    person.resize(90, 24)
    process = subprocess.Popen(
        [sys.executable, "-c", WITH_TERMINAL, *COMMAND, "--lake", str(lake)],
        stdin=fd,
        stdout=fd,
        stderr=fd,
        start_new_session=True,
    )
    try:
        yield person, process, fd
    finally:
        process.kill()
        process.wait()
        os.close(person_fd)
        os.close(fd)


def read(lake: Path) -> tuple[dict[str, Any], list[tuple[list[str], dict[str, Any], dict[str, Any]]], dict[str, Any]]:
    """Return the header, every action's keys with its payload and result, and the end."""
    (path,) = find_tapes(lake)
    reader = TapeReader(path)
    assert reader.sealed
    actions: dict[int, dict[str, Any]] = {}
    results: dict[int, dict[str, Any]] = {}
    end: dict[str, Any] = {}
    for event in reader.events():
        if event.kind == EventKind.ACTION and event.step is not None:
            actions[event.step] = dict(event.data)
        elif event.kind == EventKind.RESULT and event.step is not None:
            results[event.step] = dict(event.data)
        elif event.kind == EventKind.END:
            end = dict(event.data)
    turns = [(_keys(action), action, results[step]) for step, action in actions.items()]
    return reader.header, turns, end


def _keys(action: dict[str, Any]) -> list[str]:
    value = json.loads(action["text"])
    return [item["keystrokes"] for item in value] if isinstance(value, list) else [json.dumps(value)]


def test_a_person_at_a_terminal(tmp_path: Path) -> None:
    with at_terminal(tmp_path) as (person, process, fd):
        person.wait_for(r"recording to .*Ctrl-D ends it.*\$ ")
        person.type("echo 4$((1+1))\r")
        person.wait_for(r"42\r\n.*\$ ")
        assert b"\x1b]877" not in person.seen
        person.type("ls /nope\x7fe\r")
        person.wait_for("cannot access.*\\$ ")
        person.resize(100, 30)
        person.type("sleep 99\r")
        person.wait_for("sleep 99\r\n")
        person.type("\x03")
        person.wait_for(r"\^C.*\$ ")
        person.type("stty size\r")
        person.wait_for(r"30 100\r\n.*\$ ")
        assert termios.tcgetattr(fd)[3] & termios.ICANON == 0
        person.type("exit 3\r")
        person.wait_for(r"actions recorded \(env_ended\): .*zst")
        assert process.wait(PATIENCE_S) == 0
        assert termios.tcgetattr(fd)[3] & termios.ICANON
    header, turns, end = read(tmp_path)
    assert header["policy"]["kind"] == "human"
    assert (header["environment"]["parameters"]["cols"], header["environment"]["parameters"]["rows"]) == (90, 24)
    keys = [keys for keys, _, _ in turns]
    typed = [key for key in keys if "cols" not in key[0]]
    assert typed == [
        ["echo 4$((1+1))\n"],
        ["ls /nope", "BSpace", "e\n"],
        ["sleep 99\n"],
        ["C-c"],
        ["stty size\n"],
        ["exit 3\n"],
    ]
    assert '{"cols": 100, "rows": 30}' in [key[0] for key in keys]
    found = {key[0]: result["outcome"] for key, _, result in turns}
    assert found["echo 4$((1+1))\n"]["exit_code"] == 0
    assert found["ls /nope"]["status"] == "tool_error"
    assert found["sleep 99\n"]["status"] == "timeout_still_running"
    assert found["C-c"]["exit_code"] == 130
    assert end["status"] == "env_ended"
    assert {action["actor"] for _, action, _ in turns} == {"human"}


def test_a_person_in_an_editor(tmp_path: Path) -> None:
    with at_terminal(tmp_path) as (person, process, _):
        person.wait_for(r"\$ ")
        person.type("python3 -q\r")
        person.wait_for(">>> ")
        person.type("6*7\r")
        person.wait_for("42\r\n>>> ")
        person.type("\x04")
        person.wait_for(r"\$ ")
        person.type("\x04")
        person.wait_for("actions recorded")
        assert process.wait(PATIENCE_S) == 0
    _, turns, _ = read(tmp_path)
    assert [keys for keys, _, _ in turns] == [["python3 -q\n"], ["6*7\n"], ["C-d"], ["C-d"]]


def test_a_terminal_that_is_closed_seals_the_tape(tmp_path: Path) -> None:
    with at_terminal(tmp_path) as (person, process, fd):
        person.wait_for(r"\$ ")
        person.type("echo $((3*5))\r")
        person.wait_for(r"15\r\n.*\$ ")
        os.close(person.fd)
        process.wait(PATIENCE_S)
        person.fd = os.dup(fd)
    _, turns, end = read(tmp_path)
    assert [keys for keys, _, _ in turns] == [["echo $((3*5))\n"]]
    assert end["status"] == "completed"


def test_lines_from_a_pipe_are_actions(tmp_path: Path) -> None:
    lines = 'echo 4$((1+1))\n[{"keystrokes": "sleep 9\\n", "duration": 0.1}]\n[{"keystrokes": "C-c"}]\ncat /nope\n'
    done = subprocess.run(
        [*COMMAND, "--lake", str(tmp_path)], input=lines, capture_output=True, text=True, check=True, timeout=PATIENCE_S
    )
    assert done.stdout.splitlines().count("42") == 1, "only new rows are printed"
    assert done.stderr.startswith("recording to ")
    assert "4 actions recorded (completed)" in done.stderr
    assert str(tmp_path) in done.stderr
    _, turns, end = read(tmp_path)
    assert [result["outcome"]["status"] for _, _, result in turns] == [
        "ok",
        "timeout_still_running",
        "interrupted",
        "tool_error",
    ]
    assert end["status"] == "completed"


@pytest.mark.parametrize("words", [["--sandbox", "foo"], ["--image", "docker.io/debian"]])
def test_a_wrong_sandbox_is_one_clear_line(tmp_path: Path, words: list[str]) -> None:
    done = subprocess.run(
        [*COMMAND, "--lake", str(tmp_path), *words],
        capture_output=True,
        text=True,
        check=False,
        stdin=subprocess.DEVNULL,
    )
    assert done.returncode == 1
    assert done.stderr.count("\n") == 1
    assert "docker" in done.stderr
