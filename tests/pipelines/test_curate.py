"""Curation judges every turn once, says why, and does only what is not done yet."""

from __future__ import annotations

import shutil
from collections import Counter
from pathlib import Path
from typing import Any

import orjson
import polars as pl
import pytest

from tests.pipelines.lakes import files, killed_in_the_middle
from tests.pipelines.tapes import trajectory_id, write_tapes
from worldtape.errors import ConfigError, InputError
from worldtape.filters.few_turns import FewTurns
from worldtape.filters.turn_classes import TurnClasses
from worldtape.pipelines._stage import Context, Stage
from worldtape.pipelines.curate import (
    CurateConfig,
    CurateReport,
    DuplicatesConfig,
    PoolsConfig,
    RulesConfig,
    _duplicates,
    curate,
)
from worldtape.pipelines.curate._pools import deal
from worldtape.pipelines.project import project
from worldtape.schemas.columns import VERDICTS
from worldtape.schemas.settings import parse_settings
from worldtape.storage import Lake, connect

STAGES = ("rules", "hashes", "exact_duplicates", "turn_classes", "pools")


def note(lake: Path, stage: str) -> pl.DataFrame:
    opened = Lake.open(lake)
    return pl.concat([opened.read(part) for part in opened.note_parts(stage)])


def ran(report: CurateReport) -> dict[str, int]:
    return {stage.stage: stage.ran for stage in report.stages}


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A projected lake of 16 parts; copy it before you change it."""
    lake = tmp_path_factory.mktemp("made") / "lake"
    write_tapes(lake, 64, steps=4)
    assert project(lake, part_size=4, workers=0).parts == 16
    return lake


@pytest.fixture
def lake(made: Path, tmp_path: Path) -> Path:
    return Path(shutil.copytree(made, tmp_path / "lake"))


@pytest.mark.slow
def test_notes_do_not_depend_on_workers_and_both_work(made, tmp_path):
    found = []
    for workers in (0, 1, 2):
        copy = shutil.copytree(made, tmp_path / str(workers))
        report = curate(copy, workers=workers)
        assert ran(report) == dict.fromkeys(STAGES, 16)
        found.append(files(copy, "notes", "trajectories", "transitions"))
    assert found[1:] == [found[0], found[0]]
    assert found[0].items() >= files(made, "trajectories", "transitions").items()
    tasks = sum((stage.workers for stage in report.stages), Counter[str]())
    assert len(tasks) == 2
    assert min(tasks.values()) >= 0.3 * sum(tasks.values())


def test_a_second_run_does_nothing(lake):
    first = curate(lake, workers=0)
    before = files(lake, "notes")
    second = curate(lake, workers=0)
    assert ran(second) == dict.fromkeys(STAGES, 0)
    assert (second.funnel, second.classes) == (first.funnel, first.classes)
    assert files(lake, "notes") == before


@pytest.mark.parametrize(
    ("config", "affected"),
    [
        (CurateConfig(rules=RulesConfig(few_turns=FewTurns(minimum=3))), {"rules", "exact_duplicates"}),
        (CurateConfig(duplicates=DuplicatesConfig(cap=1)), {"exact_duplicates"}),
        (CurateConfig(turn_classes=TurnClasses(short_chars=1)), {"turn_classes"}),
        (CurateConfig(pools=PoolsConfig(seed=1)), {"pools"}),
    ],
)
def test_other_settings_run_exactly_what_they_affect(lake, config, affected):
    curate(lake, workers=0)
    assert ran(curate(lake, config=config, workers=0)) == {s: 16 if s in affected else 0 for s in STAGES}
    back = curate(lake, workers=0)
    assert {stage for stage, count in ran(back).items() if count} == affected


def test_a_new_part_is_judged_and_the_old_ones_are_left(lake):
    curate(lake, workers=0)
    write_tapes(lake, 4, steps=4, first=1000, oddities=False)
    project(lake, workers=0)
    found = ran(curate(lake, workers=0))
    assert found == {"rules": 1, "hashes": 1, "exact_duplicates": 17, "turn_classes": 1, "pools": 1}


def test_a_changed_part_is_judged_again(lake):
    curate(lake, workers=0)
    opened = Lake.open(lake)
    part = opened.parts()[0]
    heads = next(p for p in opened.parts("trajectories") if p.part_id == part.part_id)
    turns = opened.read(part).with_columns(pl.lit("changed").alias("observation_text"))
    opened.write_part("terminal", part.part_id, opened.read(heads).to_arrow(), turns.to_arrow())
    assert ran(curate(lake, workers=0)) == {s: 16 if s == "exact_duplicates" else 1 for s in STAGES}


@pytest.mark.parametrize("workers", [0, pytest.param(2, marks=pytest.mark.slow)])
def test_a_killed_curation_goes_on(made, tmp_path, workers):
    whole, killed = (Path(shutil.copytree(made, tmp_path / name)) for name in ("whole", "killed"))
    curate(whole, workers=0)
    code = (
        "import sys\n"
        "from worldtape.pipelines.curate import curate\n"
        f"curate(sys.argv[1], workers={workers}, progress=lambda *_: print(1, flush=True))\n"
    )
    killed_in_the_middle(code, str(killed), after=20)
    report = curate(killed, workers=0)
    assert report.stages[0].kept == 16
    assert report.stages[-1].kept == 0
    Lake.open(killed).recover()
    assert files(killed, "notes") == files(whole, "notes")


def test_verdicts_have_their_columns_and_judge_everything(lake):
    curate(lake, workers=0)
    rules = note(lake, "rules")
    assert rules.columns == [column.name for column in VERDICTS]
    assert rules.filter(pl.col("step").is_null()).height == 64
    opened = Lake.open(lake)
    assert rules.filter(pl.col("step").is_not_null()).height == sum(opened.read(p).height for p in opened.parts())
    assert rules.select(pl.col("reason").is_null() == pl.col("keep")).to_series().all()
    dropped = rules.filter(~pl.col("keep"))
    assert set(dropped["reason"]) == {"few_turns", "infra_error", "no_observation"}


def test_copies_leave_and_name_what_they_repeat(lake):
    curate(lake, workers=0)
    found = note(lake, "exact_duplicates").filter(~pl.col("keep"), pl.col("step").is_null())
    pairs = {row["trajectory_id"]: orjson.loads(row["evidence"])["of"] for row in found.iter_rows(named=True)}
    assert pairs == {trajectory_id(0, 7): trajectory_id(0, 5), trajectory_id(0, 57): trajectory_id(0, 55)}


def test_of_two_copies_the_better_one_stays(lake):
    """An older copy of which the rules leave less is the one that goes."""
    opened = Lake.open(lake)
    older = trajectory_id(0, 5)
    part = next(part for part in opened.parts() if older in opened.members(part))
    heads = next(p for p in opened.parts("trajectories") if p.part_id == part.part_id)
    broken = pl.when(pl.col("trajectory_id") == older, pl.col("step") == 1).then(pl.lit("infra_error"))
    turns = opened.read(part).with_columns(broken.otherwise("status").alias("status"))
    opened.write_part("terminal", part.part_id, opened.read(heads).to_arrow(), turns.to_arrow())
    curate(lake, workers=0)
    found = note(lake, "exact_duplicates").filter(~pl.col("keep"), pl.col("step").is_null())
    pairs = {row["trajectory_id"]: orjson.loads(row["evidence"])["of"] for row in found.iter_rows(named=True)}
    assert pairs == {older: trajectory_id(0, 7), trajectory_id(0, 57): trajectory_id(0, 55)}


def test_a_checkpoint_of_a_longer_session_leaves(lake):
    """The longest of those that go the same way stays, also where the last call of a checkpoint has no answer yet."""
    opened = Lake.open(lake)
    whole = trajectory_id(0, 8)
    part = next(part for part in opened.parts() if whole in opened.members(part))
    heads = opened.read(next(p for p in opened.parts("trajectories") if p.part_id == part.part_id))
    turns = opened.read(part)
    own = pl.col("trajectory_id") == whole
    unanswered = pl.when(pl.col("step") == 2).then(None).otherwise("observation_text").alias("observation_text")
    other = pl.when(pl.col("step") == 1).then(pl.lit("other")).otherwise("observation_text").alias("observation_text")
    for name, saved in (
        ("0-short", turns.filter(own, pl.col("step") < 2)),
        ("1-cut", turns.filter(own, pl.col("step") < 3).with_columns(unanswered)),
        ("2-other", turns.filter(own, pl.col("step") < 3).with_columns(other)),
    ):
        head = heads.filter(own).with_columns(trajectory_id=pl.lit(name))
        rows = saved.with_columns(trajectory_id=pl.lit(name), transition_id=pl.format("{}:{}", pl.lit(name), "step"))
        opened.write_part("terminal", name, head.to_arrow(), rows.to_arrow())
    curate(lake, workers=0)
    found = note(lake, "exact_duplicates").filter(pl.col("reason") == "same_beginning")
    assert dict(found.select("trajectory_id", "evidence").iter_rows()) == {
        "0-short": f'{{"of":"{whole}"}}',
        "1-cut": f'{{"of":"{whole}"}}',
    }


def test_many_buckets_find_the_same_and_read_each_note_twice_at_most(made, tmp_path, monkeypatch):
    one, many = (Path(shutil.copytree(made, tmp_path / name)) for name in ("one", "many"))
    config = CurateConfig(duplicates=DuplicatesConfig(cap=1))
    curate(one, config=config, workers=0)
    monkeypatch.setattr(_duplicates, "BUCKET_ROWS", 20)
    monkeypatch.setattr(_duplicates, "SPILL_PARTS", 5)
    monkeypatch.setattr(_duplicates, "GROUP_ROWS", 3)
    read: Counter[str] = Counter()
    whole = Context.note

    def watched(self: Context, stage: str) -> pl.DataFrame:
        read[f"{stage} {self.pair.part_id}"] += stage == "hashes"
        return whole(self, stage)

    monkeypatch.setattr(Context, "note", watched)
    curate(many, config=config, workers=0)
    names = [path.name for path in (many / ".cache" / "exact_duplicates").iterdir()]
    assert len(names) == 3 * 13
    assert not any("spill" in name for name in names)
    assert max(read.values()) == 2
    assert note(many, "exact_duplicates").equals(note(one, "exact_duplicates"))


def test_turns_beyond_the_cap_leave(lake):
    config = CurateConfig(duplicates=DuplicatesConfig(trajectories=False, cap=1))
    curate(lake, config=config, workers=0)
    found = note(lake, "exact_duplicates")
    assert found.filter(~pl.col("keep"), pl.col("step").is_null()).height == 0
    copied = found.filter(pl.col("trajectory_id") == trajectory_id(0, 7), pl.col("step").is_not_null())
    assert copied["keep"].to_list() == [False] * 4
    assert set(copied["reason"]) == {"same_turn"}
    assert all(of["of"].startswith(trajectory_id(0, 5)) for of in map(orjson.loads, copied["evidence"]))
    off = DuplicatesConfig(trajectories=False, cap=None)
    curate(lake, config=CurateConfig(duplicates=off), workers=0)
    assert note(lake, "exact_duplicates")["keep"].all()


def test_pools_are_disjoint_by_task_and_lineage(lake):
    curate(lake, workers=0)
    pools = note(lake, "pools")
    assert pools.height == 64
    assert pools.group_by("group").agg(pl.struct("pool", "split").n_unique().alias("n"))["n"].max() == 1
    with connect(Lake.open(lake)) as db:
        split = db.sql(
            "SELECT task_id FROM trajectories JOIN pools USING (trajectory_id) "
            "GROUP BY 1 HAVING count(DISTINCT pool) > 1"
        ).fetchall()
    assert split == []
    placed = {row["trajectory_id"]: row["group"] for row in pools.iter_rows(named=True)}
    assert placed[trajectory_id(0, 11)] == placed[trajectory_id(0, 10)]


def test_shares_and_seed_decide_about_pools(lake):
    def dealt(**settings: Any) -> dict[str, str]:
        curate(lake, config=CurateConfig(pools=PoolsConfig(**settings)), workers=0)
        return dict(note(lake, "pools").select("trajectory_id", "pool").iter_rows())

    assert set(dealt(shares={"sft": 1.0}).values()) == {"sft"}
    assert set(dealt(shares={"cpt": 1.0, "rl": 1.0}).values()) == {"cpt", "rl"}
    assert dealt(seed=1) != dealt(seed=2)


def test_the_order_of_shares_says_nothing():
    one = PoolsConfig(shares={"cpt": 0.5, "sft": 0.3, "rl": 0.2})
    other = PoolsConfig(shares={"rl": 0.2, "sft": 0.3, "cpt": 0.5})
    assert [deal(str(n), one) for n in range(200)] == [deal(str(n), other) for n in range(200)]
    assert pools_settings(one) == pools_settings(other)


def pools_settings(config: PoolsConfig) -> str:
    return Stage("pools", "2", lambda _: pl.DataFrame(), config).settings


def test_only_the_newest_comparison_is_left(lake):
    curate(lake, workers=0)
    curate(lake, config=CurateConfig(duplicates=DuplicatesConfig(cap=2)), workers=0)
    assert len(list((lake / ".cache" / "exact_duplicates").iterdir())) == 3
    assert len(list((lake / ".cache" / "pools").iterdir())) == 1


def test_a_lake_without_parts_is_one_clear_line(tmp_path):
    write_tapes(tmp_path, 1)
    with pytest.raises(InputError, match="run `worldtape project` first"):
        curate(tmp_path, workers=0)


def test_a_damaged_part_is_one_clear_line(lake):
    Path(Lake.open(lake).parts()[3].path).write_bytes(b"PAR1 nonsense")
    with pytest.raises(InputError, match=r"part-.*not a readable Parquet file"):
        curate(lake, workers=0)


def test_an_unknown_key_is_answered_with_its_line():
    with pytest.raises(ConfigError, match=r"curate.yaml:3: .*minimum"):
        parse_settings(CurateConfig, "rules:\n  few_turns:\n    minimun: 3\n", where="curate.yaml")
    with pytest.raises(ConfigError, match="shares are numbers"):
        parse_settings(CurateConfig, "pools:\n  shares: {train: 1.0}\n", where="x")
    assert parse_settings(CurateConfig, "rules:\n  few_turns: null\n", where="x").rules.few_turns is None
