"""The same session in every sandbox, on a real tape."""

from __future__ import annotations

import asyncio
import os
import signal

import pytest

from tests.collectors.terminal._needs import KINDS, needs
from tests.collectors.terminal._play import play, rendered_again
from worldtape.collectors.terminal import Terminal, resize
from worldtape.collectors.terminal.sandbox.docker import _sandbox
from worldtape.schemas import EndStatus, Limits, Lossiness, SettledBy, Status

PROMPT, INPUT = SettledBy.PROMPT, SettledBy.INPUT


@pytest.fixture(params=[*KINDS, pytest.param("attached", marks=pytest.mark.docker)])
def kind(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> str:
    """Each sandbox; `attached`: a container whose terminal the daemon holds, as one that is far away does."""
    if request.param != "attached":
        return str(request.param)
    monkeypatch.setattr(_sandbox, "near", lambda *asked: None)
    return "docker"


def test_a_session(kind: str) -> None:
    needs(kind)
    done = play(
        "sleep 0.4; echo late-$((1+1))",
        "cat nowhere",
        "read x",
        "abc",
        "python3 -q",
        "1+1",
        ["C-d"],
        [{"keystrokes": "sleep 30\n", "duration": 0.2}],
        ["C-c"],
        resize(90, 25),
        "stty size; cat /proc/$$/cmdline | tr '\\0' ' '; env | grep -c PROMPT_COMMAND",
        "cd /tmp",
        sandbox=kind,
    )
    results = done.results
    assert "\nlate-2\n" in results[0].observation.text
    assert [result.observation.settled_by for result in results] == [
        PROMPT, PROMPT, INPUT, PROMPT, INPUT, INPUT, PROMPT, SettledBy.DURATION, PROMPT, PROMPT, PROMPT, PROMPT,
    ]  # fmt: skip
    codes = [result.outcome.exit_code for result in results]
    assert codes == [0, 1, None, 0, None, None, 0, None, 130, None, 1, 0]
    error = results[1].outcome.error
    assert error is not None
    assert error.message == "cat: nowhere: No such file or directory"
    assert results[7].outcome.status is Status.TIMEOUT_STILL_RUNNING
    assert results[10].observation.text.split("\n")[-2] == "bash 0"
    assert "\n25 90\n" in results[10].observation.text
    assert (results[11].state_after or {})["cwd"] == "/tmp"
    assert not any(Lossiness.NO_EXIT_CODE in result.lossiness for result in results)
    captured = [event.data["sha256"] for event in done.tape.events if event.kind == "captured"]
    assert rendered_again(done.tape) == captured


def test_bytes_are_kept(kind: str) -> None:
    needs(kind)
    done = play("stty -opost -echo", "printf '<<%s>>' begin; seq 1 200000; printf '<<%s>>' end", sandbox=kind)
    data = done.tape.stream("pty")
    found = data[data.rindex(b"<<begin>>") + 9 : data.rindex(b"<<end>>")]
    assert found == b"".join(b"%d\n" % number for number in range(1, 200_001))


def test_many_quick_commands_each_see_their_own_output(kind: str) -> None:
    needs(kind)
    done = play(*[f"echo out-$(({number}*7))" for number in range(60)], sandbox=kind)
    for number, result in enumerate(done.results):
        assert result.outcome.exit_codes == (0,)
        assert result.observation.text.split("\n")[-2] == f"out-{number * 7}"


async def kill_shell(terminal: Terminal) -> None:
    assert terminal.shell_pid is not None
    asyncio.get_running_loop().call_later(0.2, os.kill, terminal.shell_pid, signal.SIGKILL)


def test_a_killed_shell_is_our_failure(kind: str) -> None:
    needs(kind)
    done = play(kill_shell, "echo before; sleep 30", sandbox=kind)
    assert done.last.outcome.status is Status.INFRA_ERROR
    assert "\nbefore" in done.text
    assert done.tape.sealed is not None
    assert done.tape.sealed.status is EndStatus.FAILED


@pytest.mark.parametrize(("keys", "status", "code"), [("exit 3", Status.OK, 3), ("kill -9 $$", Status.TOOL_ERROR, 137)])
def test_a_limit_that_ended_something_else_is_not_the_end(kind: str, keys: str, status: Status, code: int) -> None:
    needs(kind)
    done = play("python3 -c 'x = bytearray(3 << 30)'", keys, sandbox=kind)
    assert done.results[0].outcome.signal == signal.SIGKILL
    assert (done.last.outcome.status, done.last.outcome.exit_code) == (status, code)
    assert done.last.done
    assert done.tape.sealed is not None
    assert done.tape.sealed.status is EndStatus.ENV_ENDED


def test_a_shell_over_its_limit_is_our_failure(kind: str) -> None:
    needs(kind)
    limits = Limits(memory_mb=64, disk_mb=16)
    done = play("x=$(yes kill | head -c 500M); echo $?", sandbox=kind, limits=limits)
    assert done.last.outcome.status is Status.INFRA_ERROR
    assert done.tape.sealed is not None
    assert done.tape.sealed.status is EndStatus.FAILED


def test_leaving_is_the_end(kind: str) -> None:
    needs(kind)
    done = play("true", "exit 4", sandbox=kind)
    assert done.last.outcome.status is Status.OK
    assert done.tape.sealed is not None
    assert done.tape.sealed.status is EndStatus.ENV_ENDED


def test_several_at_once(kind: str) -> None:
    needs(kind)

    async def one(number: int) -> str:
        from tests.collectors.terminal._play import playing

        done = await playing([f"echo n-$(({number}+100))", "sleep 0.2; pwd"], sandbox=kind)
        return done.results[0].observation.text.split("\n")[-2]

    async def run() -> list[str]:
        return list(await asyncio.gather(*[one(number) for number in range(3)]))

    assert asyncio.run(run()) == ["n-100", "n-101", "n-102"]


def test_the_machine_is_described(kind: str) -> None:
    needs(kind)
    ready = play(sandbox=kind).ready
    text = ready.initial_state.text or ""
    assert "OS: Debian" in text
    assert "python3 3." in text
    assert ready.environment.backend == kind
    assert ready.initial_state.probes is not None
    assert ready.initial_state.probes["cwd"].startswith("/")


@pytest.mark.parametrize("disk_mb", [16, 96])
def test_the_disk_is_that_of_the_working_directory(kind: str, disk_mb: int) -> None:
    needs(kind)
    done = play("df -hP . | tail -1", sandbox=kind, workdir="/tmp", limits=Limits(disk_mb=disk_mb))
    assert f"\nDisk: {disk_mb}M total, " in (done.ready.initial_state.text or "")
    assert done.lines[-2].split()[1] == f"{disk_mb}M"
