"""A container's terminal that we hold: in its own `/dev/pts`, its user's, and of the right size from the start."""

from __future__ import annotations

import os
import stat
from pathlib import Path
from typing import TYPE_CHECKING, Any, cast

import pytest

from tests.collectors.terminal._box import box
from tests.collectors.terminal._needs import needs
from tests.collectors.terminal._play import play
from worldtape.collectors.terminal import _proc, resize
from worldtape.collectors.terminal.sandbox._pty import open_master
from worldtape.collectors.terminal.sandbox.docker import _near, _sandbox
from worldtape.errors import ComponentError

if TYPE_CHECKING:
    from worldtape.collectors.terminal.sandbox.docker import Docker

pytestmark = pytest.mark.docker
ROOT = pytest.mark.skipif(os.geteuid() != 0, reason="only root may look into a container")


@ROOT
def test_nothing_stands_between_the_shell_and_us() -> None:
    with box("docker") as cell:
        assert stat.S_ISCHR(os.fstat(cell.sandbox.fd).st_mode)


@ROOT
@pytest.mark.parametrize("options", [{"user": "1234"}, {"workdir": "/dev/null"}], ids=["not its terminal", "refused"])
def test_a_try_that_fails_leaves_nothing_behind(options: dict[str, str]) -> None:
    with box("docker") as cell:
        docker = cast("Docker", cell.sandbox)
        before = processes(docker), masters()
        assert _near.near(docker._client, str(docker._container), None, options, (80, 24)) is None
        assert (processes(docker), masters()) == before


@ROOT
@pytest.mark.parametrize("patient", [True, False])
def test_a_reader_that_comes_too_late_is_seen_out(patient: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    slow = "#!/bin/bash\ntrap '' HUP\nsleep 1\n"
    with box("docker") as cell:
        docker = cast("Docker", cell.sandbox)
        cell.run(f'rm /bin/sh; printf %s "{slow}" > /bin/sh; chmod +x /bin/sh')
        before = processes(docker), masters()
        monkeypatch.setattr(_near, "START_S", 0.0)
        monkeypatch.setattr(_near, "_GONE_S", 30.0 if patient else 0.0)
        asked: Any = (docker._client, str(docker._container), None, {}, (80, 24))
        if not patient:
            with pytest.raises(ComponentError, match="does not end"):
                _near.near(*asked)
        else:
            assert _near.near(*asked) is None
            assert processes(docker) == before[0]
        assert masters() == before[1]


def processes(docker: Docker) -> list[list[str]]:
    return sorted(docker._client.top(str(docker._container), "-eo pid,args")["Processes"])


def masters() -> int:
    """How many terminals this process holds."""
    files = (Path("/proc/self/fd", name) for name in _proc.names("/proc/self/fd"))
    return sum(file.stat().st_rdev == os.makedev(5, 2) for file in files if file.exists())


def test_a_link_out_of_the_container_is_not_followed(tmp_path: Path) -> None:
    for name, at in (("link", "dev/pts/ptmx"), ("folder", "dev/pts"), ("higher", "dev"), ("file", "dev/pts/ptmx")):
        place = tmp_path / name / at
        place.parent.mkdir(parents=True)
        if name == "file":
            place.touch()
        else:
            place.symlink_to(f"/{at}")
        before = _proc.names("/proc/self/fd")
        with pytest.raises(OSError, match=str(tmp_path) + "|Not a directory"):
            open_master(str(tmp_path / name), 80, 24)
        assert _proc.names("/proc/self/fd") == before


@pytest.mark.parametrize("user", [None, "nobody", "1234:1234"])
@pytest.mark.parametrize("near", [True, False])
def test_it_is_the_users_terminal(user: str | None, near: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    needs("docker")
    if not near:
        monkeypatch.setattr(_sandbox, "near", lambda *asked: None)
    done = play(
        "tty; echo written > $(tty); stat -c '%U %a' $(tty); stty size; exec 3<>/dev/tty && echo its-own",
        resize(90, 30),
        "stty size; sleep 60 & jobs",
        sandbox="docker",
        user=user,
    )
    first, _, last = (result.observation.text for result in done.results)
    assert first.split("\n")[1:3] == ["/dev/pts/0", "written"]
    assert "\n40 160\nits-own\n" in first
    assert "no job control" not in first
    assert "\n30 90\n" in last
    assert "Running" in last
