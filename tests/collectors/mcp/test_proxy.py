"""The recording proxy as a program: it changes nothing, and what passed is on the tape, whoever dies."""

from __future__ import annotations

import json
import os
import random
import signal
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import IO, Any, Self

import pytest

from tests.collectors.mcp._run import alive, in_loop, until_gone
from tests.collectors.mcp.test_client import rows
from tests.collectors.mcp.test_client_failures import frames, tape
from worldtape.collectors.mcp import Mcp, McpConfig, Sampling, resource_read, tool_call
from worldtape.pipelines.record import open_recorder
from worldtape.schemas import Status
from worldtape.storage import recover_tapes

Server = Callable[..., McpConfig]


def command(lake: Path, *server: str, more: tuple[str, ...] = ()) -> list[str]:
    return [sys.executable, "-m", "worldtape", "proxy", "--lake", str(lake), *more, "--", *server]


def sh(script: str) -> tuple[str, ...]:
    return ("sh", "-c", script)


@pytest.mark.parametrize("durability", ["none", "action", "event"])
def test_bytes_pass_unchanged(tmp_path: Path, durability: str) -> None:
    there = random.Random(1).randbytes(3_000_000) + b'\n{"jsonrpc":"2.0"}\r\n\xff\x00'
    run = command(tmp_path, *sh("cat; printf 'oops\\377' >&2; exit 3"), more=("--durability", durability))
    done = subprocess.run(run, input=there, capture_output=True, check=False, timeout=60)
    assert done.returncode == 3
    assert done.stdout == there
    assert done.stderr == b"oops\xff"
    assert frames(tmp_path, "mcp.out") == there
    assert frames(tmp_path, "mcp.in") == there
    assert frames(tmp_path, "mcp.err") == b"oops\xff"
    assert [event.data for event in tape(tmp_path)[-2:]] == [
        {"code": "server_exit", "exit_code": 3},
        {"status": "completed", "reason": "the server exited with 3", "reward": None, "steps": 0},
    ]
    assert rows(tmp_path) == []


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGKILL, signal.SIGINT])
def test_the_end_of_the_server_is_ours(tmp_path: Path, number: int) -> None:
    with Running(command(tmp_path, *sh(f"read x; kill -{int(number)} $$"))) as proxy:
        proxy.write(b"go\n")
        assert proxy.popen.wait(30) == -number
    assert tape(tmp_path)[-2].data == {"code": "server_exit", "signal": number}


def test_signals_are_passed_on(tmp_path: Path) -> None:
    script = "trap 'echo term; exit 5' TERM; echo ready; while :; do sleep 0.05; done"
    with Running(command(tmp_path, *sh(script))) as proxy:
        assert proxy.line() == b"ready\n"
        proxy.popen.send_signal(signal.SIGTERM)
        assert proxy.line() == b"term\n"
        assert proxy.popen.wait(30) == 5


def test_a_server_that_does_not_start(tmp_path: Path) -> None:
    done = subprocess.run(command(tmp_path, "no-such-program"), capture_output=True, check=False, timeout=60)
    assert done.returncode == 1
    assert done.stderr.startswith(b"worldtape: no-such-program: the server cannot be started")
    assert tape(tmp_path)[-1].data["status"] == "failed"


@in_loop
async def test_a_client_and_a_server_of_others(npm_server: Callable[[str], str], tmp_path: Path) -> None:
    run = command(tmp_path / "proxied", npm_server("server-everything"), "stdio")
    config = McpConfig(command=run[0], args=tuple(run[1:]), sampling=Sampling(answer="text"), roots=("{workdir}",))
    async with open_recorder(Mcp(config), tmp_path / "direct") as recorder:
        await recorder.step(tool_call("echo", {"message": "hi"}))
        await recorder.step(tool_call("trigger-sampling-request", {"prompt": "?"}))
        await recorder.step(tool_call("get-tiny-image"))
        await recorder.step(resource_read("demo://nowhere"))
        await recorder.step(tool_call("no-such-tool"))
        slow = tool_call("trigger-long-running-operation", {"duration": 60, "steps": 3}, timeout_s=0.2)
        await recorder.step(slow)
    ours, seen = rows(tmp_path / "direct"), rows(tmp_path / "proxied")
    for column in ("action_name", "arguments", "action_text", "parts"):
        assert [row[column] for row in seen] == [row[column] for row in ours]
    assert [row["observation_text"] or "" for row in seen] == [row["observation_text"] for row in ours]
    assert [row["status"] for row in ours] == ["ok", "ok", "ok", "protocol_error", "tool_error", "timeout_killed"]
    assert [row["status"] for row in seen] == ["ok", "ok", "ok", "protocol_error", "tool_error", "interrupted"]
    assert seen[-1]["observation_text"] is None


def test_the_server_dies_in_a_call(server: Server, tmp_path: Path) -> None:
    with Running(command(tmp_path / "lake", *argv(server(HANGS)))) as proxy:
        pid = proxy.call()
        os.kill(pid, signal.SIGKILL)
        assert proxy.popen.wait(30) == -signal.SIGKILL
    (row,) = rows(tmp_path / "lake")
    assert (row["status"], row["observation_text"]) == (Status.ENV_ERROR, None)
    assert tape(tmp_path / "lake")[-1].data["status"] == "env_ended"


def test_the_proxy_dies_in_a_call(server: Server, tmp_path: Path) -> None:
    lake = tmp_path / "lake"
    with Running(command(lake, *argv(server(HANGS)))) as proxy:
        pid = proxy.call()
        proxy.popen.kill()
        proxy.popen.wait(30)
        passed_there, passed_back = bytes(proxy.sent), bytes(proxy.read)
    recover_tapes(lake)
    assert frames(lake, "mcp.out") == passed_there
    assert frames(lake, "mcp.in") == passed_back
    (row,) = rows(lake)
    assert row["status"] == Status.UNKNOWN
    assert "tail_missing" in row["lossiness"]
    assert tape(lake)[-1].data["status"] == "interrupted"
    until_gone(pid)


def test_the_client_dies_in_a_call(server: Server, tmp_path: Path) -> None:
    with Running(command(tmp_path / "lake", *argv(server(HANGS)))) as proxy:
        pid = proxy.call()
        proxy.stdin.close()
        proxy.stdout.close()
        assert proxy.popen.wait(30) == -signal.SIGTERM
    assert not alive(pid)
    assert rows(tmp_path / "lake")[0]["status"] == Status.ENV_ERROR


HANGS = """
def answer(message):
    sys.stderr.write(f"{os.getpid()}\\n")
    sys.stderr.flush()
    time.sleep(600)
"""


def argv(config: McpConfig) -> list[str]:
    return [config.command or "", *config.args]


class Running:
    """A proxy with a client that writes and reads by hand."""

    def __init__(self, run: list[str]) -> None:
        pipe = subprocess.PIPE
        self.popen = subprocess.Popen(run, stdin=pipe, stdout=pipe, stderr=pipe, bufsize=0)
        self.sent, self.read, self.at = bytearray(), bytearray(), 0

    @property
    def stdin(self) -> IO[bytes]:
        assert self.popen.stdin is not None
        return self.popen.stdin

    @property
    def stdout(self) -> IO[bytes]:
        assert self.popen.stdout is not None
        return self.popen.stdout

    def write(self, data: bytes) -> None:
        self.stdin.write(data)
        self.sent += data

    def line(self) -> bytes:
        while (end := self.read.find(b"\n", self.at)) < 0:
            data = os.read(self.stdout.fileno(), 1 << 20)
            assert data, "the proxy has ended"
            self.read += data
        line = bytes(self.read[self.at : end + 1])
        self.at = end + 1
        return line

    def ask(self, method: str, number: int, **params: Any) -> dict[str, Any]:
        self.say(method, number, **params)
        answer: dict[str, Any] = json.loads(self.line())
        return answer

    def say(self, method: str, number: int, **params: Any) -> None:
        self.write(json.dumps({"jsonrpc": "2.0", "id": number, "method": method, "params": params}).encode() + b"\n")

    def call(self) -> int:
        """Shake hands and call the server's tool, which tells its pid on stderr and hangs."""
        client = {"name": "c", "version": "1"}
        self.ask("initialize", 1, protocolVersion="2025-11-25", capabilities={}, clientInfo=client)
        self.ask("tools/list", 2)
        self.say("tools/call", 3, name="t", arguments={"x": 1})
        assert self.popen.stderr is not None
        return int(self.popen.stderr.readline())

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        if self.popen.poll() is None:
            self.popen.kill()
        self.popen.wait(30)
        for pipe in (self.popen.stdin, self.popen.stdout, self.popen.stderr):
            if pipe is not None:
                pipe.close()
