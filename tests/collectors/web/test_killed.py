"""Chromium is killed in the middle of an action."""

from __future__ import annotations

import asyncio
import os
import select
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from tests.collectors.web._server import Pages
from tests.collectors.web._visit import visit
from worldtape.collectors.recorder import Recorder
from worldtape.collectors.web import Web, WebConfig
from worldtape.schemas import EndStatus, Status
from worldtape.testing import ListTape

pytestmark = [pytest.mark.web, pytest.mark.usefixtures("chromium")]


def below(pid: int) -> dict[int, str]:
    """Every process below `pid`: pid to name."""
    parents: dict[int, tuple[int, str]] = {}
    for stat in Path("/proc").glob("[0-9]*/stat"):
        try:
            name, _, rest = stat.read_text().rpartition(")")
        except OSError:
            continue
        if rest.split()[0] != "Z":
            parents[int(stat.parent.name)] = int(rest.split()[1]), name.partition("(")[2]
    found: dict[int, str] = {}
    level = {pid}
    while level:
        level = {child for child, (parent, _) in parents.items() if parent in level}
        found |= {child: parents[child][1] for child in level}
    return found


def cmdline(pid: int) -> bytes:
    try:
        return Path(f"/proc/{pid}/cmdline").read_bytes()
    except OSError:
        return b""


def browsers() -> list[int]:
    """The main processes of the browsers that this process has started."""
    mine = below(os.getpid())
    return [
        pid
        for pid, name in mine.items()
        if "chrom" in name and b"--type=" not in cmdline(pid) and "crashpad" not in name
    ]


def test_the_tape_is_sealed_and_the_next_trajectory_has_a_new_browser(pages: Pages) -> None:
    url = pages.put("/calm", "<title>Calm</title><h1>Calm</h1>")

    async def play() -> tuple[ListTape, Recorder]:
        tape = ListTape()
        async with Recorder(Web(WebConfig(url=url)), tape) as recorder:
            await recorder.step("noop(0)")
            step = asyncio.create_task(recorder.step("noop(30000)"))
            await asyncio.to_thread(wait_for_action, tape)
            for pid in browsers():
                os.kill(pid, signal.SIGKILL)
            await step
        return tape, recorder

    tape, recorder = asyncio.run(play())
    result = recorder.last
    assert result.outcome.status is Status.ENV_ERROR
    assert result.outcome.error is not None
    assert result.outcome.error.type == "browser_crashed"
    assert result.state_after is None
    assert result.done
    assert tape.sealed is not None
    assert tape.sealed.status is EndStatus.ENV_ENDED
    assert "The browser is gone." in result.observation.text
    assert visit(url).first_text.count("Calm") > 1


def wait_for_action(tape: ListTape) -> None:
    while sum(event.kind == "action" for event in tape.events) < 2:
        pass


CODE = """
import asyncio, os, signal, sys
from worldtape.collectors.recorder import Recorder
from worldtape.collectors.web import Web, WebConfig
from worldtape.testing import ListTape
async def main():
    async with Recorder(Web(WebConfig(url=sys.argv[1], screenshot="none")), ListTape()) as recorder:
        print("up", flush=True)
        if sys.argv[2] == "killed":
            await recorder.step("noop(30000)")
asyncio.run(main())
print("done", flush=True)
"""


@pytest.mark.parametrize("how", ["ended", "killed"])
def test_no_process_outlives_the_recorder(how: str, pages: Pages) -> None:
    url = pages.put("/calm", "<title>Calm</title><h1>Calm</h1>")
    process = subprocess.Popen([sys.executable, "-c", CODE, url, how], stdout=subprocess.PIPE, text=True)
    assert process.stdout is not None
    with process.stdout:
        assert process.stdout.readline() == "up\n"
        started = below(process.pid)
        assert any("chrom" in name for name in started.values())
        if how == "killed":
            process.kill()
        process.stdout.read()
    assert process.wait(30) == (-signal.SIGKILL if how == "killed" else 0)
    all_end([fd for pid in started if running(pid) for fd in opened(pid)])


def opened(pid: int) -> list[int]:
    """A file descriptor of the process, where it still lives."""
    try:
        return [os.pidfd_open(pid)]
    except ProcessLookupError:
        return []


def all_end(processes: list[int]) -> None:
    """Wait until every process ends, by its file descriptor."""
    for fd in processes:
        ready, _, _ = select.select([fd], [], [], 20)
        os.close(fd)
        assert ready


def running(pid: int) -> bool:
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except OSError:
        return False


def test_a_driver_that_dies_is_our_failure_and_is_started_anew(pages: Pages) -> None:
    url = pages.put("/calm", "<title>Calm</title><h1>Calm</h1>")

    async def play() -> tuple[ListTape, Recorder]:
        tape = ListTape()
        async with Recorder(Web(WebConfig(url=url)), tape) as recorder:
            await recorder.step("noop(0)")
            step = asyncio.create_task(recorder.step("noop(30000)"))
            await asyncio.to_thread(wait_for_action, tape)
            drivers = [pid for pid in below(os.getpid()) if b"playwright/driver" in cmdline(pid)]
            assert drivers
            watched.extend(os.pidfd_open(pid) for pid in browsers())
            for pid in drivers:
                os.kill(pid, signal.SIGKILL)
            await step
        return tape, recorder

    watched: list[int] = []
    tape, recorder = asyncio.run(play())
    assert watched
    all_end(watched)
    assert recorder.last.outcome.status is Status.INFRA_ERROR
    assert tape.sealed is not None
    assert tape.sealed.status is EndStatus.FAILED
    assert visit(url).first_text.count("Calm") > 1
