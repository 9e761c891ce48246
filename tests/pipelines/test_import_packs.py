"""The trajectories of one source stand in packs; a lake treats them as it treats tapes in files of their own."""

from __future__ import annotations

import gc
import os
import shutil
import subprocess
import sys
import weakref
from pathlib import Path

import pytest

from tests.pipelines.importing import Toy, only, put, rows, toy
from tests.pipelines.lakes import files
from worldtape import Lake, import_files, project, query
from worldtape.errors import FormatError, NotFoundError
from worldtape.storage import TapeReader, find_tapes, recover, validate
from worldtape.storage.lake import forget, merge, plain_tape, summary
from worldtape.storage.tapes import shelf
from worldtape.storage.tapes.pack import PackWriter, pack_at

TABLES = ("trajectories", "transitions", "notes")
RUN = (
    "import sys; from tests.pipelines.importing import Toy, only; from worldtape import import_files;"
    "import pytest; only(pytest.MonkeyPatch(), Toy)\n"
    "try: import_files([sys.argv[1]], sys.argv[2], workers=0)\n"
    "except Exception as error: print(type(error).__name__, error)"
)
LONG = "y" * 100_000
"""Large enough for a blob."""


@pytest.fixture(autouse=True)
def _toy(monkeypatch: pytest.MonkeyPatch) -> None:
    only(monkeypatch, Toy)


@pytest.fixture
def lake(tmp_path: Path) -> Path:
    """A lake with one pack of 40 tapes in two frames; two of them name the same blob."""
    words = [toy((f"c{number}", f"{number} {'z' * 9000}")) for number in range(38)]
    put(tmp_path / "in" / "a.jsonl", rows(*words, toy(("one", LONG)), toy(("two", LONG))))
    assert import_files([tmp_path / "in"], tmp_path / "lake", workers=0).total.trajectories == 40
    return tmp_path / "lake"


def pack(lake: Path) -> Path:
    (found,) = (lake / "tapes").rglob("*.pack")
    return found


def named(lake: Path, action: str) -> str:
    sql = f"SELECT trajectory_id FROM transitions WHERE action_text = '{action}'"
    (found,) = query(lake, sql)["trajectory_id"].to_pylist()
    return str(found)


def test_every_tape_is_sound(lake: Path) -> None:
    paths = list(find_tapes(lake))
    assert len(paths) == 40
    assert {path.parent for path in paths} == {pack(lake)}
    for path in paths:
        assert validate(path).problems == []
        assert TapeReader(path).trajectory_id == path.name
    refs = list(Lake.open(lake).tapes())
    assert sorted(paths) == [Path(ref.path) for ref in refs]
    assert all(ref.sealed and ref.domain == "mcp" for ref in refs)


def test_one_alone_has_a_file_of_its_own(tmp_path: Path) -> None:
    put(tmp_path / "a.jsonl", rows(toy(("c", "C"))))
    import_files([tmp_path / "a.jsonl"], tmp_path / "lake", workers=0)
    (path,) = find_tapes(tmp_path / "lake")
    assert path.name.endswith(".jsonl.zst")


def test_packs_have_a_largest_size(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(shelf, "_PACK", 1000)
    noise = "".join(chr(33 + number * number % 89) for number in range(60_000))
    put(tmp_path / "a.jsonl", rows(*(toy((f"c{number}", noise[number:])) for number in range(20))))
    for added in (20, 0):
        assert import_files([tmp_path / "a.jsonl"], tmp_path / "lake", workers=0).total.trajectories == added
        assert len(set(find_tapes(tmp_path / "lake"))) == 20
    assert len({path.parent for path in find_tapes(tmp_path / "lake")}) > 1


def test_what_a_killed_import_left_out_comes_in_beside(lake: Path) -> None:
    project(lake, workers=0)
    before = pack(lake)
    forget(Lake.open(lake), named(lake, "c3"))
    (lake / "forgotten.jsonl").unlink()
    report = import_files([lake.parent / "in"], lake, workers=0)
    assert (report.total.trajectories, report.total.present) == (1, 39)
    assert len(list(find_tapes(lake))) == 40
    assert before.exists()


def test_forgetting_one_leaves_the_others_and_their_blob(lake: Path) -> None:
    project(lake, workers=0)
    gone, other = named(lake, "one"), named(lake, "two")
    kept = {path.name: list(TapeReader(path).events()) for path in find_tapes(lake) if path.name != gone}
    assert forget(Lake.open(lake), gone).blobs == 1, "its record; the other has the same observation"
    assert {path.name: list(TapeReader(path).events()) for path in find_tapes(lake)} == kept
    assert project(lake, workers=0).set_aside == {}
    forget(Lake.open(lake), other)
    assert list(Lake.open(lake).blobs) == []
    for path in list(find_tapes(lake)):
        forget(Lake.open(lake), path.name)
    assert list((lake / "tapes").rglob("*.pack")) == []


def test_projection_does_not_depend_on_workers_nor_on_the_place_of_the_lake(
    lake: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    copy = tmp_path / "copy"
    shutil.copytree(lake, copy)
    project(lake, part_size=9, workers=0)
    project(copy, part_size=9, workers=2)
    assert files(lake, *TABLES) == files(copy, *TABLES)
    remote = Lake.open("memory://packs", create=True)
    for path in (*lake.glob("tapes/*/*"), *(p for p in lake.glob("blobs/**/*") if p.is_file())):
        remote.store.write(str(path.relative_to(lake)), path.read_bytes())
    assert project(remote, part_size=9, workers=0).trajectories == 40
    asked: list[str] = []
    monkeypatch.setattr(remote.store, "stamp", asked.append)
    names = [tape.name for tape in sorted(remote.tapes(), key=lambda tape: tape.place)]
    local = pack_at(pack(lake))
    assert [plain_tape(remote, name) for name in names] == [local.read(Path(name).name) for name in names]
    assert len(asked) == 1 + len({tape.frame for tape in local.tapes.values()}), "for the list, and for each frame"
    freed = weakref.ref(remote)
    assert {part.name for part in remote.parts()} == {part.name for part in Lake.open(lake).parts()}
    monkeypatch.undo()
    del remote
    gc.collect()
    assert freed() is None, "its pack goes with it"


def test_merging_takes_packs_along(lake: Path, tmp_path: Path) -> None:
    project(lake, workers=0)
    source, into = Lake.open(lake), Lake.open(tmp_path / "into", create=True)
    assert merge(into, [source]).tapes == 40
    assert pack(tmp_path / "into").read_bytes() == pack(lake).read_bytes()
    assert merge(into, [source]).tapes == 0
    assert project(into, workers=0).projected == 0
    partly = Lake.open(tmp_path / "partly", create=True)
    merge(partly, [source])
    forget(into, named(lake, "c1"))
    (tmp_path / "into" / "forgotten.jsonl").unlink()
    assert merge(into, [partly]).tapes == 1
    assert len(list(find_tapes(tmp_path / "into"))) == 40
    assert project(into, workers=0).trajectories == 40


def test_a_damaged_pack_is_told_and_recovery_goes_on(lake: Path) -> None:
    path = pack(lake)
    put(lake.parent / "b.json", toy(("c", "C")))
    import_files([lake.parent / "b.json"], lake, workers=0)
    whole = path.read_bytes()
    path.write_bytes(whole[:-5])
    report = project(lake, workers=0)
    assert (report.recordings, report.trajectories, list(report.set_aside)) == (2, 1, [path.name])
    assert "no readable index" in report.set_aside[path.name]
    with pytest.raises(FormatError, match="recover"):
        forget(Lake.open(lake), next(find_tapes(lake)).name)
    done = recover(str(lake)).tapes
    assert done.sealed == 41
    assert ["40 of its tapes are whole" in problem for problem in done.problems] == [True]
    assert path.read_bytes() == whole
    assert recover(str(lake)).tapes.problems == []
    assert project(lake, workers=0).trajectories == 41
    forget(Lake.open(lake), named(lake, "c3"))
    assert [file.name for file in path.parent.glob("*.damaged*")] == [], "nobody can read whether it is there"


@pytest.mark.parametrize("share", [0, 0.4, 0.7])
def test_a_torn_pack_loses_what_was_torn_off(lake: Path, tmp_path: Path, share: float) -> None:
    path = pack(lake)
    whole = path.read_bytes()
    path.write_bytes(whole[: int(len(whole) * share)])
    again = tmp_path / "again"
    shutil.copytree(lake, again)
    assert import_files([tmp_path / "in"], again, workers=0).total.trajectories == 40
    assert project(again, workers=0).trajectories == 40
    kept = recover(str(lake)).tapes.sealed
    assert kept < 40
    assert bool(kept) == bool(share)
    assert import_files([tmp_path / "in"], lake, workers=0).total.present == kept
    report = project(lake, workers=0)
    assert (report.trajectories, report.set_aside) == (40, {})
    assert recover(str(again)).tapes.sealed == 40 + kept
    assert project(again, workers=0).trajectories == 40


def test_a_bad_pack_stays_where_it_is_when_lakes_are_merged(lake: Path, tmp_path: Path) -> None:
    path = pack(lake)
    path.write_bytes(path.read_bytes()[:-5])
    done = merge(Lake.open(tmp_path / "into", create=True), [Lake.open(lake)])
    assert (done.tapes, done.open) == (0, [str(path)])
    assert summary(Lake.open(lake)).unprojected == 1
    assert len(validate(path).problems) == 1


def test_names_in_an_index_cannot_climb_out(tmp_path: Path) -> None:
    path = tmp_path / "lake" / "tapes" / "ab" / f"ab{'0' * 30}-0.pack"
    path.parent.mkdir(parents=True)
    with path.open("wb") as file:
        writer = PackWriter(file)
        writer.add("../../../climbed", "mcp", b"x")
        writer.finish()
    (tape,) = Lake.open(tmp_path / "lake").tapes()
    assert tape.trajectory_id == path.name


def test_a_full_disk_ends_an_import_on_one_line(lake: Path, tmp_path: Path) -> None:
    code = "import resource; resource.setrlimit(resource.RLIMIT_FSIZE, (70_000, 70_000)); " + RUN
    noise = [os.urandom(30_000).hex() for _ in range(20)]
    put(tmp_path / "more.jsonl", rows(*(toy(("c", text)) for text in noise)))
    done = subprocess.run(
        [sys.executable, "-c", code, str(tmp_path / "more.jsonl"), str(lake)],
        capture_output=True,
        text=True,
        check=False,
    )
    assert "StorageError" in done.stdout, done.stderr
    assert [*lake.rglob("*.part-tmp")] == []
    assert len(list(find_tapes(lake))) == 40


def test_a_take_down_does_not_mind_damage_elsewhere(lake: Path) -> None:
    project(lake, workers=0)
    path, gone = pack(lake), named(lake, "c37")
    data = bytearray(path.read_bytes())
    data[200] ^= 0xFF
    path.write_bytes(data)
    forget(Lake.open(lake), gone)
    assert len(list(find_tapes(lake))) == 39


def test_a_damaged_frame_sets_its_tapes_aside(lake: Path) -> None:
    path = pack(lake)
    data = bytearray(path.read_bytes())
    data[200] ^= 0xFF
    path.write_bytes(data)
    report = project(lake, workers=0)
    assert report.trajectories + len(report.set_aside) == 40
    assert 0 < len(report.set_aside) < 40


def test_what_is_not_in_the_pack_is_not_found(lake: Path) -> None:
    with pytest.raises(NotFoundError):
        TapeReader(pack(lake) / "nobody")
