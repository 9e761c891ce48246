"""The engine of exports: what is chosen, what is left out, and a folder that is whole or not there."""

from __future__ import annotations

import errno
import json
from pathlib import Path
from typing import BinaryIO, ClassVar

import pytest

from tests.cli.test_commands import worldtape
from tests.pipelines.exporting import sample_lake
from tests.pipelines.lakes import Written, files
from worldtape import export, project
from worldtape.errors import FormatError, InputError, LockedError, NotFoundError, RefusedError, StorageError
from worldtape.pipelines._folder import workshop
from worldtape.pipelines.exporting import EXPORTERS
from worldtape.pipelines.exporting._files import Pieces
from worldtape.schemas import Domain, Episode
from worldtape.storage import Lake


class Lines:
    """A line for each trajectory; fails at some of them, on request."""

    name: ClassVar[str] = "lines"
    title: ClassVar[str] = "Lines"
    version: ClassVar[str] = "1"
    domains: ClassVar[tuple[Domain, ...]] = (Domain.TERMINAL,)
    suffix: ClassVar[str] = ".txt"
    lines: ClassVar[bool] = True
    loses: ClassVar[tuple[str, ...]] = ()

    def unfit(self, episode: Episode) -> str | None:
        tape = episode.tape()
        return None if tape is not None else "no tape"

    def write(self, episode: Episode, out: BinaryIO) -> int:
        row = episode.trajectory
        out.write(f"{row['trajectory_id']} {row['started_at']} {len(episode.transitions)}\n".encode())
        if row["trajectory_id"] == "b":
            raise FormatError("its tape is damaged")
        if row["trajectory_id"] == "c":
            raise ZeroDivisionError("oh")
        return len(episode.transitions)


class Single(Lines):
    """The same, a file for each."""

    name = "single"
    lines = False


class Full(Lines):
    """Meets the end of the disk."""

    name = "full"

    def write(self, episode: Episode, out: BinaryIO) -> int:
        raise OSError(errno.ENOSPC, "No space left on device", episode.trajectory["trajectory_id"])


@pytest.fixture
def _toys(monkeypatch: pytest.MonkeyPatch) -> None:
    paths = {each.name: f"{__name__}:{each.__name__}" for each in (Lines, Single)}
    monkeypatch.setattr(EXPORTERS, "_builtin", paths)


@pytest.fixture
def small(tmp_path: Path) -> Lake:
    """Four trajectories of two steps in two parts."""
    for name in "abcd":
        written = Written(tmp_path / "lake", name)
        written.ready()
        written.step(0)
        written.step(1)
        written.seal()
    project(tmp_path / "lake", workers=0, part_size=2)
    return Lake.open(tmp_path / "lake")


@pytest.fixture(scope="module")
def sample(tmp_path_factory: pytest.TempPathFactory) -> Lake:
    return sample_lake(tmp_path_factory.mktemp("export"))


def told(folder: Path) -> dict[str, str]:
    return {path.name: path.read_text() for path in sorted(folder.iterdir()) if path.name != "export.json"}


@pytest.mark.usefixtures("_toys")
def test_what_fails_leaves_nothing_behind(small: Lake, tmp_path: Path) -> None:
    report = export(small, tmp_path / "out", format="lines", workers=0)
    assert not report.ok
    assert (report.asked, report.trajectories, report.transitions, report.failed) == (4, 2, 4, 2)
    assert [(one.trajectory_id, one.failed) for one in report.named] == [("b", True), ("c", True)]
    assert "its tape is damaged" in report.named[0].reason
    assert "ZeroDivisionError: oh" in report.named[1].reason
    written = "".join(told(tmp_path / "out").values())
    assert [line.split()[0] for line in written.splitlines()] == ["a", "d"]
    assert report.bytes == len(written)


@pytest.mark.usefixtures("_toys")
def test_a_file_for_each(small: Lake, tmp_path: Path) -> None:
    report = export(small, tmp_path / "out", format="single", workers=0)
    assert sorted(told(tmp_path / "out")) == ["a.txt", "d.txt"]
    assert (report.files, report.bytes) == (2, sum(map(len, told(tmp_path / "out").values())))
    assert report.to_dict()["left_out"] == {"failed": 2}


@pytest.mark.usefixtures("_toys")
def test_a_tape_that_is_gone(small: Lake, tmp_path: Path) -> None:
    next(iter(Path(small.uri, "tapes").rglob("a.jsonl.zst"))).unlink()
    report = export(small, tmp_path / "out", format="lines", where="trajectory_id < 'b'", workers=0)
    assert report.ok
    assert dict(report.left_out) == {"no tape": 1}
    assert told(tmp_path / "out") == {}


@pytest.mark.parametrize("name", ["atif", "messages", "agentworldbench"])
def test_again_gives_the_same_bytes(name: str, sample: Lake, tmp_path: Path) -> None:
    first = export(sample, tmp_path / "out", format=name, workers=0)
    before = files(tmp_path, "out")
    assert export(sample, tmp_path / "out", format=name, workers=0) == first
    assert files(tmp_path, "out") == before
    assert [path.name for path in tmp_path.iterdir()] == ["out"]


def test_workers_change_nothing(sample: Lake, tmp_path: Path) -> None:
    export(sample, tmp_path / "one" / "out", format="messages", workers=0)
    export(sample, tmp_path / "two" / "out", format="messages", workers=2)
    assert files(tmp_path / "one", "out") == files(tmp_path / "two", "out")


@pytest.mark.parametrize(
    ("where", "count"),
    [
        ("domain = 'mcp'", 2),
        ("false", 0),
        ("true -- all of them", 17),
        ("trajectory_id IN (SELECT trajectory_id FROM transitions WHERE fault IS NOT NULL)", 1),
    ],
)
def test_where(where: str, count: int, sample: Lake, tmp_path: Path) -> None:
    report = export(sample, tmp_path / "out", format="atif", where=where, workers=0)
    assert report.asked == count
    manifest = json.loads((tmp_path / "out" / "export.json").read_bytes())
    assert (manifest["format"], manifest["version"]) == ("worldtape-export", "1.0")
    assert (manifest["export_version"], manifest["where"], manifest["report"]["asked"]) == ("1.7", where, count)


@pytest.mark.parametrize(
    ("where", "error"),
    [
        ("true); COPY trajectories TO 'x'; SELECT (1", InputError),
        ("no_such_column = 1", InputError),
        ("domain =", InputError),
        ("trajectory_id IN (SELECT content FROM read_text('/etc/hostname'))", RefusedError),
    ],
)
def test_where_only_reads(where: str, error: type[Exception], sample: Lake, tmp_path: Path) -> None:
    with pytest.raises(error):
        export(sample, tmp_path / "out", format="atif", where=where)
    assert list(tmp_path.iterdir()) == []


def test_a_full_disk_leaves_nothing(sample: Lake, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(EXPORTERS._builtin, "full", f"{__name__}:Full")
    with pytest.raises(StorageError, match="the disk is full"):
        export(sample, tmp_path / "out", format="full", workers=0)
    assert [path.name for path in tmp_path.iterdir()] == [".out.lock"]


def test_a_folder_that_holds_something_else(sample: Lake, tmp_path: Path) -> None:
    (tmp_path / "out").mkdir()
    (tmp_path / "out" / "thesis.tex").write_text("mine")
    with pytest.raises(InputError, match="something else"):
        export(sample, tmp_path / "out", format="atif")
    assert told(tmp_path / "out") == {"thesis.tex": "mine"}


def test_each_format_has_its_folder(sample: Lake, tmp_path: Path) -> None:
    export(sample, tmp_path / "out", format="messages", workers=0)
    with pytest.raises(InputError, match="'messages'"):
        export(sample, tmp_path / "out", format="atif")


def test_one_export_at_a_time(sample: Lake, tmp_path: Path) -> None:
    with workshop(tmp_path / "out", "f" * 64), pytest.raises(LockedError, match="somebody else"):
        export(sample, tmp_path / "out", format="atif")


def test_what_is_missing(sample: Lake, tmp_path: Path) -> None:
    with pytest.raises(NotFoundError, match="did you mean 'atif'"):
        export(sample, tmp_path / "out", format="atf")
    Lake.open(tmp_path / "empty", create=True)
    with pytest.raises(InputError, match="nothing to export"):
        export(tmp_path / "empty", tmp_path / "out", format="atif")


def test_files_of_lines_are_cut(tmp_path: Path) -> None:
    pieces = Pieces(tmp_path, Lines(), 3, limit=10)
    for text in (b"12345678\n", b"12345678\n", b"x\n"):
        with pieces.episode("") as file:
            file.write(text)
    pieces.close()
    assert told(tmp_path) == {"000003-000000.txt": "12345678\n12345678\n", "000003-000001.txt": "x\n"}
    assert pieces.bytes == 20


def test_the_command(sample: Lake, tmp_path: Path) -> None:
    out = str(tmp_path / "out")
    done = worldtape("export", sample.uri, "--format", "atif", "--out", out, "--where", "domain = 'terminal'")
    assert done.returncode == 0, done.stderr
    assert "no transition" in done.stdout
    assert f"14 of 15 trajectories in {out}" in done.stderr
    done = worldtape("export", sample.uri, "--format", "atif", "--out", out, "--json")
    assert json.loads(done.stdout)["trajectories"] == 16
    done = worldtape("export", sample.uri, "--format", "nope", "--out", out)
    assert (done.returncode, done.stdout) == (1, "")
    assert "known: agentworldbench" in done.stderr
