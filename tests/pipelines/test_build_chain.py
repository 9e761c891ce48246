"""Tapes, projected and curated for real, then built: what one stage writes is what the next one reads."""

from __future__ import annotations

from pathlib import Path

import polars as pl
import pyarrow as pa
import pytest

from tests.pipelines.tapes import write_tapes
from worldtape.errors import InputError
from worldtape.pipelines.build import build_cpt, build_sft, read_action, read_observation, read_prediction
from worldtape.pipelines.curate import CurateReport, curate
from worldtape.pipelines.project import project
from worldtape.storage import Lake


@pytest.fixture(scope="module")
def curated(tmp_path_factory: pytest.TempPathFactory) -> tuple[Lake, CurateReport]:
    folder = tmp_path_factory.mktemp("chain") / "lake"
    write_tapes(folder, 100, steps=6)
    project(folder, part_size=10, workers=0)
    return Lake.open(folder), curate(folder, workers=0)


def table(out: Path) -> pl.DataFrame:
    return pl.concat([pl.read_parquet(path) for path in sorted(out.glob("*.parquet"))])


def test_the_funnel_goes_on(curated: tuple[Lake, CurateReport], tmp_path: Path) -> None:
    lake, report = curated
    for corpus, build in (("cpt", build_cpt), ("sft", build_sft)):
        built = build(lake, tmp_path / corpus, workers=0)
        pool = report.funnel.pools[corpus]
        context = sum(count for why, count in built.dropped.items() if "kept as context" in why)
        assert built.transitions_trained + context == pool["transitions"]
        assert built.trajectories_used == pool["trajectories"]
        card = (tmp_path / corpus / "README.md").read_text("utf-8")
        assert f"| kept |  | {report.funnel.line('kept').trajectories} |" in card
        assert "| rules | few_turns | -2 | -2 |" in card


def test_texts_are_those_of_the_lake(curated: tuple[Lake, CurateReport], tmp_path: Path) -> None:
    lake, _ = curated
    rows = pl.concat([lake.read(part) for part in lake.parts()])
    truth = {
        key: (action, seen)
        for key, action, seen in rows["transition_id", "action_text", "observation_text"].iter_rows()
    }
    build_cpt(lake, tmp_path / "cpt", workers=0)
    build_sft(lake, tmp_path / "sft", workers=0)
    for row in table(tmp_path / "cpt").iter_rows(named=True):
        users, answers = row["messages"][1::2], row["messages"][2::2]
        for user, answer, key in zip(users, answers, row["transition_ids"], strict=True):
            assert (read_action(user["content"]), read_observation(answer["content"])) == truth[key]
    for row in table(tmp_path / "sft").iter_rows(named=True):
        said = read_action(row["prompt"][-1]["content"]), read_prediction(row["completion"][0]["content"])
        assert said == truth[row["transition_id"]]


def test_pools_share_no_trajectory_and_splits_no_task(curated: tuple[Lake, CurateReport], tmp_path: Path) -> None:
    lake, _ = curated
    build_cpt(lake, tmp_path / "cpt", workers=0)
    build_sft(lake, tmp_path / "sft", workers=0)
    cpt, sft = table(tmp_path / "cpt"), table(tmp_path / "sft")
    assert not set(cpt["task_id"]) & set(sft["task_id"])
    for corpus in ("cpt", "sft"):
        shards = {split: list((tmp_path / corpus).glob(f"{split}-*")) for split in ("train", "validation")}
        tasks = {
            split: {t for path in paths for t in pl.read_parquet(path)["task_id"]} for split, paths in shards.items()
        }
        assert not tasks["train"] & tasks["validation"]


def test_a_part_that_was_projected_anew(tmp_path: Path) -> None:
    write_tapes(tmp_path / "lake", 10, steps=4)
    project(tmp_path / "lake", workers=0)
    curate(tmp_path / "lake", workers=0)
    lake = Lake.open(tmp_path / "lake")
    [rows], [heads] = lake.parts("transitions"), lake.parts("trajectories")
    changed = lake.read(rows).with_columns(observation_text=pl.col("observation_text") + "!")
    lake.write_part("terminal", rows.part_id, _arrow(lake.read(heads)), _arrow(changed))
    with pytest.raises(InputError, match="changed since it was curated"):
        build_cpt(lake, tmp_path / "out", workers=0)
    curate(lake, workers=0)
    assert build_cpt(lake, tmp_path / "out", workers=0).fresh


def _arrow(frame: pl.DataFrame) -> pa.Table:
    table = frame.to_arrow()
    assert isinstance(table, pa.Table)
    return table
