"""The image is found, pulled for so long and no longer, or built from what this machine itself is made of."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.collectors.terminal._needs import IMAGE, needs
from worldtape.collectors.terminal.image import ensure_image, main
from worldtape.collectors.terminal.sandbox.docker import _pull, _recipe
from worldtape.errors import ComponentError

STANZAS = """\
Types: deb deb-src
URIs: http://mirror.example/security
Suites: trixie-security
Components: main

# a comment
Types: deb
URIs: http://mirror.example/debian http://second.example/debian
Suites: trixie trixie-updates
Components: main contrib
"""


def test_the_mirror_is_the_machines_own(tmp_path: Path) -> None:
    (tmp_path / "sources.list").write_text("# deb http://no.example trixie main\n")
    folder = tmp_path / "sources.list.d"
    folder.mkdir()
    assert _recipe.mirror(tmp_path, "trixie") is None
    (folder / "debian.sources").write_text(STANZAS)
    assert _recipe.mirror(tmp_path, "trixie") == "http://mirror.example/debian"
    (tmp_path / "sources.list").write_text("deb [signed-by=/k.gpg arch=amd64] http://one.example/debian trixie main\n")
    assert _recipe.mirror(tmp_path, "trixie") == "http://one.example/debian"
    assert _recipe.mirror(tmp_path, "sid") is None


@pytest.mark.parametrize(
    ("name", "parts"),
    [
        ("debian", ("debian", "latest")),
        ("debian:sid", ("debian", "sid")),
        ("host:5000/a/b", ("host:5000/a/b", "latest")),
        ("host:5000/a/b:c", ("host:5000/a/b", "c")),
        ("a@sha256:00", ("a@sha256:00", None)),
    ],
)
def test_names_are_taken_apart(name: str, parts: tuple[str, str | None]) -> None:
    assert _pull.split(name) == parts


@pytest.mark.docker
def test_a_local_image_is_found(capsys: pytest.CaptureFixture[str]) -> None:
    needs("docker")
    found = ensure_image(IMAGE)
    assert found.name == IMAGE
    assert found.how == "local"
    assert found.digest.startswith("sha256:")
    assert main([IMAGE]) == 0
    assert capsys.readouterr().out == f"{IMAGE} {found.digest}\n"


@pytest.mark.docker
def test_what_was_tried_is_told(capsys: pytest.CaptureFixture[str]) -> None:
    needs("docker")
    with pytest.raises(ComponentError, match=r"there is no such image \(not pulled"):
        ensure_image("127.0.0.1:9/none/such:x", pull_s=5)
    assert main(["no image name"]) == 1
    assert capsys.readouterr().err.count("\n") == 1
