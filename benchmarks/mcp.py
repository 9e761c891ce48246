"""What does recording cost an MCP client? Against the bare SDK as a client, against no proxy as a proxy.

    python benchmarks/mcp.py [--quick]

The server is npm's server-everything (see docs/mcp.md for how it comes), its tool `echo`. Prints a table for people
and, last, one JSON line; exits with 1 where a bar does not hold. `--quick` measures less and needs a third of each bar.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import os
import platform
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Sequence
from importlib.metadata import version
from pathlib import Path
from typing import Self

from worldtape.collectors.mcp import Mcp, McpConfig, tool_call
from worldtape.collectors.recorder import Recorder, make_header
from worldtape.storage import Lake, TapeWriter

CACHE = Path(os.environ.get("XDG_CACHE_HOME", Path.home() / ".cache")) / "worldtape" / "npm"
SERVER = CACHE / "node_modules" / ".bin" / "mcp-server-everything"
WARM = 50
MESSAGE = "the quick brown fox jumps over the lazy dog"


class Timed(TapeWriter):
    """A tape that knows how long it waited for the disk."""

    waited = 0.0

    def sync(self) -> None:
        began = time.perf_counter()
        super().sync()
        self.waited += time.perf_counter() - began


async def bare(calls: int) -> tuple[float, float]:
    """Return milliseconds a call of the SDK's own client, and those of its CPU time."""
    from mcp import Client
    from mcp.client.stdio import StdioServerParameters, stdio_client

    with Path(os.devnull).open("w") as nowhere:  # noqa: ASYNC230
        server = stdio_client(StdioServerParameters(command=str(SERVER), args=["stdio"]), errlog=nowhere)
        async with Client(server, mode="legacy", cache=None) as client:
            await client.list_tools()
            await client.call_tool("echo", {"message": MESSAGE})
            began, spent = time.perf_counter(), time.process_time()
            for number in range(calls):
                result = await client.call_tool("echo", {"message": f"{MESSAGE} {number}"})
                assert not result.is_error
            return (time.perf_counter() - began) * 1e3 / calls, (time.process_time() - spent) * 1e3 / calls


async def recorded(calls: int, durability: str) -> tuple[float, float, float]:
    """Return milliseconds a call, those of CPU time, and those that were spent waiting for the disk."""
    lake = tempfile.mkdtemp(prefix="lake-")
    try:
        environment = Mcp(McpConfig(command=str(SERVER), args=("stdio",)))
        tape = Timed.create(lake, make_header(environment), durability=durability)
        assert isinstance(tape, Timed)
        async with Recorder(environment, tape) as recorder:
            await recorder.step(tool_call("echo", {"message": MESSAGE}))
            before = tape.waited
            began, spent = time.perf_counter(), time.process_time()
            for number in range(calls):
                await recorder.step(tool_call("echo", {"message": f"{MESSAGE} {number}"}))
                assert recorder.last.outcome.status == "ok"
            took, spent = time.perf_counter() - began, time.process_time() - spent
            return took * 1e3 / calls, spent * 1e3 / calls, (tape.waited - before) * 1e3 / calls
    finally:
        shutil.rmtree(lake)


class Raw:
    """A client by hand: it writes a line and waits for one, so that nothing but the way is measured."""

    def __init__(self, argv: Sequence[str]) -> None:
        pipe = subprocess.PIPE
        self._popen = subprocess.Popen(argv, stdin=pipe, stdout=pipe, stderr=subprocess.DEVNULL)
        self._number = 0
        hello = {"protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": {"name": "raw", "version": "1"}}
        self.ask("initialize", hello)
        self._write({"jsonrpc": "2.0", "method": "notifications/initialized"})

    def ask(self, method: str, params: dict[str, object]) -> float:
        """Return the milliseconds until the answer came."""
        self._number += 1
        message = {"jsonrpc": "2.0", "id": self._number, "method": method, "params": params}
        began = time.perf_counter()
        self._write(message)
        assert self._popen.stdout is not None
        while True:
            line = self._popen.stdout.readline()
            took = time.perf_counter() - began
            if json.loads(line).get("id") == self._number:
                return took * 1e3

    def _write(self, message: dict[str, object]) -> None:
        assert self._popen.stdin is not None
        self._popen.stdin.write(json.dumps(message).encode() + b"\n")
        self._popen.stdin.flush()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        assert self._popen.stdin is not None
        assert self._popen.stdout is not None
        self._popen.stdin.close()
        self._popen.wait(30)
        self._popen.stdout.close()


def proxied(calls: int) -> dict[str, float]:
    """Return latencies of calls that go directly and through a proxy, in turns."""
    lake = tempfile.mkdtemp(prefix="lake-")
    Lake.open(lake, create=True)
    direct = [str(SERVER), "stdio"]
    proxy = [sys.executable, "-m", "worldtape", "proxy", "--lake", lake, "--", *direct]
    times: dict[str, list[float]] = {"direct": [], "proxy": []}
    try:
        with Raw(direct) as one, Raw(proxy) as other:
            for number in range(calls + WARM):
                for name, client in (("direct", one), ("proxy", other)):
                    took = client.ask("tools/call", {"name": "echo", "arguments": {"message": f"{MESSAGE} {number}"}})
                    if number >= WARM:
                        times[name].append(took)
    finally:
        shutil.rmtree(lake)
    found = {}
    for name, values in times.items():
        cuts = statistics.quantiles(values, n=100)
        found[f"{name}, p50 ms"], found[f"{name}, p99 ms"] = cuts[49], cuts[98]
    return found


def measure(*, short: bool) -> dict[str, float]:
    calls, rounds = (300, 3) if short else (1500, 5)
    seen: dict[str, list[float]] = {}

    def keep(name: str, value: float) -> None:
        seen.setdefault(name, []).append(value)

    asyncio.run(bare(20))
    asyncio.run(recorded(20, "none"))  # imports and caches are warm for both
    for _ in range(rounds):
        took, spent = asyncio.run(bare(calls))
        keep("bare SDK, ms a call", took)
        keep("bare SDK, CPU of the client, ms a call", spent)
        took, spent, _ = asyncio.run(recorded(calls, "none"))
        keep("recorded, durability none, ms a call", took)
        keep("recorded, CPU of the client, ms a call", spent)
        took, _, waited = asyncio.run(recorded(calls, "action"))
        keep("recorded, ms a call", took)
        keep("of these waiting for the disk", waited)
        for name, value in proxied(calls).items():
            keep(name, value)
    figures = {name: statistics.median(values) for name, values in seen.items()}
    added = zip(seen["proxy, p99 ms"], seen["direct, p99 ms"], strict=True)
    figures["proxy, added at p99, ms"] = statistics.median(one - other for one, other in added)
    figures["proxy, added at p50, ms"] = figures["proxy, p50 ms"] - figures["direct, p50 ms"]
    return figures


def bars(figures: dict[str, float], *, short: bool) -> list[dict[str, object]]:
    factor = 3.0 if short else 1.0
    once = figures["bare SDK, ms a call"]
    least = 1.2 * once + figures["of these waiting for the disk"]
    wanted = (
        ("recorded, durability none / bare SDK", figures["recorded, durability none, ms a call"] / once, 1.2),
        ("recorded / (1.2 × bare SDK + fsync)", figures["recorded, ms a call"] / least, 1.0),
        ("added by the proxy at p99, ms", figures["proxy, added at p99, ms"], 2.0),
    )
    return [
        {"what": what, "value": round(value, 3), "needed": needed * factor, "holds": value <= needed * factor}
        for what, value, needed in wanted
    ]


def main() -> int:
    sys.path.remove(str(Path(__file__).resolve().parent))  # or this file would be taken for the SDK, which has its name
    parser = argparse.ArgumentParser()
    parser.add_argument("--quick", action="store_true")
    short = parser.parse_args().quick
    if not SERVER.exists():
        print(f"server-everything is missing: npm install --prefix {CACHE} @modelcontextprotocol/server-everything")
        return 1
    where = f"Python {platform.python_version()}, mcp {version('mcp')}, {os.cpu_count()} cores"
    print(f"{where}, load {os.getloadavg()[0]:.1f}")
    figures = measure(short=short)
    for name, value in figures.items():
        print(f"{name:<40} {value:10.3f}")
    found = bars(figures, short=short)
    for bar in found:
        print(f"{'holds' if bar['holds'] else 'FAILS'}  {bar['what']}: {bar['value']} (at most {bar['needed']})")
    rounded = {name: round(value, 4) for name, value in figures.items()}
    print(json.dumps({"name": "mcp", "figures": rounded, "bars": found}))
    return 0 if all(bar["holds"] for bar in found) else 1


if __name__ == "__main__":
    sys.exit(main())
