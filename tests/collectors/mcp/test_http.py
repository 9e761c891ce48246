"""Streamable HTTP: as its client, and with the proxy in between."""

from __future__ import annotations

import asyncio
import os
import random
import signal
import socket
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import pytest

from tests.collectors.mcp._run import in_loop
from tests.collectors.mcp.test_client import rows
from tests.collectors.mcp.test_client_failures import frames
from worldtape.collectors.mcp import Mcp, McpConfig, Sampling, resource_read, tool_call
from worldtape.collectors.mcp._sse import Events
from worldtape.errors import ComponentError
from worldtape.pipelines.record import open_recorder
from worldtape.schemas import Status
from worldtape.storage import Lake, TapeReader


@contextmanager
def everything(program: str) -> Iterator[tuple[str, subprocess.Popen[bytes]]]:
    """Run server-everything over HTTP."""
    with socket.create_server(("127.0.0.1", 0)) as free:
        port = free.getsockname()[1]
    nowhere = subprocess.DEVNULL
    run = subprocess.Popen(
        [program, "streamableHttp"], env=os.environ | {"PORT": str(port)}, stdout=nowhere, stderr=subprocess.PIPE
    )
    assert run.stderr is not None
    try:
        while b"listening" not in (line := run.stderr.readline()):
            assert line, "the server has ended"
        drain = threading.Thread(target=run.stderr.read)
        drain.start()
        yield f"http://127.0.0.1:{port}/mcp", run
    finally:
        run.kill()
        run.wait(30)
        drain.join()
        run.stderr.close()


@contextmanager
def proxied(lake: Path, url: str) -> Iterator[str]:
    """Run `worldtape proxy --http`."""
    argv = [sys.executable, "-m", "worldtape", "proxy", "--lake", str(lake), "--http", url]
    run = subprocess.Popen(argv, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)
    assert run.stderr is not None
    try:
        said = run.stderr.readline()
        assert " at http://" in said, said
        yield said.rpartition(" at ")[2].strip()
        run.send_signal(signal.SIGINT)
        run.wait(30)
    finally:
        run.kill()
        run.wait(30)
        run.stderr.close()


CALLS = (
    tool_call("echo", {"message": "hi"}),
    tool_call("trigger-sampling-request", {"prompt": "?"}),
    tool_call("get-tiny-image"),
    resource_read("demo://nowhere"),
    tool_call("no-such-tool"),
    tool_call("trigger-long-running-operation", {"duration": 60, "steps": 3}, timeout_s=0.3),
)


def test_client_and_proxy(npm_server: Callable[[str], str], tmp_path: Path) -> None:
    async def scenario(url: str) -> None:
        config = McpConfig(url=url, sampling=Sampling(answer="text"), headers={"authorization": "Bearer s3cret"})
        async with open_recorder(Mcp(config), tmp_path / "direct") as recorder:
            for call in CALLS:
                await recorder.step(call)

    with everything(npm_server("server-everything")) as (url, _), proxied(tmp_path / "proxied", url) as ours:
        asyncio.run(scenario(ours))
    ours_rows, seen = rows(tmp_path / "direct"), rows(tmp_path / "proxied")
    statuses = ["ok", "ok", "ok", "protocol_error", "tool_error", "timeout_killed"]
    assert [row["status"] for row in ours_rows] == statuses
    assert [row["status"] for row in seen] == [*statuses[:-1], "interrupted"]
    assert [row["action_text"] for row in seen] == [row["action_text"] for row in ours_rows]
    assert [row["observation_text"] or "" for row in seen] == [row["observation_text"] for row in ours_rows]
    for lake in ("direct", "proxied"):
        assert b"s3cret" not in frames(tmp_path / lake, "mcp.http")
        assert b'"authorization":"***"' in frames(tmp_path / lake, "mcp.http")
    assert len(list(Lake.open(tmp_path / "proxied").tapes())) == 1


def test_a_server_that_goes_away(npm_server: Callable[[str], str], tmp_path: Path) -> None:
    async def scenario(url: str, run: subprocess.Popen[bytes]) -> None:
        async with open_recorder(Mcp(McpConfig(url=url)), tmp_path) as recorder:
            await recorder.step(tool_call("echo", {"message": "hi"}))
            run.kill()
            run.wait(30)
            await recorder.step(tool_call("echo", {"message": "hi"}))
            assert recorder.last.outcome.status is Status.ENV_ERROR
            assert recorder.end is not None

    with everything(npm_server("server-everything")) as (url, run):
        asyncio.run(scenario(url, run))
    assert [row["status"] for row in rows(tmp_path)] == ["ok", "env_error"]


def test_a_server_killed_in_a_call(npm_server: Callable[[str], str], tmp_path: Path) -> None:
    async def scenario(url: str, run: subprocess.Popen[bytes]) -> None:
        environment = Mcp(McpConfig(url=url, timeout_s=20))
        async with open_recorder(environment, tmp_path) as recorder:
            call = asyncio.create_task(recorder.step(CALLS[-1].model_copy(update={"timeout_s": None})))
            while not environment._wire.result._open:  # noqa: ASYNC110  # the call is on its way
                await asyncio.sleep(0)
            run.kill()
            await call
            assert recorder.last.outcome.status is Status.ENV_ERROR

    with everything(npm_server("server-everything")) as (url, run):
        asyncio.run(scenario(url, run))
    assert [row["status"] for row in rows(tmp_path)] == ["env_error"]


class Failing(BaseHTTPRequestHandler):
    """Shakes hands, then answers every call as its tool's name says."""

    def do_POST(self) -> None:
        import json

        message = json.loads(self.rfile.read(int(self.headers["content-length"])))
        method = message.get("method")
        if method == "initialize":
            version = message["params"]["protocolVersion"]
            info = {"name": "failing", "version": "1"}
            self._json({"protocolVersion": version, "capabilities": {}, "serverInfo": info}, message["id"])
        elif "id" not in message:
            self._say(202, b"", "text/plain")
        else:
            how = message["params"]["name"]
            if how == "500":
                self._say(500, b"<h1>Internal\nerror</h1>", "text/html")
            elif how == "pretty":
                found = {
                    "jsonrpc": "2.0",
                    "id": message["id"],
                    "result": {"content": [{"type": "text", "text": "a\nb"}]},
                }
                self._say(200, json.dumps(found, indent=2).encode(), "application/json")
            else:
                error = {"jsonrpc": "2.0", "id": message["id"], "error": {"code": -32602, "message": "no"}}
                self._say(400, json.dumps(error).encode(), "application/json")

    def do_GET(self) -> None:
        self._say(405, b"", "text/plain")

    def _json(self, result: Any, number: Any) -> None:
        import json

        self._say(200, json.dumps({"jsonrpc": "2.0", "id": number, "result": result}).encode(), "application/json")

    def _say(self, status: int, body: bytes, kind: str) -> None:
        self.send_response(status)
        self.send_header("content-type", kind)
        self.send_header("content-length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_: Any) -> None:
        """Say nothing."""


@contextmanager
def failing(handler: type[Failing] = Failing) -> Iterator[str]:
    """Run a `Failing`, and give its address."""
    with ThreadingHTTPServer(("127.0.0.1", 0), handler) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        yield f"http://127.0.0.1:{server.server_port}/mcp"
        server.shutdown()


@in_loop
async def test_http_errors(tmp_path: Path) -> None:
    with failing() as url:
        async with open_recorder(Mcp(McpConfig(url=url)), tmp_path) as recorder:
            found = []
            for name in ("500", "pretty", "400"):
                text = (await recorder.step(tool_call(name))).text
                error = recorder.last.outcome.error
                found.append((text, recorder.last.outcome.status, None if error is None else error.code))
    assert found == [
        ("", Status.ENV_ERROR, 500),
        ("a\nb", Status.OK, None),
        ('{"code":-32602,"message":"no"}', Status.PROTOCOL_ERROR, -32602),
    ]
    assert b"<h1>Internal error</h1>\n" in frames(tmp_path, "mcp.in")
    assert [row["observation_text"] for row in rows(tmp_path)] == [text for text, _, _ in found]


@in_loop
async def test_nobody_listens(tmp_path: Path) -> None:
    with socket.create_server(("127.0.0.1", 0)) as free:
        port = free.getsockname()[1]
    with pytest.raises(ComponentError, match=r"the server cannot be used: .*ConnectError: "):
        async with open_recorder(Mcp(McpConfig(url=f"http://127.0.0.1:{port}/mcp")), tmp_path):
            pass


def test_a_server_that_does_not_let_go_is_left(tmp_path: Path) -> None:
    let_go = threading.Event()

    class Clinging(Failing):
        def do_DELETE(self) -> None:
            let_go.wait(60)

        def end_headers(self) -> None:
            self.send_header("mcp-session-id", "one")
            super().end_headers()

    async def scenario(url: str) -> None:
        async with open_recorder(Mcp(McpConfig(url=url)), tmp_path) as recorder:
            await recorder.step(tool_call("pretty"))
        assert not let_go.is_set()

    with failing(Clinging) as url:
        timer = threading.Timer(30, let_go.set)
        timer.start()
        asyncio.run(scenario(url))
        timer.cancel()
        let_go.set()
    assert [row["status"] for row in rows(tmp_path)] == ["ok"]


def test_no_secret_stands_on_a_tape(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    async def scenario(url: str) -> None:
        secret = url.replace("//", "//user:s3cret-1@") + "?apiKey=s3cret-2&exa=s3cret-3"
        monkeypatch.setenv("TOKEN", "s3cret-4")
        headers = {"authorization": "Bearer s3cret-5", "x-of-mine": "s3cret-6"}
        config = McpConfig(url=secret, headers=headers, headers_from={"x-subscription-token": "TOKEN"})
        async with open_recorder(Mcp(config), tmp_path / "direct") as recorder:
            await recorder.step(tool_call("pretty"))

    with failing() as url, proxied(tmp_path / "proxied", url + "?key=s3cret-7") as ours:
        asyncio.run(scenario(ours.partition("?")[0]))
    for lake in ("direct", "proxied"):
        (found,) = Lake.open(tmp_path / lake).tapes()
        whole = "".join(str(event.data) for event in TapeReader(found.path).events())
        assert "s3cret" not in whole + frames(tmp_path / lake, "mcp.http").decode()
        assert "apiKey=***&exa=***" in frames(tmp_path / lake, "mcp.http").decode()


@pytest.mark.parametrize("seed", range(20))
def test_events_are_cut_anywhere(seed: int) -> None:
    chosen = random.Random(seed)
    breaks = [b"\n", b"\r\n", b"\r"]
    stream, expected = b"", []
    for number in range(30):
        line = chosen.choice(breaks[:2] if seed % 2 else [breaks[seed % 3]])
        text = b"x" * chosen.randint(0, 5) + b"%d" % number
        stream += b"event: message" + line + b": a comment" + line + b"data: " + text + line + b"data:y" + line + line
        expected.append(text + b"\ny")
    events, found, passed = Events(), [], b""
    rest = stream
    while rest:
        end = chosen.randint(1, 9)
        whole = events.feed(rest[:end])
        found += [event.data for event in whole.events]
        passed += whole.data
        rest = rest[end:]
    assert found == expected
    assert passed + events.rest() == stream
