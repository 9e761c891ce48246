"""Lengths: bytes by default, tokens of any tokenizer.json."""

from __future__ import annotations

from importlib.util import find_spec
from pathlib import Path

import pyarrow.parquet as pq
import pytest

from tests._components import require
from tests.pipelines.build_lake import Told, turns, write_lake
from worldtape.errors import ConfigError, NotFoundError
from worldtape.pipelines.build import CptConfig, SftConfig, build_cpt, build_sft
from worldtape.pipelines.build._tokens import make_counter


@pytest.fixture
def tokenizer(tmp_path: Path) -> Path:
    require("tokenizers", find_spec("tokenizers") is not None, "pip install 'worldtape[tokens]'")
    import tokenizers

    made = tokenizers.Tokenizer(tokenizers.models.WordLevel({"[UNK]": 0}, unk_token="[UNK]"))
    made.pre_tokenizer = tokenizers.pre_tokenizers.Whitespace()
    made.post_processor = tokenizers.processors.TemplateProcessing(single="[UNK] $A", special_tokens=[("[UNK]", 0)])
    made.enable_truncation(3)
    made.save(str(tmp_path / "tokenizer.json"))
    return tmp_path / "tokenizer.json"


def test_bytes_where_nothing_is_given() -> None:
    counter = make_counter(None)
    assert counter.name == "utf8_bytes"
    assert counter.count(["", "é", "a\ud800"]) == [0, 2, 2]


def test_tokens_without_special_ones_and_without_truncation(tokenizer: Path) -> None:
    counter = make_counter(str(tokenizer))
    assert counter.name.startswith("tokenizer.json@")
    assert counter.count(["", "one", "one two three four five"]) == [0, 1, 5]
    assert make_counter(str(tokenizer.parent)).name == counter.name


def test_rows_are_counted_with_it(tokenizer: Path, tmp_path: Path) -> None:
    told = [Told("a", turns=turns(20)), Told("b", pool="sft", turns=turns(20, "b"))]
    lake = write_lake(tmp_path / "lake", told)
    counter = make_counter(str(tokenizer))
    cpt = CptConfig(tokenizer=str(tokenizer), max_tokens=900)
    report = build_cpt(lake, tmp_path / "cpt", config=cpt, workers=0)
    rows = [row for path in sorted((tmp_path / "cpt").glob("*.parquet")) for row in pq.read_table(path).to_pylist()]
    assert len(rows) > 1
    assert report.transitions_trained == 20
    for row in rows:
        sizes = counter.count([one["content"] for one in row["messages"]])
        assert row["tokens"] == sum(sizes) <= 900
        assert row["trained_tokens"] == sum(s for s, w in zip(sizes, row["weights"], strict=True) if w)
        assert row["token_counter"] == counter.name
    sft = SftConfig(tokenizer=str(tokenizer), max_tokens=1500, per_trajectory=None)
    build_sft(lake, tmp_path / "sft", config=sft, workers=0)
    for row in pq.read_table(next((tmp_path / "sft").glob("*.parquet"))).to_pylist():
        assert row["tokens"] == sum(counter.count([one["content"] for one in [*row["prompt"], *row["completion"]]]))


def test_what_is_no_tokenizer(tmp_path: Path, tokenizer: Path) -> None:
    with pytest.raises(NotFoundError, match=r"tokenizer\.json"):
        make_counter(str(tmp_path / "nowhere.json"))
    tokenizer.write_text("{}")
    with pytest.raises(ConfigError, match=r"not a tokenizer\.json"):
        make_counter(str(tokenizer))
