"""docs/exporting.md lists every exporter; `python -m tests.pipelines.test_exporting_docs` writes the table."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import datasets
import pytest

from tests.pipelines.exporting import sample_lake
from worldtape import export
from worldtape.pipelines.exporting import EXPORTERS
from worldtape.schemas import Domain
from worldtape.schemas.columns import TRANSITIONS

PAGE = Path(__file__).resolve().parents[2] / "docs" / "exporting.md"
IDS = ("transition_id", "trajectory_id")
START, END = "<!-- formats -->\n", "<!-- /formats -->"


def generated(text: str) -> str:
    rows = ["| format | what | version | domains | files | loses |", "| --- | --- | --- | --- | --- | --- |"]
    for name in EXPORTERS:
        one = EXPORTERS[name]
        domains = "all" if set(one.domains) == set(Domain) else ", ".join(sorted(one.domains))
        files = f"`{one.suffix}`, lines" if one.lines else f"`{one.suffix}`"
        rows.append(f"| [`{name}`](#{name}) | {one.title} | {one.version} | {domains} | {files} | {lost(one.loses)} |")
    head, _, rest = text.partition(START)
    return f"{head}{START}\n" + "\n".join(rows) + f"\n\n{END}{rest.partition(END)[2]}"


def lost(columns: tuple[str, ...]) -> str:
    rest = [each.name for each in TRANSITIONS if each.name not in (*columns, *IDS)]
    return f"all but {', '.join(rest)}" if len(rest) < len(columns) else ", ".join(columns)


def test_page_is_current() -> None:
    assert PAGE.read_text("utf-8") == generated(PAGE.read_text("utf-8"))


@pytest.mark.parametrize("name", EXPORTERS)
def test_every_format_has_a_section(name: str) -> None:
    assert f"\n## {name}\n" in PAGE.read_text("utf-8")
    assert EXPORTERS[name].name == name


def test_datasets_loads_chat_rows_as_they_are(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    sample = sample_lake(tmp_path)
    export(sample, tmp_path / "chat", format="messages", workers=0)
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(datasets.config, "HF_DATASETS_CACHE", str(tmp_path / "cache"))
    told: dict[str, Any] = {}
    exec(PAGE.read_text("utf-8").partition("```python\n")[2].partition("```")[0], told)
    files = sorted((tmp_path / "chat").glob("*.jsonl"))
    assert list(told["rows"]) == [json.loads(line) for file in files for line in file.read_text().splitlines()]


if __name__ == "__main__":
    PAGE.write_text(generated(PAGE.read_text("utf-8")), "utf-8")
