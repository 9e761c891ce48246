"""A sandbox looks and acts like a machine, and shows nothing of ours."""

from __future__ import annotations

import asyncio
import os
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

import worldtape
from tests.collectors.terminal._box import Box, box
from tests.collectors.terminal._needs import KINDS
from worldtape.collectors.terminal.sandbox import Ran

OURS = ("worldtape", "bwrap", "--args", str(Path(worldtape.__file__).resolve().parents[2]), str(Path.cwd()))


@pytest.fixture(params=KINDS, scope="module")
def machine(request: pytest.FixtureRequest) -> Iterator[Box]:
    with box(request.param, hostname="box7", files={"/tmp/notes/hello": "hi ü\n"}) as made:
        yield made


def test_size_stands_before_the_first_prompt(machine: Box) -> None:
    assert "30 100" in machine.say("stty size")
    machine.sandbox.resize(77, 11)
    assert "11 77" in machine.say("stty size")


def test_the_user_has_a_name_and_programs_work(machine: Box) -> None:
    ran = machine.run(
        "whoami; id -un; hostname; cat /etc/hostname; echo 1 2 | awk '{print $2}'; locale | grep LANG=; "
        "ls -ld /usr /etc /tmp | awk '{print $3, $4}'; . /etc/os-release && echo $ID; cd; pwd"
    )
    lines = ran.text.splitlines()
    assert ran.exit_code == 0, ran
    assert lines[0] == lines[1] in {"user", "root"}
    assert lines[2:6] == ["box7", "box7", "2", "LANG=C.UTF-8"]
    assert lines[6] == "root root" or os.geteuid() != 0
    assert lines[-1].startswith(("/home/", "/root"))


def test_it_shows_nothing_of_ours(machine: Box) -> None:
    look = machine.say(
        "ps -efww; cat /proc/1/cmdline /proc/1/environ /proc/self/environ /proc/self/mountinfo /proc/self/cgroup "
        "/proc/[0-9]*/comm /proc/[0-9]*/cmdline | tr '\\0' '\\n'; ls -la / /tmp /var/tmp ~; env; mount"
    )
    assert not [word for word in OURS if word in look]


def test_the_shell_is_a_job_control_shell_on_its_own_terminal(machine: Box) -> None:
    assert "no job control" not in machine.say("tty; ps -o stat=,tty=,args= -p $$")
    assert re.search(r"S\w*s\S*\s+pts/0\s+bash", machine.say("ps -o stat=,tty=,args= -p $$"))


def test_keys_interrupt_stop_and_continue(machine: Box) -> None:
    machine.type("echo st''art; sleep 1000\r")
    machine.read_until("start")
    machine.holds_terminal("sleep 1000")
    machine.type("\x03")
    machine.type("echo code $?\r")
    machine.read_until("code 130")
    machine.type("sleep 2000\r")
    machine.holds_terminal("sleep 2000")
    machine.type("\x1a")
    machine.read_until("Stopped")
    assert "Running" in machine.say("bg >/dev/null; jobs")
    machine.type("fg\r")
    machine.holds_terminal("sleep 2000")
    machine.type("\x03")
    assert "Running" not in machine.say("jobs")


def test_network_is_loopback_only(machine: Box) -> None:
    ran = machine.run("cat /proc/net/dev | tail -n +3 | cut -d: -f1; cat /proc/net/route | tail -n +2")
    assert ran.text.split() == ["lo"]


def test_the_shell_is_visible_from_here(machine: Box) -> None:
    pid = machine.sandbox.shell_pid
    assert pid is not None
    assert Path(f"/proc/{pid}/comm").read_text() == "bash\n"
    inside = machine.say("echo pid=$$").split("pid=")[1].split()[0]
    assert Path(f"/proc/{pid}/status").read_text().split("NSpid:")[1].split("\n")[0].split()[-1] == inside


def test_run_keeps_input_output_and_code(machine: Box) -> None:
    ran = machine.run("cat; echo err >&2; exit 7", stdin=b"x" * 300_000)
    assert (ran.exit_code, len(ran.output)) == (7, 300_004)
    assert machine.run("cat /tmp/notes/hello").text == "hi ü\n"
    assert machine.run("exec /no/such/program").exit_code == 127
    assert machine.run("kill -9 $$").exit_code == 137


def test_run_keeps_what_was_said_last(machine: Box) -> None:
    async def one(number: int) -> Ran:
        command = f"sleep 0.0{40 + number % 20}; printf %s- $(seq {number}); echo err >&2; printf end"
        return await machine.sandbox.run(["sh", "-c", command])

    async def all_of_them() -> list[Ran]:
        rounds = [await asyncio.gather(*map(one, range(start, start + 8))) for start in range(1, 60, 8)]
        return [ran for some in rounds for ran in some]

    for number, ran in enumerate(machine.wait_for(all_of_them()), start=1):
        said = "".join(f"{count}-" for count in range(1, number + 1))
        assert (ran.exit_code, ran.text) == (0, f"{said}err\nend")


def test_run_keeps_what_was_said_by_one_that_ends_its_whole_group(machine: Box) -> None:
    ran = machine.run("echo before; kill -9 0")
    assert (ran.exit_code, ran.output) == (137, b"before\n")
    ran = machine.run("echo before; exec >&- 2>&-; sleep 0.2; exit 3")
    assert (ran.exit_code, ran.output) == (3, b"before\n")


def test_run_ends_at_its_deadline_and_keeps_what_was_said(machine: Box) -> None:
    ran = machine.run("echo early; sleep 3000 & sleep 3000", timeout_s=0.5)
    assert ran.timed_out
    assert ran.output == b"early\n"
    assert machine.run("ps -eo args= | grep -c '^sleep 3000'").text == "0\n"


def test_run_does_not_wait_for_what_stays_in_the_background(machine: Box) -> None:
    ran = machine.run("sleep 4000 & echo on", timeout_s=30)
    assert (ran.exit_code, ran.output) == (0, b"on\n")
    assert machine.run("ps -eo args= | grep -c '^sleep 4000'").text == "1\n"


def test_root_has_no_dangerous_right(machine: Box) -> None:
    words = dict(line.split(":\t") for line in machine.run("cat /proc/self/status").text.splitlines() if "\t" in line)
    allowed = 0b11_1111_1011  # owners, modes, signals, ids
    assert int(words["CapBnd"], 16) & ~allowed & ~(1 << 7) == 0
    assert words["NoNewPrivs"] == "1"
