"""docs/corpora.md: its tables come from the code, its example is run; `python -m tests.pipelines.test_corpora_docs`."""

from __future__ import annotations

import re
from itertools import product
from pathlib import Path

import datasets
import pyarrow.parquet as pq
import pytest

from tests._settings_table import filled, settings_table
from tests.pipelines.build_lake import plain_lake
from worldtape.pipelines.build import BuildConfig, CptConfig, SftConfig, build_cpt, build_sft
from worldtape.pipelines.build._schema import COLUMNS
from worldtape.pipelines.build._templates import domains, variants
from worldtape.pipelines.build._text import ASK, CLOSE, OBSERVATION, OPEN
from worldtape.schemas import Domain
from worldtape.schemas.settings import parse_settings

PAGE = Path(__file__).resolve().parents[2] / "docs" / "corpora.md"
_TYPES = {"text": "text", "texts": "list of text", "int": "integer", "floats": "list of float", "messages": "messages"}


def column_table() -> str:
    rows = ["| column | in | type | meaning |", "| --- | --- | --- | --- |"]
    for name in dict.fromkeys([*COLUMNS["cpt"], *COLUMNS["sft"]]):
        corpora = [corpus for corpus in COLUMNS if name in COLUMNS[corpus]]
        kind, meaning = COLUMNS[corpora[0]][name]
        rows.append(f"| `{name}` | {', '.join(corpora)} | {_TYPES[kind]} | {meaning} |")
    return "\n".join(rows)


def generated(text: str) -> str:
    shared = frozenset(BuildConfig.model_fields)
    blocks = {
        "both-settings": settings_table(("", BuildConfig)),
        "cpt-settings": settings_table(("", CptConfig), skip=shared),
        "sft-settings": settings_table(("", SftConfig), skip=shared),
        "columns": column_table(),
    }
    return filled(text, blocks)


def test_page_is_current() -> None:
    assert PAGE.read_text("utf-8") == generated(PAGE.read_text("utf-8"))


def test_words_of_the_format_are_quoted_as_they_are() -> None:
    text = PAGE.read_text("utf-8")
    for words in (OBSERVATION, OPEN, CLOSE, ASK):
        assert f"`{words.strip()}`" in text
    for name in Domain:
        assert f"| `{name}` |" in text
    for domain, (corpus, count) in product(domains(), (("cpt", 1), ("sft", 4))):
        names = variants(domain, corpus)
        assert len(names) == count
        assert all(name.partition("/")[2] in text for name in names)


def _blocks(language: str) -> list[str]:
    return re.findall(rf"^```{language}\n(.*?)^```", PAGE.read_text("utf-8"), re.DOTALL | re.MULTILINE)


def test_settings_are_taken() -> None:
    (text,) = _blocks("yaml")
    assert parse_settings(CptConfig, text, where="docs").masking == "weight"


def test_every_text_comes_back(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    plain_lake(tmp_path / "lake", count=12)
    for build, out in ((build_cpt, "cpt"), (build_sft, "sft")):
        assert build(tmp_path / "lake", tmp_path / out, workers=0).rows["train"]
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(datasets.config, "HF_DATASETS_CACHE", tmp_path / "cache")
    exec(_blocks("python")[0], {})


def test_a_corpus_built_anew_is_loaded_anew(tmp_path: Path) -> None:
    """`datasets` caches by a folder's name and its card: a card that says the same would serve the rows of before."""
    plain_lake(tmp_path / "lake", count=24)
    for seed in (0, 1):
        build_sft(tmp_path / "lake", tmp_path / "sft", config=SftConfig(seed=seed), workers=0)
        table = pq.read_table(tmp_path / "sft" / "train-00000-of-00001.parquet")
        loaded = datasets.load_dataset(str(tmp_path / "sft"), cache_dir=str(tmp_path / "cache"))["train"]
        assert list(loaded["template"]) == table["template"].to_pylist()


if __name__ == "__main__":
    PAGE.write_text(generated(PAGE.read_text("utf-8")), "utf-8")
