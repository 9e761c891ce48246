"""One session in several files is counted once: the longest stays."""

from __future__ import annotations

import gzip
import json
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.pipelines.importing import put
from worldtape import curate, import_files, project, query
from worldtape.pipelines.importing import ImportReport


def kept(lake: Path) -> set[str]:
    """The files of which a trajectory stands after curation."""
    project(lake, workers=0)
    curate(lake, workers=0)
    verdicts = query(lake, "SELECT reason FROM exact_duplicates WHERE NOT keep AND step IS NULL")
    assert "same_beginning" in verdicts["reason"].to_pylist()
    wanted = "SELECT source_uri FROM trajectories SEMI JOIN (FROM exact_duplicates WHERE keep AND step IS NULL) USING"
    return set(query(lake, f"{wanted} (trajectory_id)")["source_uri"].to_pylist())


def swe_agent(data: Path, share: float) -> bytes:
    whole = json.loads((data / "sweagent" / "smith_pandas.traj").read_bytes())
    count = int(len(whole["trajectory"]) * share)
    return json.dumps(whole | {"trajectory": whole["trajectory"][:count]}).encode()


def openhands(data: Path, share: float) -> bytes:
    row = json.loads((data / "openhands" / "resolver_output.jsonl").read_bytes().splitlines()[0])
    return json.dumps(row | {"history": row["history"][: int(len(row["history"]) * share)]}).encode()


@pytest.mark.parametrize("saved", [swe_agent, openhands])
def test_checkpoints_of_one_session(saved: Callable[[Path, float], bytes], shared_data: Path, tmp_path: Path) -> None:
    for name, share in (("a", 0.5), ("b", 1.0), ("c", 0.75)):
        put(tmp_path / "in" / f"{name}.saved", saved(shared_data, share))
    report: ImportReport = import_files([tmp_path / "in"], tmp_path / "lake")
    assert report.total.trajectories == 3
    assert kept(tmp_path / "lake") == {"b.saved"}


def test_a_checkpoint_of_claude_code_in_the_wild(shared_data: Path, tmp_path: Path) -> None:
    import_files([shared_data / "claude_code"], tmp_path / "lake")
    names = kept(tmp_path / "lake")
    assert "entire_6da7_b.jsonl" in names
    assert "entire_6da7_a.jsonl" not in names


def test_a_file_that_was_cut_short_and_came_whole_later(shared_data: Path, tmp_path: Path) -> None:
    whole = (shared_data / "claude_code" / "kimuson_init.jsonl").read_bytes()
    packed = gzip.compress(whole, compresslevel=1)
    put(tmp_path / "cut.gz", packed[: len(packed) * 9 // 10])
    put(tmp_path / "whole.jsonl", whole)
    report = import_files([tmp_path / "cut.gz", tmp_path / "whole.jsonl"], tmp_path / "lake")
    assert [why for _, why in report.refused] == ["it is cut short: what stands before the cut was read"]
    assert kept(tmp_path / "lake") == {"whole.jsonl"}
