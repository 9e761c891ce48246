"""Corpora of one lake share nothing, whatever happened between two curations."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.pipelines.tapes import write_tapes
from worldtape.errors import InputError
from worldtape.pipelines.build import build_cpt
from worldtape.pipelines.curate import CurateConfig, PoolsConfig, curate
from worldtape.pipelines.project import project
from worldtape.storage import Lake
from worldtape.storage.lake import merge


def prepared(path: Path, first: int, seed: int) -> Lake:
    write_tapes(path, 40, steps=4, first=first, tasks=20)
    project(path, part_size=10, workers=0)
    curate(path, config=CurateConfig(pools=PoolsConfig(seed=seed)), workers=0)
    return Lake.open(path)


def test_a_curation_that_was_stopped_halfway(tmp_path: Path) -> None:
    lake = prepared(tmp_path / "lake", 0, 0)
    build_cpt(lake, tmp_path / "cpt", workers=0)

    def stop(stage: str, done: int, _: int) -> None:
        if (stage, done) == ("pools", 2):
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        curate(lake, config=CurateConfig(pools=PoolsConfig(seed=1)), workers=0, progress=stop)
    with pytest.raises(InputError, match="worldtape curate"):
        build_cpt(lake, tmp_path / "cpt", workers=0)
    curate(lake, config=CurateConfig(pools=PoolsConfig(seed=1)), workers=0)
    assert build_cpt(lake, tmp_path / "cpt", workers=0).fresh


def test_lakes_that_were_curated_apart_and_merged(tmp_path: Path) -> None:
    one, other = prepared(tmp_path / "one", 0, 0), prepared(tmp_path / "other", 1000, 7)
    merge(one, [other])
    with pytest.raises(InputError, match="worldtape curate"):
        build_cpt(one, tmp_path / "cpt", workers=0)
    curate(one, workers=0)
    assert build_cpt(one, tmp_path / "cpt", workers=0).fresh
