"""A container that is worked in from outside."""

from __future__ import annotations

import asyncio
import errno
import os
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tests.collectors.swe._box import Held, held_box
from worldtape.collectors.swe.box import Box
from worldtape.collectors.terminal.sandbox import SandboxConfig
from worldtape.collectors.terminal.sandbox.docker import connect
from worldtape.errors import ComponentError

pytestmark = pytest.mark.docker


def test_both_streams_and_the_exit_code_are_told_apart(held: Held):
    ran = held.do(held.box.run("printf out; printf err >&2; exit 3"))
    assert (ran.out, ran.err, ran.code, ran.signal, ran.timed_out) == (b"out", b"err", 3, None, False)


def test_a_signal_is_no_exit_code(held: Held):
    ran = held.do(held.box.run(["sh", "-c", "kill -11 $$"]))
    assert (ran.code, ran.signal) == (None, 11)


def test_a_command_that_cannot_be_started_ends_as_in_a_shell(held: Held):
    lost = held.do(held.box.run(["no-such-program"]))
    assert (lost.code, lost.err) == (127, b"no-such-program: No such file or directory\n")
    held.do(held.box.write("plain", b""))
    assert held.do(held.box.run(["./plain"])).code == 126
    assert b"/nowhere: No such file" in held.do(held.box.run("true", cwd="/nowhere")).err


def test_a_late_command_is_killed_with_all_that_it_started_and_keeps_what_it_said(held: Held):
    ran = held.do(held.box.run("echo said; timeout 999 sleep 999 & sleep 999 | sleep 999", timeout_s=2))
    assert ran.timed_out
    assert (ran.out, ran.signal, ran.background) == (b"said\n", 9, ())
    assert b"999" not in held.do(held.box.run("ps -eo args")).out


def test_background_processes_are_named_run_on_and_may_go_on_talking(held: Held):
    go = "mkfifo go; { cat go >/dev/null; head -c 300000 /dev/zero; echo done >told; } & echo $!"
    ran = held.do(held.box.run(go))
    assert ran.code == 0
    assert int(ran.out) in ran.background
    ended = held.do(held.box.run("echo >go; until [ -s told ]; do sleep 0.01; done; cat told", timeout_s=20))
    assert ended.out == b"done\n"


def test_output_is_heard_as_it_comes(held: Held):
    heard: list[tuple[str, bytes]] = []
    held.do(held.box.run("echo one; echo two >&2", heard=lambda name, data: heard.append((name, data))))
    assert sorted(heard) == [("err", b"two\n"), ("out", b"one\n")]


def test_much_output_and_much_input_come_whole(held: Held):
    data = os.urandom(1 << 21)
    assert held.do(held.box.run(["cat"], stdin=data)).out == data


def test_no_process_list_names_python_and_a_killed_runner_is_started_again(held: Held):
    assert b"python" not in held.do(held.box.run("ps -eo args")).out
    assert held.do(held.box.run("pkill -f pytho[n]; echo lives")).out == b"lives\n"
    killed = held.do(held.box.run("kill -9 -1; sleep 100"))
    assert (killed.code, killed.signal, killed.timed_out) == (None, 9, False)
    assert held.do(held.box.run("echo again")).out == b"again\n"


@settings(max_examples=30, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(data=st.binary(max_size=4000), name=st.text(st.characters(exclude_characters="/\0"), min_size=1, max_size=40))
def test_files_come_back_as_they_were_written(held: Held, data: bytes, name: str):
    name = f"files/n{name.encode('utf-8', 'surrogatepass').decode('utf-8', 'surrogateescape')}"
    if len(os.fsencode(name)) < 200:
        held.do(held.box.write(name, data))
        assert held.do(held.box.read(name)) == data
        assert held.do(held.box.stat(name)).size == len(data)


def test_files_are_listed_with_their_kinds(held: Held):
    held.empty()
    held.do(held.box.write("a/b.sh", b"#!/bin/sh\n", mode=0o755))
    held.do(held.box.run("ln -s a/b.sh link; ln -s nowhere broken; mkfifo pipe; mkdir -p .git/x"))
    listed = {entry.name: entry for entry in held.do(held.box.list())}
    assert {name: entry.kind for name, entry in listed.items()} == {
        ".git": "dir",
        "a": "dir",
        "broken": "link",
        "link": "link",
        "pipe": "other",
    }
    walked = {entry.name: entry for entry in held.do(held.box.walk())}
    assert set(walked) == {"a", "a/b.sh", "broken", "link", "pipe"}
    assert (walked["a/b.sh"].mode, walked["a/b.sh"].size) == (0o755, 10)
    assert held.do(held.box.exists("link"))
    assert not held.do(held.box.exists("broken"))


@pytest.mark.parametrize(
    ("path", "number"),
    [("nothing", errno.ENOENT), ("a", errno.EISDIR), ("a/f/g", errno.ENOTDIR), ("pipe", errno.EINVAL)],
)
def test_a_file_that_cannot_be_read_gives_the_systems_own_error(held: Held, path: str, number: int):
    held.empty()
    held.do(held.box.write("a/f", b""))
    held.do(held.box.run("mkfifo pipe"))
    with pytest.raises(OSError) as caught:
        held.do(held.box.read(path))
    assert caught.value.errno == number


def test_a_tree_is_known_by_one_hash_whatever_its_times_are(held: Held):
    held.empty()
    held.do(held.box.run("mkdir -p d e; echo 1 >d/f; ln -s f d/l; printf x >d/x; chmod +x d/x"))
    first = held.do(held.box.tree())
    held.do(held.box.run("touch -d 2001-01-01 d/f"))
    assert held.do(held.box.tree()) == first
    packed = held.do(held.box.pack())
    for change in ("chmod -x d/x", "rmdir e", "echo 2 >d/f", "touch new"):
        held.do(held.box.run(change))
        assert held.do(held.box.tree()) != first
        held.do(held.box.unpack(".", packed, empty=True))
        assert held.do(held.box.tree()) == first


def test_an_archive_cannot_leave_its_folder(held: Held, tmp_path: Path):
    import io
    import tarfile

    buffer = io.BytesIO()
    with tarfile.open(fileobj=buffer, mode="w") as tar:
        for name in ("top/../../escaped", "/top/absolute", "top/inside"):
            member = tarfile.TarInfo(name)
            member.size = 1
            tar.addfile(member, io.BytesIO(b"x"))
    held.empty()
    assert held.do(held.box.unpack("u", buffer.getvalue(), strip=1)) == 2
    assert {entry.name for entry in held.do(held.box.walk("u"))} == {"absolute", "inside"}
    assert not held.do(held.box.exists("/escaped"))


def test_an_image_without_python_is_refused_in_one_line(swe_image: str):
    box = Box(SandboxConfig(kind="docker", image="worldtape/debian:bookworm"))
    with pytest.raises(ComponentError, match="no python3 starts in the container; choose an image"):
        asyncio.run(box.__aenter__())


def test_a_container_that_is_killed_mid_command_is_told_and_leaves_nothing(swe_image: str):
    client = connect()
    try:
        with held_box() as held:
            name = str(held.box._container._container)

            async def kill_while_running() -> None:
                started = asyncio.Event()
                running = asyncio.create_task(
                    held.box.run("echo up; sleep 1000", heard=lambda name, data: started.set())
                )
                await started.wait()
                await asyncio.to_thread(client.kill, name)
                await running

            with pytest.raises(ComponentError, match="the container is gone"):
                held.do(kill_while_running())
            with pytest.raises(ComponentError, match=r"gone|not running"):
                held.do(held.box.read("/etc/hostname"))
        assert not [one for one in client.containers(all=True) if one["Id"] == name]
    finally:
        client.close()
