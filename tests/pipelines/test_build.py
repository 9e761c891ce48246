"""Corpora from a lake: rows, loading, identity, and folders that are never mixed."""

from __future__ import annotations

import hashlib
import shutil
from pathlib import Path
from typing import Any

import pyarrow.parquet as pq
import pytest

from tests.pipelines.build_lake import Told, plain_lake, seal, turns, write_lake
from worldtape.errors import FormatError, InputError, LockedError, NotFoundError
from worldtape.pipelines._folder import workshop
from worldtape.pipelines.build import BuildReport, CptConfig, SftConfig, build_cpt, build_sft
from worldtape.storage import Lake

BUILDS: dict[str, Any] = {"cpt": build_cpt, "sft": build_sft}


@pytest.fixture(scope="module")
def lake(tmp_path_factory: pytest.TempPathFactory) -> Lake:
    return plain_lake(tmp_path_factory.mktemp("plain") / "lake")


@pytest.fixture
def cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("HF_HUB_OFFLINE", "1")
    return tmp_path / "cache"


def rows(out: Path, split: str = "train") -> list[dict[str, Any]]:
    return [row for path in sorted(out.glob(f"{split}-*.parquet")) for row in pq.read_table(path).to_pylist()]


def digests(out: Path) -> dict[str, str]:
    return {path.name: hashlib.sha256(path.read_bytes()).hexdigest() for path in sorted(out.iterdir())}


def adds_up(report: BuildReport) -> bool:
    transitions = report.transitions_trained + sum(report.dropped.values())
    trajectories = report.trajectories_used + sum(report.trajectories_dropped.values())
    return (transitions, trajectories) == (report.transitions_read, report.trajectories_read)


@pytest.mark.parametrize("corpus", ["cpt", "sft"])
def test_datasets_loads_it(lake: Lake, corpus: str, tmp_path: Path, cache: Path) -> None:
    import datasets

    out = tmp_path / corpus
    report = BUILDS[corpus](lake, out, workers=0)
    loaded = datasets.load_dataset(str(out), cache_dir=str(cache))
    assert {split: loaded[split].num_rows for split in loaded} == report.rows
    assert set(loaded) == {"train", "validation"}
    assert list(loaded["train"]) == rows(out)
    assert loaded["train"].features == loaded["validation"].features
    chat = datasets.List({"role": datasets.Value("large_string"), "content": datasets.Value("large_string")})
    assert loaded["train"].features["messages" if corpus == "cpt" else "prompt"] == chat
    assert adds_up(report)
    streamed = datasets.load_dataset(str(out), streaming=True, cache_dir=str(cache))
    assert next(iter(streamed["validation"])) == loaded["validation"][0]


@pytest.mark.parametrize(("corpus", "counts"), [("cpt", (0, 1, 2)), ("sft", (0, 2))])
def test_workers_change_no_byte(lake: Lake, corpus: str, counts: tuple[int, ...], tmp_path: Path) -> None:
    found = []
    for workers in counts:
        BUILDS[corpus](lake, tmp_path / f"{workers}", workers=workers)
        found.append(digests(tmp_path / f"{workers}"))
    assert all(one == found[0] for one in found)
    assert "README.md" in found[0]


@pytest.mark.parametrize("corpus", ["cpt", "sft"])
def test_every_shard_has_the_same_schema(lake: Lake, corpus: str, tmp_path: Path, cache: Path) -> None:
    import datasets

    config = (CptConfig if corpus == "cpt" else SftConfig)(shard_bytes=4096, group_bytes=8192)
    report = BUILDS[corpus](lake, tmp_path / "out", config=config, workers=0)
    shards = sorted((tmp_path / "out").glob("*.parquet"))
    assert len(shards) > 4
    assert [shard.name for shard in report.shards] == [path.name for path in shards]
    assert len({pq.read_schema(path).serialize().to_pybytes() for path in shards}) == 1
    for path in shards:
        file = pq.ParquetFile(path)
        assert all(file.metadata.row_group(n).total_byte_size < 32_768 for n in range(file.num_row_groups))
    loaded = datasets.load_dataset(str(tmp_path / "out"), cache_dir=str(cache))
    assert loaded["train"].num_rows == report.rows["train"]
    whole = BUILDS[corpus](lake, tmp_path / "whole", workers=0)
    assert rows(tmp_path / "whole") == rows(tmp_path / "out")
    assert whole.counts == report.counts


def test_second_build_is_the_first(lake: Lake, tmp_path: Path) -> None:
    first = build_cpt(lake, tmp_path / "out", workers=0)
    stamp = (tmp_path / "out" / "README.md").stat().st_mtime_ns
    again = build_cpt(lake, tmp_path / "out", workers=0)
    assert (first.fresh, again.fresh) == (True, False)
    assert (tmp_path / "out" / "README.md").stat().st_mtime_ns == stamp
    assert again.to_dict() | {"fresh": True} == first.to_dict()


def test_another_build_replaces_the_whole_folder(lake: Lake, tmp_path: Path) -> None:
    out = tmp_path / "out"
    build_cpt(lake, out, config=CptConfig(shard_bytes=4096), workers=0)
    build_sft(lake, out, workers=0)
    build_sft(lake, tmp_path / "fresh", workers=0)
    assert digests(out) == digests(tmp_path / "fresh")
    assert [path.name for path in sorted(tmp_path.iterdir())] == ["fresh", "out"]


def test_another_curation_is_another_corpus(tmp_path: Path) -> None:
    told = [Told("a", turns=turns(3))]
    lake = write_lake(tmp_path / "lake", told)
    first = build_cpt(lake, tmp_path / "out", workers=0)
    told[0].verdicts[1] = ("rules", "no_change")
    write_lake(tmp_path / "lake", told)
    second = build_cpt(lake, tmp_path / "out", workers=0)
    assert second.fresh
    assert (first.lake_commit, first.transitions_trained) == (second.lake_commit, 3)
    assert second.dropped == {"rules: no_change": 1}


def test_a_damaged_corpus_is_built_again(lake: Lake, tmp_path: Path) -> None:
    out = tmp_path / "out"
    build_cpt(lake, out, workers=0)
    before = digests(out)
    next(out.glob("train-*")).unlink()
    assert build_cpt(lake, out, workers=0).fresh
    assert digests(out) == before


def test_a_folder_of_something_else_is_left_alone(lake: Lake, tmp_path: Path) -> None:
    (tmp_path / "out").mkdir()
    (tmp_path / "out" / "thesis.txt").write_text("mine")
    with pytest.raises(InputError, match="holds something else"):
        build_cpt(lake, tmp_path / "out", workers=0)
    with pytest.raises(InputError, match="file of this name"):
        build_cpt(lake, tmp_path / "out" / "thesis.txt", workers=0)
    assert (tmp_path / "out" / "thesis.txt").read_text() == "mine"


def test_a_link_to_a_folder(lake: Lake, tmp_path: Path) -> None:
    (tmp_path / "disk" / "cpt").mkdir(parents=True)
    (tmp_path / "out").symlink_to(tmp_path / "disk" / "cpt")
    for seed in (0, 1):
        build_cpt(lake, tmp_path / "out", config=CptConfig(seed=seed), workers=0)
    assert (tmp_path / "out").is_symlink()
    assert rows(tmp_path / "disk" / "cpt")


def test_a_lake_that_is_no_folder(lake: Lake, tmp_path: Path) -> None:
    import fsspec

    memory = fsspec.filesystem("memory")
    memory.put(f"{lake}/", "/corpora-lake", recursive=True)
    report = build_cpt("memory://corpora-lake", tmp_path / "out", workers=0)
    here = build_cpt(lake, tmp_path / "here", workers=0)
    assert report.fingerprint == here.fingerprint
    assert digests(tmp_path / "out") == digests(tmp_path / "here")


def test_two_builds_into_one_folder(lake: Lake, tmp_path: Path) -> None:
    with workshop(tmp_path / "out", "f" * 64), pytest.raises(LockedError, match="somebody else"):
        build_cpt(lake, tmp_path / "out", workers=0)


def test_a_stopped_build_goes_on_where_it_was(lake: Lake, tmp_path: Path) -> None:
    out, done = tmp_path / "out", []

    def stop(count: int, _: int) -> None:
        done.append(count)
        if count == 3:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        build_cpt(lake, out, workers=0, progress=stop)
    left = {path.name: path.stat().st_mtime_ns for path in tmp_path.glob(".out.build-*/*.json")}
    assert len(left) == 3
    assert not out.exists()
    kept = shutil.copytree(next(tmp_path.glob(".out.build-*")), tmp_path / "copy")
    report = build_cpt(lake, out, workers=0)
    assert adds_up(report)
    assert len(list(kept.glob("*.json"))) == 3
    build_cpt(lake, tmp_path / "fresh", workers=0)
    assert digests(out) == digests(tmp_path / "fresh")


def test_what_was_not_curated_is_refused(tmp_path: Path) -> None:
    lake = write_lake(tmp_path / "lake", [Told("a", turns=turns(3))])
    next((tmp_path / "lake" / "notes" / "pools").iterdir()).unlink()
    with pytest.raises(InputError, match=r"pools.*worldtape curate"):
        build_cpt(lake, tmp_path / "out", workers=0)
    with pytest.raises(NotFoundError):
        build_cpt(tmp_path / "nowhere", tmp_path / "out", workers=0)
    assert not (tmp_path / "out").exists()


@pytest.mark.parametrize("workers", [0, 1])
def test_a_corrupt_part_is_one_line(tmp_path: Path, workers: int) -> None:
    lake = write_lake(tmp_path / "lake", [Told(f"{n}", turns=turns(3)) for n in range(4)], per_part=1)
    part = sorted((tmp_path / "lake" / "transitions" / "domain=terminal").iterdir())[2]
    part.write_bytes(part.read_bytes()[:-20])
    with pytest.raises(InputError, match="has changed since it was curated"):
        build_cpt(lake, tmp_path / "out", workers=workers)
    seal(lake)
    with pytest.raises(FormatError) as caught:
        build_cpt(tmp_path / "lake", tmp_path / "out", workers=workers)
    assert part.name in str(caught.value)
    assert "\n" not in str(caught.value)
    assert not (tmp_path / "out").exists()


def test_a_lake_that_changes_meanwhile(tmp_path: Path) -> None:
    lake = write_lake(tmp_path / "lake", [Told("a", turns=turns(3)), Told("b", turns=turns(3))], per_part=1)

    def meddle(*_: int) -> None:
        note = lake.note_parts("rules")[-1]
        lake.write_note("rules", note.part_id, lake.read(note).head(1).to_arrow())

    with pytest.raises(InputError, match="changed while it was read"):
        build_cpt(lake, tmp_path / "out", workers=0, progress=meddle)
    assert sorted(path.name for path in tmp_path.iterdir()) == [".out.lock", "lake"]


def test_an_empty_pool_gives_an_empty_corpus(tmp_path: Path) -> None:
    lake = write_lake(tmp_path / "lake", [Told("a", pool="bench", turns=turns(3))])
    report = build_sft(lake, tmp_path / "out", workers=0)
    assert (report.rows, report.shards) == ({}, ())
    assert report.dropped == {"pool: bench": 3}
    assert adds_up(report)


def test_the_card_tells_the_funnel(lake: Lake, tmp_path: Path) -> None:
    import yaml

    report = build_cpt(lake, tmp_path / "out", config=CptConfig(seed=3, licence="MIT"), workers=0)
    text = (tmp_path / "out" / "README.md").read_text()
    _, header, body = text.split("---\n", 2)
    head = yaml.safe_load(header)
    assert head["license"] == "mit"
    assert [one["split"] for one in head["configs"][0]["data_files"]] == ["train", "validation"]
    assert f"| in the lake | 40 | {report.transitions_read} |" in body
    for reason, count in report.dropped.items():
        assert f"| {reason} |" in body
        assert f"| -{count} |" in body
    assert report.lake_commit in body
    assert "seed: 3" in body
    assert str(tmp_path) not in text
    assert "{{" not in text
    assert "\n\n\n" not in text
