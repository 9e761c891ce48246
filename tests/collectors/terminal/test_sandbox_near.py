"""A container's terminal that we hold: in its own `/dev/pts`, its user's, and of the right size from the start."""

from __future__ import annotations

import os
import stat

import pytest

from tests.collectors.terminal._box import box
from tests.collectors.terminal._needs import needs
from tests.collectors.terminal._play import play
from worldtape.collectors.terminal import resize
from worldtape.collectors.terminal.sandbox.docker import _sandbox

pytestmark = pytest.mark.docker


@pytest.mark.skipif(os.geteuid() != 0, reason="only root may look into a container")
def test_nothing_stands_between_the_shell_and_us() -> None:
    with box("docker") as cell:
        assert stat.S_ISCHR(os.fstat(cell.sandbox.fd).st_mode)


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
