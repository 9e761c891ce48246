"""What a sandbox must survive: everything that a policy may think of."""

from __future__ import annotations

import re
import shutil
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.collectors.terminal._box import Box, box, until
from tests.collectors.terminal._needs import KINDS
from worldtape.collectors.terminal.sandbox.local._etc import BOUND
from worldtape.schemas import Limits

# Others work on this machine at the same time: what they take is not ours, but 60 GB would be.
GB = 1 << 30


@pytest.fixture(params=KINDS)
def kind(request: pytest.FixtureRequest) -> str:
    return str(request.param)


@pytest.fixture
def cell(kind: str) -> Iterator[Box]:
    with box(kind) as made:
        yield made


@pytest.fixture
def canary(tmp_path: Path) -> Iterator[Path]:
    path = tmp_path / "canary-5f1c"
    path.write_text("alive")
    yield path
    assert path.read_text() == "alive"


def available() -> int:
    """Return the bytes of memory this machine could give."""
    words = Path("/proc/meminfo").read_text().split()
    return int(words[words.index("MemAvailable:") + 1]) << 10


def test_nothing_to_walk_out_to(cell: Box, canary: Path) -> None:
    up = "/".join([".."] * 40)
    ran = cell.run(
        f"cd {up} && ls; cat {up}{canary} {canary} /proc/1/root{canary} /proc/1/cwd/{up}{canary}; "
        "find / -xdev -name 'canary-5f1c' 2>/dev/null; echo end"
    )
    assert "alive" not in ran.text
    assert ran.text.splitlines()[-1] == "end"
    assert "usr" in ran.text.split()


def test_removing_everything_removes_nothing_outside(cell: Box, canary: Path) -> None:
    before = Path("/usr/bin/env").stat().st_ino
    cell.run("rm -rf / --no-preserve-root 2>/dev/null", timeout_s=60)
    assert Path("/usr/bin/env").stat().st_ino == before


def test_no_mount_of_this_machine_can_be_written(kind: str, cell: Box) -> None:
    lines = [line.split() for line in cell.run("cat /proc/self/mountinfo").text.splitlines()]
    virtual = {"tmpfs", "proc", "devpts", "sysfs", "cgroup", "cgroup2", "mqueue", "overlay", "devtmpfs"}
    writable = {w[4] for w in lines if w[w.index("-") + 1] not in virtual and "rw" in w[5].split(",")}
    # Docker gives every container three small files of its own; they are watched with its root.
    docker = {"/etc/hosts", "/etc/hostname", "/etc/resolv.conf"} if kind == "docker" else set()
    assert writable <= docker
    tmpfs = [w for w in lines if w[w.index("-") + 1] == "tmpfs" and "rw" in w[5].split(",")]
    assert all("size=" in w[-1] or w[4].startswith("/sys/fs/cgroup") for w in tmpfs), tmpfs
    ran = cell.run("for d in / /usr /etc /proc/sys/kernel /sys /dev /boot; do touch $d/x5 && echo $d; done")
    wrote = {line for line in ran.text.splitlines() if line.startswith("/")}
    assert wrote <= ({"/", "/usr", "/etc", "/boot", "/dev"} if kind == "docker" else set())


@pytest.mark.parametrize("folder", ["/dev/shm", "/tmp"])
def test_twenty_gigabytes_stop_at_the_limit(cell: Box, folder: str) -> None:
    disk, memory = shutil.disk_usage("/").free, available()
    ran = cell.run(f"for i in 1 2 3; do dd if=/dev/zero of={folder}/big$i bs=1M count=20000; done; du -sm {folder}")
    assert int(ran.text.splitlines()[-1].split()[0]) <= 65
    assert "No space left" in ran.text
    assert disk - shutil.disk_usage("/").free < 6 * GB
    assert memory - available() < 6 * GB
    assert cell.sandbox.alive()
    assert cell.run("echo still").text == "still\n"


def test_a_file_has_a_largest_size(kind: str) -> None:
    with box(kind, limits=Limits(memory_mb=256, disk_mb=64, file_mb=8)) as cell:
        assert "File size limit exceeded" in cell.say("dd if=/dev/zero of=/tmp/big bs=1M count=20000 2>/dev/null")
        assert cell.run("stat -c %s /tmp/big").text == f"{8 << 20}\n"


@pytest.mark.docker
def test_a_container_that_fills_its_root_is_ended() -> None:
    disk = shutil.disk_usage("/").free
    with box("docker") as cell:
        cell.run(
            "cd /root; i=0; while dd if=/dev/zero of=f$i bs=1M count=20 2>/dev/null; do i=$((i+1)); done", timeout_s=60
        )
        until(lambda: not cell.sandbox.alive())
        assert "disk limit" in (cell.sandbox.reason() or "")
        assert disk - shutil.disk_usage("/").free < 6 * GB


def test_a_fork_bomb_stays_in_its_cell(cell: Box) -> None:
    cell.run("bomb() { bomb | bomb & }; bomb 2>/dev/null; sleep 1", timeout_s=10)
    assert subprocess.run(["true"], check=False).returncode == 0
    if cell.sandbox.shell_pid is not None:
        inside = Path(f"/proc/{cell.sandbox.shell_pid}/ns/pid").readlink()
        assert _members(str(inside)) <= 70


def _members(namespace: str) -> int:
    count = 0
    for path in Path("/proc").glob("[0-9]*/ns/pid"):
        try:
            count += str(path.readlink()) == namespace
        except OSError:
            continue
    return count


def test_a_memory_hog_is_killed_and_nobody_else(cell: Box) -> None:
    memory = available()
    ran = cell.run('python3 -c "x = [bytearray(1 << 20) for _ in range(20000)]"; echo code $?', timeout_s=60)
    assert "code 137" in ran.text or "MemoryError" in ran.text
    assert memory - available() < 6 * GB
    assert cell.sandbox.alive()
    assert cell.run("echo still").text == "still\n"


def test_killing_everything_kills_the_shell_only(kind: str, cell: Box) -> None:
    cell.type("kill -9 $$\r")
    until(lambda: not cell.sandbox.alive())
    assert cell.run("echo verify").text == "verify\n"


def test_no_new_user_namespace_in_which_to_mount(cell: Box) -> None:
    ran = cell.run("unshare --user --map-root-user --mount mount -t tmpfs none /mnt && echo mounted")
    assert "mounted" not in ran.text


def test_no_user_becomes_root(cell: Box) -> None:
    ran = cell.run("find / -xdev -perm -4000 -user root 2>/dev/null | head -1; grep NoNewPrivs /proc/self/status")
    assert "NoNewPrivs:\t1" in ran.text


@pytest.mark.sandbox
def test_a_local_machine_shows_only_the_told_names_of_etc() -> None:
    page = Path(__file__).parents[3].joinpath("docs", "terminal.md").read_text()
    row = next(line for line in page.splitlines() if line.startswith("| of `/etc`: "))
    told = set(re.findall(r"`([\w.-]+)`", row.split("|")[1].partition(":")[2]))
    with box("local") as local:
        mounts = local.run("cut -d' ' -f5 /proc/self/mountinfo").text.split()
        shown = {path.removeprefix("/etc/") for path in mounts if path.startswith("/etc/")}
        assert shown <= told == set(BOUND)
        assert local.run("cat /etc/vim/vimrc /etc/nanorc").text.startswith('" Settings of vim.\n')
