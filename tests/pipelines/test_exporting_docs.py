"""docs/exporting.md lists every exporter; `python -m tests.pipelines.test_exporting_docs` writes the table."""

from __future__ import annotations

from pathlib import Path

import pytest

from worldtape.pipelines.exporting import EXPORTERS
from worldtape.schemas import Domain

PAGE = Path(__file__).resolve().parents[2] / "docs" / "exporting.md"
START, END = "<!-- formats -->\n", "<!-- /formats -->"


def generated(text: str) -> str:
    rows = ["| format | what | version | domains | files | loses |", "| --- | --- | --- | --- | --- | --- |"]
    for name in EXPORTERS:
        one = EXPORTERS[name]
        domains = "all" if set(one.domains) == set(Domain) else ", ".join(sorted(one.domains))
        files = f"`{one.suffix}`, lines" if one.lines else f"`{one.suffix}`"
        rows.append(
            f"| [`{name}`](#{name}) | {one.title} | {one.version} | {domains} | {files} | {', '.join(one.loses)} |"
        )
    head, _, rest = text.partition(START)
    return f"{head}{START}\n" + "\n".join(rows) + f"\n\n{END}{rest.partition(END)[2]}"


def test_page_is_current() -> None:
    assert PAGE.read_text("utf-8") == generated(PAGE.read_text("utf-8"))


@pytest.mark.parametrize("name", EXPORTERS)
def test_every_format_has_a_section(name: str) -> None:
    assert f"\n## {name}\n" in PAGE.read_text("utf-8")
    assert EXPORTERS[name].name == name


if __name__ == "__main__":
    PAGE.write_text(generated(PAGE.read_text("utf-8")), "utf-8")
