"""How fast is a recorded terminal? Against SWE-ReX, against a bare PTY loop, one sandbox against another.

    python benchmarks/terminal.py [--quick] [--no-peer]

Prints a table for people and, last, one JSON line; exits with 1 where a bar does not hold. `--quick` measures less and
needs a third of each bar, so that it tells a regression and not a noisy machine; what was needed is printed.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import multiprocessing
import os
import platform
import pty
import resource
import select
import shutil
import statistics
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Callable
from concurrent.futures import ProcessPoolExecutor
from importlib.metadata import version
from pathlib import Path
from typing import Self

from worldtape.collectors.recorder import Recorder, make_header
from worldtape.collectors.terminal import Terminal, TerminalConfig
from worldtape.storage import TapeWriter

QUICK = (
    "echo {}", "pwd", "ls /", "cat /etc/hostname", "true", "date +%s", "wc -l /etc/passwd", "head -n 2 /etc/passwd",
    "expr {} + 1", "basename /a/{}", "seq {}", "id -un",
)  # fmt: skip
"""Quick commands of a session, in turns: five that the shell knows itself and seven programs."""
PEER = "swe-rex==1.4.0"
PEER_TRIES = 5  # its shell must start within a second, which a busy machine does not always grant
PEER_CODE = """
import asyncio, json, sys, time
began = time.perf_counter()
from swerex.runtime.abstract import BashAction, CreateBashSessionRequest
from swerex.runtime.local import LocalRuntime
async def main(commands):
    runtime = LocalRuntime()
    await runtime.create_session(CreateBashSessionRequest())
    start = time.perf_counter() - began
    began_steps = time.perf_counter()
    for command in commands:
        answer = await runtime.run_in_session(BashAction(command=command))
        assert answer.exit_code == 0
    took = time.perf_counter() - began_steps
    await runtime.close()
    print(json.dumps({"rate": len(commands) / took, "start_s": start}))
asyncio.run(main(json.loads(sys.argv[1])))
"""


def peer_python() -> str:
    """Return the interpreter of the peer's own environment, made on first use and kept."""
    cache = Path(os.environ.get("XDG_CACHE_HOME", Path.home() / ".cache")) / "worldtape" / "benchmarks"
    folder = cache / f"{PEER.replace('==', '-')}-py{platform.python_version()}"
    python = folder / "bin" / "python"
    if not (folder / "ready").exists():
        print(f"installing {PEER} into {folder}", file=sys.stderr)
        subprocess.run([sys.executable, "-m", "venv", "--clear", str(folder)], check=True)
        subprocess.run([str(python), "-m", "pip", "install", "-qq", PEER], check=True)
        (folder / "ready").touch()
    return str(python)


def quick(steps: int) -> list[str]:
    return [QUICK[step % len(QUICK)].format(step + 1) for step in range(steps)]


def peer(commands: list[str]) -> tuple[float, float]:
    given = [peer_python(), "-c", PEER_CODE, json.dumps(commands)]
    for _ in range(PEER_TRIES):
        done = subprocess.run(given, check=False, capture_output=True, text=True)
        if done.returncode == 0:
            break
        said = done.stderr.strip().rpartition("\n")[2]
        print(f"{PEER} failed and is tried again: {said}", file=sys.stderr)
    else:
        raise SystemExit(f"{PEER} failed {PEER_TRIES} times")
    found = json.loads(done.stdout.strip().splitlines()[-1])
    return found["rate"], found["start_s"]


def bare(commands: list[str]) -> float:
    """Return the commands per second of the least that can be done: write a line, read up to the next prompt."""
    pid, fd = pty.fork()
    if pid == 0:
        os.execvpe("bash", ["bash", "--norc", "-i"], {"PATH": os.environ["PATH"], "PS1": "<prompt>", "TERM": "dumb"})
    try:
        _until(fd, b"<prompt>")
        began = time.perf_counter()
        for command in commands:
            os.write(fd, command.encode() + b"\n")
            _until(fd, b"<prompt>")
        return len(commands) / (time.perf_counter() - began)
    finally:
        os.close(fd)
        os.kill(pid, 9)
        os.waitpid(pid, 0)


def _until(fd: int, mark: bytes) -> None:
    said = b""
    while not said.endswith(mark):
        select.select([fd], [], [])
        said += os.read(fd, 65536)


async def session(sandbox: str, commands: list[str], durability: str) -> tuple[float, float, float]:
    """Return steps per second, seconds of start-up, and the recorder's own CPU milliseconds per step."""
    lake = tempfile.mkdtemp(prefix="lake-")
    try:
        began = time.perf_counter()
        terminal = Terminal(TerminalConfig(sandbox=sandbox))
        tape = TapeWriter.create(lake, make_header(terminal), durability=durability)
        async with Recorder(terminal, tape) as recorder:
            start = time.perf_counter() - began
            began, spent = time.perf_counter(), time.process_time()
            for command in commands:
                await recorder.step([{"keystrokes": command + "\n"}])
                assert recorder.last.outcome.exit_code == 0, command
            took, spent = time.perf_counter() - began, time.process_time() - spent
            return len(commands) / took, start, spent * 1e3 / len(commands)
    finally:
        shutil.rmtree(lake)


def recorded(sandbox: str, commands: list[str], durability: str = "action") -> tuple[float, float, float]:
    return asyncio.run(session(sandbox, commands, durability))


def _share(sandbox: str, sessions: int, steps: int) -> list[tuple[float, float]]:
    """Run `sessions` at once; return begin and end of the steps of each (wall clock, seconds)."""

    async def one(up: asyncio.Barrier, go: asyncio.Barrier, down: asyncio.Barrier) -> tuple[float, float]:
        terminal = Terminal(TerminalConfig(sandbox=sandbox))
        lake = tempfile.mkdtemp(prefix="lake-")
        try:
            tape = TapeWriter.create(lake, make_header(terminal))
            async with Recorder(terminal, tape) as recorder:
                if await up.wait() == 0:
                    await asyncio.to_thread(MEETING[0].wait, 60)
                await go.wait()
                began = time.time()
                for command in quick(steps):
                    await recorder.step([{"keystrokes": command + "\n"}])
                ended = time.time()
                if await down.wait() == 0:  # no container is removed while others are measured
                    await asyncio.to_thread(MEETING[0].wait, 60)
                return began, ended
        finally:
            shutil.rmtree(lake)

    async def run() -> list[tuple[float, float]]:
        up, go, down = (asyncio.Barrier(sessions) for _ in range(3))
        async with asyncio.TaskGroup() as group:
            running = [group.create_task(one(up, go, down)) for _ in range(sessions)]
        return [task.result() for task in running]

    return asyncio.run(run())


MEETING: list[threading.Barrier] = []


def _meet(barrier: threading.Barrier) -> None:
    """Keep what all workers wait for once their sandboxes are up."""
    MEETING[:] = [barrier]


def at_once(sandbox: str, sessions: int, steps: int, workers: int) -> float:
    """Return the steps per second of `sessions` sandboxes together, spread over `workers` processes."""
    context = multiprocessing.get_context("spawn")
    with ProcessPoolExecutor(workers, context, _meet, (context.Barrier(workers),)) as pool:
        shares = [pool.submit(_share, sandbox, sessions // workers, steps) for _ in range(workers)]
        spans = [span for share in shares for span in share.result()]
    return sessions * steps / (max(end for _, end in spans) - min(begin for begin, _ in spans))


def memory_growth(sandbox: str, size: int) -> tuple[float, float]:
    """Return by how many MB the process tree grew while a session printed `size` bytes, and MB per second."""
    lake = tempfile.mkdtemp(prefix="lake-")

    async def run() -> tuple[float, float]:
        terminal = Terminal(TerminalConfig(sandbox=sandbox, timeout_s=3600))
        tape = TapeWriter.create(lake, make_header(terminal))
        async with Recorder(terminal, tape) as recorder:
            await recorder.step([{"keystrokes": "stty -opost; seq 100000\n"}])
            with Peak() as peak:
                began = time.perf_counter()
                await recorder.step([{"keystrokes": f"seq 1 1000000000 | head -c {size}\n"}])
                took = time.perf_counter() - began
            received = recorder.last.observation.received["pty"]
            assert received > size, f"only {received} of {size} bytes came"
            return peak.growth_mb, size / 1e6 / took

    try:
        return asyncio.run(run())
    finally:
        shutil.rmtree(lake)


def tree(pid: int) -> list[int]:
    """Return `pid` and all its descendants; a container's processes are none of them."""
    found = [pid]
    for one in found:
        try:
            tasks = list(Path(f"/proc/{one}/task").iterdir())
            found += [int(child) for task in tasks for child in (task / "children").read_text().split()]
        except OSError:
            continue  # it has ended
    return found


class Peak:
    """Watches the resident memory of this process and all its descendants together."""

    def __enter__(self) -> Self:
        self._base = self._top = self._now()
        self._stop = threading.Event()
        self._thread = threading.Thread(target=self._watch)
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._stop.set()
        self._thread.join()

    def _now(self) -> float:
        pages = 0
        for pid in tree(os.getpid()):
            try:
                pages += int(Path(f"/proc/{pid}/statm").read_text().split()[1])
            except OSError:
                continue
        return pages * resource.getpagesize() / 1e6

    def _watch(self) -> None:
        while not self._stop.wait(0.02):
            self._top = max(self._top, self._now())

    @property
    def growth_mb(self) -> float:
        return self._top - self._base


def interleaved(runs: dict[str, Callable[[], float]], rounds: int) -> dict[str, float]:
    """Return the median of each, measured in turns."""
    found: dict[str, list[float]] = {name: [] for name in runs}
    for _ in range(rounds):
        for name, run in runs.items():
            found[name].append(run())
    return {name: statistics.median(values) for name, values in found.items()}


def docker_answers() -> bool:
    return (
        shutil.which("docker") is not None
        and subprocess.run(["docker", "info"], check=False, capture_output=True).returncode == 0
    )


def measure(*, short: bool, with_peer: bool) -> dict[str, float]:
    steps, rounds = (30, 3) if short else (120, 5)
    commands, slow = quick(steps), ["sleep 0.1"] * (5 if short else 20)
    docker = docker_answers()
    more: dict[str, float] = {}

    def rate(name: str, run: Callable[[], tuple[float, ...]]) -> Callable[[], float]:
        def once() -> float:
            value, more[f"{name} start, s"], *cpu = run()
            if cpu:
                more[f"{name}, CPU of the recorder, ms a step"] = cpu[0]
            return value

        return once

    runs: dict[str, Callable[[], float]] = {
        "bare loop": lambda: bare(commands),
        "local": rate("local", lambda: recorded("local", commands)),
        "local, durability none": lambda: recorded("local", commands, "none")[0],
    }
    if docker:
        runs["docker"] = rate("docker", lambda: recorded("docker", commands))
    if with_peer:
        runs["swe-rex"] = rate("swe-rex", lambda: peer(commands))
    for run in runs.values():
        run()  # imports, caches and the page cache are warm for everyone
    figures = interleaved(runs, rounds)
    slower = interleaved({"bare": lambda: bare(slow), "ours": lambda: recorded("local", slow)[0]}, 3)
    figures["overhead on steps of 0.1 s, %"] = (slower["bare"] / slower["ours"] - 1) * 100
    if docker:
        many = interleaved(
            {
                "docker, one": lambda: at_once("docker", 1, steps, 1),
                "docker, eight in one process": lambda: at_once("docker", 8, steps, 1),
                "docker, eight in two processes": lambda: at_once("docker", 8, steps, 2),
            },
            rounds,
        )
        figures |= many
    size = 100_000_000 if short else 1_000_000_000
    figures["memory growth, MB"], figures["flood, MB/s"] = memory_growth("local", size)
    return figures | more


def bars(figures: dict[str, float], *, short: bool) -> list[dict[str, object]]:
    found: list[dict[str, object]] = []

    def bar(what: str, value: float, needed: float, *, most: bool = False) -> None:
        if short:
            needed = needed * 3 if most else needed / 3
        holds = value <= needed if most else value >= needed
        found.append({"what": what, "value": round(value, 2), "needed": needed, "holds": holds})

    if "swe-rex" in figures:
        bar("local / swe-rex", figures["local"] / figures["swe-rex"], 20)
    bar("local without durability / bare loop", figures["local, durability none"] / figures["bare loop"], 0.5)
    if "docker" in figures:
        bar("docker / local", figures["docker"] / figures["local"], 0.5)
        eight = figures["docker, eight in two processes"]
        bar("eight containers in two processes / one in one", eight / figures["docker, one"], 1.5)
    bar("overhead on steps of 0.1 s, %", figures["overhead on steps of 0.1 s, %"], 5, most=True)
    bar("memory growth, MB", figures["memory growth, MB"], 64, most=True)
    return found


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--quick", action="store_true", help="a quarter of the work, a third of each bar")
    parser.add_argument("--no-peer", action="store_true", help="leave SWE-ReX out")
    given = parser.parse_args()
    print(f"worldtape {version('worldtape')}, {PEER}, Python {platform.python_version()}, {os.cpu_count()} CPUs")
    figures = measure(short=given.quick, with_peer=not given.no_peer)
    usage = [resource.getrusage(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)]
    figures["CPU of the process tree, s"] = sum(use.ru_utime + use.ru_stime for use in usage)
    for name, value in figures.items():
        print(f"{name:50} {value:10.2f}")
    held = bars(figures, short=given.quick)
    for bar in held:
        print(f"{'holds' if bar['holds'] else 'FAILS':6} {bar['what']:50} {bar['value']:10} needed {bar['needed']}")
    rounded = {name: round(value, 3) for name, value in figures.items()}
    print(json.dumps({"name": "terminal", "figures": rounded, "bars": held}))
    return 0 if all(bar["holds"] for bar in held) else 1


if __name__ == "__main__":
    sys.exit(main())
