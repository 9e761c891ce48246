"""A seal says that all notes come of one whole curation of the tables as they are."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from tests.pipelines.lakes import files
from tests.pipelines.tapes import write_tapes
from worldtape.errors import InputError
from worldtape.pipelines.curate import CurateConfig, PoolsConfig, check_curated, curate, read_seal
from worldtape.pipelines.project import project
from worldtape.storage import Lake, tape_path
from worldtape.storage.lake import compact, forget, merge

OTHER = CurateConfig(pools=PoolsConfig(seed=1))


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Path:
    lake = tmp_path_factory.mktemp("made") / "lake"
    write_tapes(lake, 12, steps=4, oddities=False)
    project(lake, part_size=4, workers=0)
    curate(lake, workers=0)
    return lake


@pytest.fixture
def lake(made: Path, tmp_path: Path) -> Path:
    return Path(shutil.copytree(made, tmp_path / "lake"))


def stop(lake: Path, config: CurateConfig, after: int, stage: str) -> None:
    """Curate, and stop after some parts of a stage."""

    def progress(name: str, done: int, _: int) -> None:
        if (name, done) == (stage, after):
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        curate(lake, config=config, workers=0, progress=progress)


def test_a_whole_curation_is_sealed(lake: Path):
    seal = check_curated(Lake.open(lake))
    assert seal == read_seal(Lake.open(lake))
    assert seal.commit == Lake.open(lake).commit()
    assert set(seal.stages) == {"rules", "hashes", "exact_duplicates", "turn_classes", "pools"}
    before = files(lake, "notes")
    curate(lake, workers=0)
    assert files(lake, "notes") == before
    curate(lake, config=OTHER, workers=0)
    assert check_curated(Lake.open(lake)).notes != seal.notes


@pytest.mark.parametrize(("stage", "after"), [("pools", 1), ("pools", 2), ("pools", 3), ("funnel", 1)])
def test_one_that_stopped_is_not(lake: Path, stage: str, after: int):
    stop(lake, OTHER, after, stage)
    with pytest.raises(InputError, match="no curation of this lake has come to its end; run `worldtape curate` first"):
        check_curated(Lake.open(lake))
    curate(lake, config=OTHER, workers=0)
    check_curated(Lake.open(lake))


def test_one_that_found_nothing_to_do_keeps_the_seal(lake: Path):
    stop(lake, CurateConfig(), 1, "funnel")
    check_curated(Lake.open(lake))


def test_a_merge_breaks_it(lake: Path, tmp_path: Path):
    write_tapes(tmp_path / "more", 4, steps=4, first=100, oddities=False)
    project(tmp_path / "more", workers=0)
    curate(tmp_path / "more", config=OTHER, workers=0)
    merge(Lake.open(lake), [Lake.open(tmp_path / "more")])
    changed(lake)
    both = Lake.open(tmp_path / "both", create=True)
    merge(both, [Lake.open(tmp_path / "more")])
    with pytest.raises(InputError, match="no curation"):
        check_curated(both)


def test_compacting_and_a_replaced_tape_break_it(lake: Path):
    compact(Lake.open(lake))
    changed(lake)
    seal = lake / "notes" / "sealed.json"
    curate(lake, workers=0)
    sealed = seal.read_bytes()
    ids = sorted(tape.trajectory_id for tape in Lake.open(lake).tapes())
    target = tape_path(lake, ids[0], sealed=True)
    target.unlink()
    write_tapes(lake, 1, steps=3, oddities=False)
    project(lake, workers=0)
    assert seal.read_bytes() == sealed
    changed(lake)


def test_a_take_down_breaks_it(lake: Path):
    forget(Lake.open(lake), next(Lake.open(lake).tapes()).trajectory_id)
    changed(lake)


def test_other_notes_break_it(lake: Path, tmp_path: Path):
    other = Path(shutil.copytree(lake, tmp_path / "other"))
    curate(other, config=OTHER, workers=0)
    name = next(iter(sorted((other / "notes" / "pools").iterdir()))).name
    shutil.copy(other / "notes" / "pools" / name, lake / "notes" / "pools" / name)
    with pytest.raises(InputError, match="not those of one whole curation"):
        check_curated(Lake.open(lake))
    (lake / "notes" / "pools" / name).unlink()
    with pytest.raises(InputError, match="not those of one whole curation"):
        check_curated(Lake.open(lake))


def test_what_is_no_seal_is_one_clear_line(lake: Path):
    (lake / "notes" / "sealed.json").write_text("{}")
    with pytest.raises(InputError, match=r"sealed.json: this is no seal of a curation; run"):
        check_curated(Lake.open(lake))


def changed(lake: Path) -> None:
    with pytest.raises(InputError, match="the lake has changed since it was curated; run `worldtape curate` again"):
        check_curated(Lake.open(lake))
