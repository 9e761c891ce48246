"""Recordings go into a local folder, and only there."""

from __future__ import annotations

import asyncio
from pathlib import Path

import pytest

from tests.pipelines._backend import install
from tests.pipelines._record import cli, job, tapes, write_suite
from worldtape.errors import ComponentError, InputError
from worldtape.pipelines.record import open_recorder, record
from worldtape.testing import FakeEnvironment


@pytest.fixture(autouse=True)
def _here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "here").mkdir()
    monkeypatch.chdir(tmp_path / "here")


def push(lake: str | Path) -> None:
    async def run() -> None:
        async with open_recorder(FakeEnvironment(), lake):
            pass

    asyncio.run(run())


@pytest.mark.parametrize(
    "lake", ["s3://bucket/x", Path("s3://bucket/x"), "memory://x", "simplecache::s3://b/x", "", " "]
)
def test_other_places_are_refused_and_nothing_is_made(tmp_path: Path, lake: str | Path) -> None:
    with pytest.raises(InputError, match=r"local|no name"):
        record(job(write_suite(tmp_path / "suite")), lake)
    with pytest.raises(InputError, match=r"merge FOLDER --into|--lake lake"):
        push(lake)
    assert not list(Path.cwd().iterdir())


@pytest.mark.parametrize("command", [["record", "job.yaml"], ["shell"]])
def test_commands_refuse_them_too(tmp_path: Path, command: list[str]) -> None:
    (tmp_path / "job.yaml").write_text("name: x\n")
    done = cli(*command, "--lake", "s3://bucket/x", cwd=tmp_path)
    assert done.returncode == 1
    assert len(done.stderr.splitlines()) == 1
    assert "--into s3://bucket/x" in done.stderr
    assert {path.name for path in tmp_path.iterdir()} == {"here", "job.yaml"}


def test_home_and_file_addresses_are_folders(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HOME", str(tmp_path))
    push("~/mine")
    push(f"file://{tmp_path}/other")
    assert len(tapes(tmp_path / "mine")) == len(tapes(tmp_path / "other")) == 1
    (tmp_path / "file").write_text("")
    with pytest.raises(InputError, match="a lake is a folder"):
        push(tmp_path / "file")


def test_what_cannot_start_leaves_no_lake(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    install(tmp_path, monkeypatch, environments="backed = tests.pipelines._backend:BackedKind")
    wanted = job(write_suite(tmp_path / "suite"), environment={"kind": "backed", "backend": str(tmp_path / "none")})
    with pytest.raises(ComponentError, match="does not answer"):
        record(wanted, tmp_path / "lake")
    assert not (tmp_path / "lake").exists()
