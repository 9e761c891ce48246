"""The X server, a program, the session, the container and the recorder are killed."""

from __future__ import annotations

import asyncio
import signal
import subprocess
import sys
import threading
from collections.abc import Iterator
from contextlib import closing
from typing import Any

import pytest

from tests.collectors.desktop._held import held_desktop
from worldtape.collectors.desktop import Desktop, DesktopConfig
from worldtape.collectors.recorder import Recorder
from worldtape.collectors.terminal.sandbox.docker import connect
from worldtape.errors import ComponentError
from worldtape.schemas import EndStatus, Outcome, Status
from worldtape.testing import ListTape

pytestmark = [pytest.mark.desktop, pytest.mark.usefixtures("desktop_image")]


@pytest.fixture
def docker() -> Iterator[Any]:
    with closing(connect()) as client:
        yield client


def kind(outcome: Outcome) -> str:
    """The type of its error."""
    return "" if outcome.error is None else str(outcome.error.type)


def test_a_program_and_then_the_x_server_are_killed() -> None:
    with held_desktop(programs=("galculator",), screenshot="none") as held:
        died = held.run("import os\nos.system('pkill -KILL galculator')")
        assert (died.outcome.status, kind(died.outcome)) == (Status.ENV_ERROR, "program_died")
        assert died.state_after is not None
        assert died.state_after["windows"] == []
        assert not died.done
        gone = held.run("import os\nos.system('pkill -KILL Xvfb')")
        assert (gone.outcome.status, kind(gone.outcome)) == (Status.ENV_ERROR, "display_gone")
        assert gone.state_after is None
        assert gone.done
        assert gone.observation.text == "The display is gone."
    assert held.tape.sealed is not None
    assert held.tape.sealed.status is EndStatus.ENV_ENDED


def test_the_session_is_killed() -> None:
    with held_desktop(programs=(), screenshot="none") as held:
        result = held.run("import os, signal\nos.kill(os.getppid(), signal.SIGKILL)\npyautogui.sleep(60)")
        assert (result.outcome.status, kind(result.outcome)) == (Status.ENV_ERROR, "session_gone")
        assert result.done
    assert held.tape.sealed is not None
    assert held.tape.sealed.status is EndStatus.ENV_ENDED


def test_the_container_is_killed_in_the_middle_of_an_action(docker: Any) -> None:
    async def play() -> tuple[ListTape, Recorder, str]:
        tape, desktop = ListTape(), Desktop(DesktopConfig(programs=(), screenshot="none"))
        async with Recorder(desktop, tape) as recorder:
            container = own_container(docker, desktop)
            step = asyncio.create_task(recorder.step("pyautogui.moveTo(7, 7)\npyautogui.sleep(60)"))
            await asyncio.to_thread(wait_for_action, docker, container)
            await asyncio.to_thread(docker.kill, container)
            await step
        return tape, recorder, container

    tape, recorder, container = asyncio.run(play())
    result = recorder.last
    assert (result.outcome.status, kind(result.outcome)) == (Status.ENV_ERROR, "container_gone")
    assert result.done
    assert result.observation.text == "The container is gone."
    assert tape.sealed is not None
    assert tape.sealed.status is EndStatus.ENV_ENDED
    assert not docker.containers(all=True, filters={"id": container})


def own_container(docker: Any, desktop: Desktop) -> str:
    """The container of a desktop."""
    container = desktop.container
    assert container is not None
    assert docker.containers(filters={"id": container})
    return container


def wait_for_action(docker: Any, container: str) -> None:
    """Wait until the action has begun: its process is there."""
    while "run.py" not in str(docker.top(container)["Processes"]):
        pass


CODE = """
import asyncio, sys
from worldtape.collectors.desktop import Desktop, DesktopConfig
from worldtape.collectors.recorder import Recorder
from worldtape.testing import ListTape
async def main():
    desktop = Desktop(DesktopConfig(programs=(), screenshot="none"))
    async with Recorder(desktop, ListTape()) as recorder:
        print(desktop.container, flush=True)
        await recorder.step("pyautogui.sleep(600)")
asyncio.run(main())
"""


def test_nothing_outlives_a_recorder_that_is_killed(docker: Any) -> None:
    process = subprocess.Popen([sys.executable, "-c", CODE], stdout=subprocess.PIPE, text=True)
    assert process.stdout is not None
    with process.stdout:
        container = process.stdout.readline().strip()
        assert docker.containers(filters={"id": container})
        ended = threading.Thread(target=docker.wait, args=(container,), kwargs={"condition": "removed", "timeout": 60})
        ended.start()
        process.kill()
        process.stdout.read()
    assert process.wait(30) == -signal.SIGKILL
    ended.join()
    assert not docker.containers(all=True, filters={"id": container})


@pytest.mark.parametrize(
    ("programs", "told"),
    [(("no-such-program",), "no-such-program does not start"), (("false",), "false ended with 1")],
)
def test_a_program_that_does_not_start_is_told(programs: tuple[str, ...], told: str) -> None:
    async def play() -> None:
        async with Recorder(Desktop(DesktopConfig(programs=programs)), tape):
            raise AssertionError

    tape = ListTape()
    with pytest.raises(ComponentError, match=told):
        asyncio.run(play())
    assert tape.sealed is not None
    assert tape.sealed.status is EndStatus.FAILED


def test_a_path_out_of_the_home_directory_is_refused() -> None:
    with pytest.raises(ValueError, match="no path in the home directory"):
        DesktopConfig(files={"../x": ""})
