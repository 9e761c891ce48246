"""What a terminal says about itself, and how it ends."""

from __future__ import annotations

import asyncio
import json
import os
import signal
from pathlib import Path
from typing import Any

import pytest

from tests.collectors.terminal._needs import needs as needs_sandbox
from tests.collectors.terminal._play import needs, play, playing
from worldtape.collectors.tasks.setup import Setup
from worldtape.collectors.terminal import Terminal, TerminalConfig, resize
from worldtape.collectors.terminal.sandbox._started import started
from worldtape.errors import ComponentError, InputError
from worldtape.schemas import Action, EndStatus, Lossiness, SettledBy, Status


def test_the_start_is_observed() -> None:
    ready = play().ready
    assert ready.observation.text.endswith(("$", "#"))
    assert ready.observation.settled_by is SettledBy.PROMPT
    text = ready.initial_state.text or ""
    for title in ("OS: ", "Kernel: Linux", "Tools: bash ", "User: ", "Working directory: /", "Screen: 160×40"):
        assert title in text
    assert ready.initial_state.probes is not None
    assert ready.environment.versions["bash"]
    assert ready.environment.parameters["cols"] == 160
    assert Lossiness.MERGED_STREAMS in ready.lossiness


def test_probes_follow_the_shell() -> None:
    done = play("mkdir -p a/b; cd a/b", "sh", "cd /", [{"keystrokes": "sleep 30\n", "duration": 0.2}], cols=90, rows=20)
    states = [result.state_after or {} for result in done.results]
    assert states[0]["cwd"].endswith("/a/b")
    assert [state["foreground"] for state in states] == ["bash", "sh", "sh", "sleep 30"]
    assert states[2]["cwd"] == "/"
    assert (states[0]["cols"], states[0]["rows"]) == (90, 20)
    assert states[0]["cursor"][1] == 1
    assert states[0]["user"]


def test_an_invalid_action_types_nothing() -> None:
    done = play('{"keystrokes": "ls"}', Action(kind="browser_call", text="click(1)"), "true")
    first, second, _ = done.results
    assert done.tape.stream("pty.in") == b'{"keystrokes": "ls"}\ntrue\n'
    assert first.outcome.status is Status.TOOL_ERROR
    assert second.outcome.status is Status.REJECTED
    assert second.outcome.error is not None
    assert "browser_call" in (second.outcome.error.message or "")
    assert second.observation.settled_by is None


@pytest.mark.parametrize("text", ["not json", '[{"keystrokes": 1}]', '[{"keystrokes": "a", "delay": 1}]', "[]"])
def test_text_of_no_known_form_is_rejected(text: str) -> None:
    done = play(Action(kind="keystrokes", text=text))
    assert done.last.outcome.status is Status.REJECTED
    assert done.tape.stream("pty.in") == b""
    assert not done.last.lossiness


def test_a_resize_is_seen_inside() -> None:
    done = play(resize(70, 20), "stty size", "seq 30", resize(70, 10))
    assert "\n20 70\n" in done.results[1].observation.text
    assert len(done.lines) == 10
    assert done.tape.stream("pty.size") == b'{"cols":70,"rows":20}\n{"cols":70,"rows":10}\n'


def test_full_screen_programs_follow_a_resize() -> None:
    needs("vim")
    done = play("vim -u NONE", resize(60, 12), [":q\n"])
    assert done.results[1].observation.text.count("~") == 10


@pytest.mark.parametrize(
    ("given", "where"),
    [
        ([{"keystrokes": "ls", "wait": 3}], "element 0: unknown key 'wait'"),
        (("ls\n", {"keystrokes": b"ls"}), "element 1: keystrokes is missing"),
        ([{"keystrokes": "a", "duration": float("nan")}], "element 0: duration is not a number"),
        ([{"keystrokes": "\ud800"}], "element 0: keystrokes holds half"),
        ([b"ls"], "element 0: keystrokes is missing"),
        ({"keystrokes": "ls"}, "the action is not an array"),
        ({("a",): 1}, "the action is not an array"),
        (5, "the action is not an array"),
    ],
)
def test_a_python_value_of_no_known_form_is_rejected_where_it_is_wrong(given: Any, where: str) -> None:
    action = Terminal().parse(given)
    assert action is not None
    json.loads(action.text)
    done = play(action)
    assert done.last.outcome.status is Status.REJECTED
    assert done.last.outcome.error is not None
    assert (done.last.outcome.error.message or "").startswith(where)
    assert done.tape.stream("pty.in") == b""


def test_keys_that_were_not_typed_are_not_forgotten() -> None:
    stuck = [{"keystrokes": "x" * 20_000, "duration": 0.1}, {"keystrokes": "", "duration": 0.1}]
    done = play([{"keystrokes": "stty raw -echo; sleep 30\n", "duration": 0.3}], stuck)
    assert done.last.outcome.status is Status.TIMEOUT_STILL_RUNNING
    error = done.last.outcome.error
    assert error is not None
    assert error.type == "not_typed"
    left = 20_000 - (len(done.tape.stream("pty.in")) - len("stty raw -echo; sleep 30\n"))
    assert left > 0
    assert error.message == f"the terminal did not take {left} bytes"


def test_errors_in_their_own_words() -> None:
    lines = ["true\nfalse\n"], ["cat nowhere\n\n"], [{"keystrokes": "sleep 9\n", "duration": 0.1}, "C-c"]
    done = play("cat nowhere", "false", "sh -c 'kill -TERM $$'", "nosuchprogram", *lines)
    errors = [result.outcome.error for result in done.results]
    assert [error and error.message for error in errors] == [
        "cat: nowhere: No such file or directory",
        None,
        "Terminated",
        "bash: nosuchprogram: command not found",
        None,
        "cat: nowhere: No such file or directory",
        None,
    ]
    assert [result.outcome.exit_code for result in done.results] == [1, 1, 143, 127, 1, 1, 130]
    assert done.results[2].outcome.signal == 15


@pytest.mark.parametrize("keys", ["exit 3\n", "C-d", "exec true\n"])
def test_leaving_the_shell_ends_the_recording(keys: str) -> None:
    done = play([keys])
    assert done.last.done
    assert done.last.outcome.status is Status.OK
    assert done.last.observation.settled_by is SettledBy.EVENT
    assert done.tape.sealed is not None
    assert done.tape.sealed.status is EndStatus.ENV_ENDED


@pytest.mark.parametrize(
    ("keys", "number"),
    [
        ("kill -9 $$\n", 9),
        ("kill -HUP $$\n", 1),
        ("sh -c 'kill -9 $PPID'\n", 9),
        ("f() { f; }; ulimit -s 256; f\n", 11),
    ],
)
def test_a_shell_that_the_policy_ends_by_a_signal_is_no_failure_of_ours(keys: str, number: int) -> None:
    done = play([keys])
    outcome = done.last.outcome
    assert (outcome.status, outcome.signal, outcome.exit_code) == (Status.TOOL_ERROR, number, 128 + number)
    assert outcome.error is not None
    assert (outcome.error.type, outcome.error.message) == ("shell_ended", f"the shell was ended by signal {number}")
    assert done.last.done
    assert done.tape.sealed is not None
    assert done.tape.sealed.status is EndStatus.ENV_ENDED


async def kill_soon(terminal: Terminal) -> None:
    assert terminal.shell_pid is not None
    asyncio.get_running_loop().call_later(0.2, os.kill, terminal.shell_pid, signal.SIGKILL)


async def kill_now(terminal: Terminal) -> None:
    assert terminal.shell_pid is not None
    os.kill(terminal.shell_pid, signal.SIGKILL)
    while started(terminal.shell_pid) is not None:
        os.sched_yield()


@pytest.mark.parametrize(
    ("hook", "command"), [(kill_soon, "echo before; sleep 30"), (kill_now, "true"), (kill_now, "kill 1")]
)
def test_a_killed_shell_is_our_failure(hook: object, command: str) -> None:
    done = play(hook, command)  # type: ignore[arg-type]
    assert done.last.outcome.status is Status.INFRA_ERROR
    assert done.last.outcome.signal == signal.SIGKILL
    assert done.last.done
    assert done.tape.sealed is not None
    assert done.tape.sealed.status is EndStatus.FAILED


def test_set_up_comes_before_the_first_observation() -> None:
    setup = Setup(files={"in/a.txt": "alpha\n"}, commands=("echo made > b.txt",))
    done = play("cat in/a.txt b.txt", setup=setup)
    assert done.lines[1:3] == ["alpha", "made"]
    assert done.tape.stream("pty").count(b"made") == 1


def test_a_set_up_that_fails_is_a_failed_start() -> None:
    with pytest.raises(InputError, match="set-up failed with 4"):
        play(setup=Setup(commands=("echo why; exit 4",)))


def test_nothing_is_left_behind() -> None:
    found: list[int | None] = []

    async def note(terminal: Terminal) -> None:
        found.append(terminal.shell_pid)

    before = len(list(Path("/proc/self/fd").iterdir()))
    play(note, "sleep 100 &")
    assert found[0] is not None
    assert not Path(f"/proc/{found[0]}").exists()
    assert len(list(Path("/proc/self/fd").iterdir())) <= before + 1


def test_out_of_band_commands_are_not_in_the_recording() -> None:
    async def look(terminal: Terminal) -> None:
        ran = await terminal.run("cat made; exit 5")
        assert (ran.exit_code, ran.output) == (5, b"inside\n")

    done = asyncio.run(playing(["echo inside > made", look]))
    assert b"exit 5" not in done.tape.stream("pty")


def test_parse() -> None:
    terminal = Terminal(TerminalConfig(sandbox="unsafe-local"))
    assert terminal.parse("[]") is None
    strange = terminal.parse("strange")
    assert strange is not None
    assert strange.text == "strange"
    with pytest.raises(ComponentError):
        asyncio.run(terminal.run("true"))


@pytest.mark.docker
def test_a_missing_image_is_one_clear_line(tmp_path: Path) -> None:
    needs_sandbox("docker")
    from worldtape.collectors.recorder import Recorder, make_header
    from worldtape.storage import TapeReader, TapeWriter, tape_path

    terminal = Terminal(TerminalConfig(sandbox="docker", image="worldtape/there-is-none:1"))
    tape = TapeWriter.create(tmp_path, make_header(terminal))

    async def run() -> Any:
        async with Recorder(terminal, tape):
            pass

    with pytest.raises(ComponentError, match="there-is-none"):
        asyncio.run(run())
    reader = TapeReader(tape_path(tmp_path, tape.trajectory_id, sealed=True))
    assert [event.kind for event in reader.events()] == ["header", "end"]


@pytest.mark.parametrize("shell", [("dash",), ("sh",)])
def test_another_shell_sees_nothing_of_our_marks(shell: tuple[str, ...]) -> None:
    needs(shell[0])
    done = play("env | grep -c PROMPT_COMMAND", shell=shell)
    assert done.lines[-2] == "0"
    assert done.last.outcome.exit_code is None
    assert done.last.lossiness == (Lossiness.NO_EXIT_CODE,)
    assert done.last.observation.settled_by is SettledBy.PROMPT


def test_leaving_during_a_fixed_wait() -> None:
    done = play([{"keystrokes": "exit 3\n", "duration": 0.3}])
    assert done.last.done
    assert (done.last.outcome.status, done.last.outcome.exit_code) == (Status.OK, 3)


def test_programs_that_relay_end_by_rest() -> None:
    needs("script")
    done = play("script -q /dev/null", "echo inside-$((1+1))", "exit")
    assert [result.observation.settled_by for result in done.results[:2]] == [SettledBy.REST] * 2
    assert done.results[1].outcome.status is Status.OK
    assert "\ninside-2" in done.results[1].observation.text
