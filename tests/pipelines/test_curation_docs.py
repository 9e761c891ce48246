"""docs/curation.md: its tables come from the models, its SQL runs; `python -m tests.pipelines.test_curation_docs`."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from tests._settings_table import default, filled, said, settings_table
from tests.pipelines.tapes import write_tapes
from worldtape.filters import FILTERS, Filter
from worldtape.filters.turn_classes import TurnClasses
from worldtape.pipelines.curate import CurateConfig, DuplicatesConfig, PoolsConfig, RulesConfig, curate
from worldtape.pipelines.project import project
from worldtape.schemas.settings import parse_settings
from worldtape.storage import query

PAGE = Path(__file__).resolve().parents[2] / "docs" / "curation.md"


def _filters() -> list[type[Filter]]:
    return [FILTERS[name] for name in RulesConfig.model_fields if name != "plugins"]


def rules_table() -> str:
    rows = ["| reason | judges | asked | what it rejects |", "| --- | --- | --- | --- |"]
    for chosen in _filters():
        asked = "no" if default(RulesConfig, chosen.reason) == "`null`" else "yes"
        rows.append(f"| `{chosen.reason}` | {chosen.level} | {asked} | {said(chosen)} |")
    return "\n".join(rows)


def generated(text: str) -> str:
    own = tuple((f"rules.{chosen.reason}.", chosen) for chosen in _filters())
    blocks = {
        "rules": rules_table(),
        "rules-settings": settings_table(*own, ("rules.", RulesConfig), skip=frozenset(FILTERS)),
        "duplicates": settings_table(("duplicates.", DuplicatesConfig)),
        "turn-classes": settings_table(("turn_classes.", TurnClasses)),
        "pools": settings_table(("pools.", PoolsConfig)),
    }
    return filled(text, blocks)


def test_page_is_current() -> None:
    assert PAGE.read_text("utf-8") == generated(PAGE.read_text("utf-8"))


def _blocks(language: str) -> list[str]:
    return re.findall(rf"```{language}\n(.*?)```", PAGE.read_text("utf-8"), re.DOTALL)


@pytest.fixture(scope="module")
def lake(tmp_path_factory: pytest.TempPathFactory) -> Path:
    lake = tmp_path_factory.mktemp("curation") / "lake"
    write_tapes(lake, 60, steps=5)
    project(lake, workers=0)
    curate(lake, workers=0)
    return lake


@pytest.mark.parametrize("number", range(len(_blocks("sql"))))
def test_sql_of_the_page_runs(lake: Path, number: int) -> None:
    assert query(lake, _blocks("sql")[number]).num_rows


def test_settings_of_the_page_are_taken() -> None:
    (text,) = _blocks("yaml")
    config = parse_settings(CurateConfig, text, where="docs/curation.md")
    assert config != CurateConfig()


if __name__ == "__main__":
    PAGE.write_text(generated(PAGE.read_text("utf-8")), "utf-8")
