"""From start to removal, whatever happens to the recorder."""

from __future__ import annotations

import asyncio
import os
import signal
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from tests.collectors.terminal._box import SMALL, box, until
from tests.collectors.terminal._needs import IMAGE, KINDS, needs
from worldtape.collectors.terminal.sandbox import SandboxConfig, docker, local, make_sandbox, reap
from worldtape.collectors.terminal.sandbox.docker._owner import LABEL
from worldtape.errors import ComponentError, ConfigError, RefusedError

CHILD = """
import asyncio, sys, time
from worldtape.collectors.terminal.sandbox import SandboxConfig, make_sandbox
async def main():
    sandbox = make_sandbox(SandboxConfig(kind=sys.argv[1], image=sys.argv[2]))
    await sandbox.start(cols=80, rows=24)
    print(sandbox.shell_pid, getattr(sandbox, "_container", None), flush=True)
    await asyncio.sleep(1000)
asyncio.run(main())
"""


@pytest.fixture(params=KINDS)
def kind(request: pytest.FixtureRequest) -> str:
    needs(request.param)
    return str(request.param)


def test_nothing_is_left_after_the_recorder_was_killed(kind: str) -> None:
    child = subprocess.Popen([sys.executable, "-c", CHILD, kind, IMAGE], stdout=subprocess.PIPE, text=True)
    assert child.stdout is not None
    pid, container = child.stdout.readline().split()
    assert Path(f"/proc/{pid}").exists()
    child.send_signal(signal.SIGKILL)
    child.wait()
    child.stdout.close()
    until(lambda: not Path(f"/proc/{pid}").exists())
    if kind == "docker":
        client = docker.connect()
        until(lambda: not client.containers(all=True, filters={"id": container}))
        client.close()
    reap()
    assert not [path for path in local.leftovers() if f"-{child.pid}-" in path.name]


@pytest.mark.docker
def test_a_container_of_a_dead_recorder_is_reaped() -> None:
    needs("docker")
    client = docker.connect()
    from worldtape.collectors.terminal.sandbox.docker._owner import own

    boot, space, *_ = own().split(":")
    dead = subprocess.Popen(["true"])
    dead.wait()
    options: Any = {"labels": {LABEL: f"{boot}:{space}:{dead.pid}:1"}, "command": ["sleep", "1000"]}
    made = client.create_container(IMAGE, host_config=client.create_host_config(network_mode="none"), **options)
    client.start(made["Id"])
    try:
        assert made["Id"] in {entry["Id"] for entry in docker.leftovers(client)}
        assert docker.reap(client)
        assert not client.containers(all=True, filters={"id": made["Id"]})
    finally:
        client.close()


def test_nothing_is_left_after_close(kind: str) -> None:
    groups = set(Path("/sys/fs/cgroup").rglob(f"worldtape-{os.getpid()}-*"))
    with box(kind) as made:
        pid = made.sandbox.shell_pid
        made.run("sleep 5000 & nohup sleep 5000 >/dev/null 2>&1 & echo")
        assert made.sandbox.alive()
    assert not made.sandbox.alive()
    assert made.sandbox.fd == -1
    assert not Path(f"/proc/{pid}").exists()
    assert set(Path("/sys/fs/cgroup").rglob(f"worldtape-{os.getpid()}-*")) <= groups


def test_eight_at_once_do_not_see_each_other(kind: str) -> None:
    async def one(number: int) -> str:
        sandbox = make_sandbox(SandboxConfig(kind=kind, image=IMAGE, limits=SMALL))
        try:
            await sandbox.start(cols=80, rows=24)
            await sandbox.run(["sh", "-c", f"echo {number} >> /tmp/mine"])
            return (await sandbox.run(["sh", "-c", "cat /tmp/*; ps -e -o comm= | grep -c bash"])).text
        finally:
            await sandbox.close()

    async def all_of_them() -> list[str]:
        return list(await asyncio.gather(*(one(number) for number in range(8))))

    said = asyncio.run(all_of_them())
    assert [text.split()[0] for text in said] == [str(number) for number in range(8)]
    assert len({text.split()[1] for text in said}) == 1


def test_a_shell_that_is_not_there_is_named(kind: str) -> None:
    with pytest.raises(ComponentError, match="does not start"), box(kind, shell=("no-such-shell",)):
        pass


def test_a_missing_image_is_one_line() -> None:
    needs("docker")
    with (
        pytest.raises(ComponentError, match=r"^no-such/image:x: there is no such image") as caught,
        box("docker", image="no-such/image:x", pull_s=0),
    ):
        pass
    assert "docker pull no-such/image:x" in str(caught.value)
    assert "\n" not in str(caught.value)


def test_a_dead_daemon_is_one_line(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("DOCKER_HOST", f"unix://{tmp_path}/docker.sock")
    sandbox = make_sandbox(SandboxConfig(kind="docker", image=IMAGE))
    with pytest.raises(ComponentError, match="does not answer") as caught:
        asyncio.run(sandbox.start(cols=80, rows=24))
    assert "systemctl start docker" in str(caught.value)
    assert "\n" not in str(caught.value)


def test_what_would_not_hold_is_refused() -> None:
    with pytest.raises(RefusedError):
        make_sandbox(SandboxConfig(kind="local", network="bridge"))
    with pytest.raises(RefusedError):
        make_sandbox(SandboxConfig(kind="docker", network="host"))
    with pytest.raises(ConfigError):
        make_sandbox(SandboxConfig(kind="local", user="root"))


@pytest.mark.sandbox
def test_a_file_that_cannot_be_written_is_named() -> None:
    with pytest.raises(ConfigError, match="etc/x"), box("local", files={"/etc/x": "1"}):
        pass


def test_without_protection_a_shell_still_works(tmp_path: Path) -> None:
    async def main() -> tuple[int, bytes, bool]:
        sandbox = make_sandbox(SandboxConfig(kind="unsafe-local", env={"PS1": "> "}, files={str(tmp_path / "a"): "b"}))
        await sandbox.start(cols=90, rows=20)
        try:
            ran = await sandbox.run(["sh", "-c", f"cat {tmp_path}/a; sleep 1000"], timeout_s=0.3)
            assert sandbox.spec.network == "host"
            assert sandbox.spec.limits is None
            return sandbox.fd, ran.output, sandbox.alive()
        finally:
            await sandbox.close()

    assert asyncio.run(main())[1:] == (b"b", True)
