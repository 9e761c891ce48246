"""A connection that is lost is our failure, whatever the shell does; only a known end of the shell is its own."""

from __future__ import annotations

import asyncio
from pathlib import Path

import pytest

from tests.collectors.terminal._box import until
from tests.collectors.terminal._needs import needs
from tests.collectors.terminal._play import play
from tests.collectors.terminal._relay import relay
from worldtape.collectors.terminal import Terminal
from worldtape.collectors.terminal.sandbox.docker import _sandbox
from worldtape.collectors.terminal.sandbox.docker._shell import Shell
from worldtape.errors import ComponentError
from worldtape.schemas import EndStatus, Limits, Status

# The container ends with the connection that its first process reads, sooner or later than we look.
WHY = ("the connection to the terminal was lost", "the shell was ended by signal 9")

pytestmark = pytest.mark.docker


@pytest.fixture(params=["near", "seen", "unseen"])
def seen(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> str:
    """A daemon on this machine, one that holds the terminal, and one whose processes cannot be seen from here."""
    needs("docker")
    if request.param != "near":
        monkeypatch.setattr(_sandbox, "near", lambda *asked: None)
    if request.param == "unseen":
        monkeypatch.setattr(Shell, "_visible_pid", lambda self: None)
    return str(request.param)


@pytest.mark.parametrize("line", ["echo begun; sleep 30", "cat", "exit-not"])
def test_a_lost_connection_is_our_failure(
    seen: str, line: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with relay(tmp_path) as way:
        monkeypatch.setenv("DOCKER_HOST", way.address)

        async def cut(terminal: Terminal) -> None:
            way.cut()
            if seen == "near":  # its terminal is ours, and lives until the daemon has ended the container
                shell = Path(f"/proc/{terminal.shell_pid}")
                await asyncio.to_thread(until, lambda: not shell.exists())

        done = play("true", [{"keystrokes": line + "\n", "duration": 0.1}], cut, [{"keystrokes": ""}], sandbox="docker")
    outcome = done.last.outcome
    assert done.results[0].outcome.exit_code == 0
    assert outcome.status is Status.INFRA_ERROR
    assert outcome.error is not None
    assert outcome.error.message in WHY
    assert done.tape.sealed is not None
    assert done.tape.sealed.status is EndStatus.FAILED


@pytest.mark.parametrize(("line", "status", "code"), [("exit 3", Status.OK, 3), ("kill -9 $$", Status.TOOL_ERROR, 137)])
def test_a_known_end_is_the_shells_own(seen: str, line: str, status: Status, code: int) -> None:
    done = play("true", line, sandbox="docker")
    assert (done.last.outcome.status, done.last.outcome.exit_code) == (status, code)
    assert done.tape.sealed is not None
    assert done.tape.sealed.status is EndStatus.ENV_ENDED


def test_a_refused_container_is_told_with_its_image() -> None:
    needs("docker")
    with pytest.raises(ComponentError, match=r"^[\w./-]+:[\w.-]+: .*CPUs"):
        play(sandbox="docker", limits=Limits(cpus=4096))
