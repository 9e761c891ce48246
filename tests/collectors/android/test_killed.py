"""The Appium server, the app or the recorder is killed in the middle of an action."""

from __future__ import annotations

import asyncio
import os
import select
import signal
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.collectors.android._play import play, rendered_again
from tests.collectors.web.test_killed import below, cmdline, opened, running
from worldtape.collectors.android import Android, AndroidConfig
from worldtape.collectors.android.server import server
from worldtape.collectors.recorder import Recorder
from worldtape.schemas import EndStatus, Status
from worldtape.testing import ListTape

pytestmark = pytest.mark.android


def killed(config: AndroidConfig, victims: Callable[[], list[int]]) -> tuple[ListTape, Recorder]:
    """Kill processes as soon as an action stands on the tape."""

    class Tape(ListTape):
        def sync(self) -> None:
            super().sync()
            if len(self.syncs) > 1:
                for pid in victims():
                    os.kill(pid, signal.SIGKILL)

    async def run() -> tuple[ListTape, Recorder]:
        tape = Tape()
        async with Recorder(Android(config), tape) as recorder:
            await recorder.step({"action_type": "wait", "seconds": 0})
            await recorder.step({"action_type": "click", "index": 0})
        return tape, recorder

    return asyncio.run(run())


@pytest.mark.usefixtures("appium")
def test_a_server_that_dies_is_our_failure_and_is_started_anew() -> None:
    config = AndroidConfig(driver="fake", screenshot=False)
    before = server("fake")
    tape, recorder = killed(config, lambda: [before.pid])
    result = recorder.last
    assert result.outcome.status is Status.INFRA_ERROR
    assert result.outcome.error is not None
    assert result.outcome.error.type == "server_gone"
    assert "its server is gone" in result.observation.text
    assert result.state_after is None
    assert result.done
    assert tape.sealed is not None
    assert tape.sealed.status is EndStatus.FAILED
    assert rendered_again(tape) == [True] * 3
    assert play(config, []).first.text
    assert server("fake").pid != before.pid


@pytest.mark.usefixtures("phone_page")
@pytest.mark.parametrize("what", ["chromium", "chromedriver"])
def test_an_app_that_dies_ends_the_trajectory(what: str) -> None:
    def victims() -> list[int]:
        mine = below(server("chromium").pid)
        named = [pid for pid, name in mine.items() if name.startswith(what) and b"--type=" not in cmdline(pid)]
        assert named
        return named

    tape, recorder = killed(AndroidConfig(app="contacts", screenshot=False), victims)
    result = recorder.last
    assert result.outcome.status is Status.ENV_ERROR
    assert result.outcome.error is not None
    assert result.outcome.error.type == "app_gone"
    assert "The app is gone." in result.observation.text
    assert result.state_after is None
    assert tape.sealed is not None
    assert tape.sealed.status is EndStatus.ENV_ENDED
    assert rendered_again(tape) == [True] * 3
    assert server("chromium").lives


CODE = """
import asyncio, sys
from worldtape.collectors.android import Android, AndroidConfig
from worldtape.collectors.recorder import Recorder
from worldtape.testing import ListTape
async def main():
    async with Recorder(Android(AndroidConfig(driver=sys.argv[1], screenshot=False)), ListTape()) as recorder:
        print("up", flush=True)
        await asyncio.to_thread(sys.stdin.readline)
asyncio.run(main())
print("done", flush=True)
"""


PIPES: dict[str, Any] = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE, "text": True}


@pytest.fixture
def short() -> Iterator[Path]:
    """A folder with a short path: sockets of browsers lie below it, and their paths are limited to 107 bytes."""
    with tempfile.TemporaryDirectory(prefix="wt") as path:
        yield Path(path)


@pytest.mark.usefixtures("phone_page")
@pytest.mark.parametrize(("driver", "how"), [("fake", "ended"), ("chromium", "killed")])
def test_no_process_and_no_folder_outlives_the_recorder(driver: str, how: str, short: Path) -> None:
    env = os.environ | {"TMPDIR": str(short)}
    process = subprocess.Popen([sys.executable, "-c", CODE, driver], **PIPES, env=env)
    assert process.stdout is not None
    assert process.stdin is not None
    with process.stdout, process.stdin:
        assert process.stdout.readline() == "up\n"
        started = below(process.pid)
        assert ("chromium" if driver == "chromium" else "node") in started.values()
        if how == "killed":
            process.kill()
        else:
            process.stdin.write("\n")
            process.stdin.flush()
        process.stdout.read()
    assert process.wait(30) == (-signal.SIGKILL if how == "killed" else 0)
    for fd in [fd for pid in started if running(pid) for fd in opened(pid)]:
        ready, _, _ = select.select([fd], [], [], 20)
        os.close(fd)
        assert ready
    if how == "killed":
        reaped = "from worldtape.collectors.processes import reap; reap()"
        subprocess.run([sys.executable, "-c", reaped], check=True, env=env)
    assert list(short.glob("worldtape-*")) == []
