"""docs/importers/README.md lists every importer; `python -m tests.collectors.importers.test_importers_docs` does it."""

from __future__ import annotations

from pathlib import Path

import pytest

from worldtape.collectors.importers import IMPORTERS

FOLDER = Path(__file__).resolve().parents[3] / "docs" / "importers"
PAGE = FOLDER / "README.md"
START, END = "<!-- formats -->\n", "<!-- /formats -->"


def generated(text: str) -> str:
    rows = ["| format | what | versions | domains | lossiness codes it may give |", "| --- | --- | --- | --- | --- |"]
    for name in IMPORTERS:
        one = IMPORTERS[name]
        page = name.replace("-", "_")
        domains, codes = ", ".join(sorted(one.domains)), ", ".join(sorted(one.lossiness))
        rows.append(f"| [`{name}`]({page}.md) | {one.title} | {one.versions} | {domains} | {codes} |")
    head, _, rest = text.partition(START)
    return f"{head}{START}\n" + "\n".join(rows) + f"\n\n{END}{rest.partition(END)[2]}"


def test_page_is_current() -> None:
    assert PAGE.read_text("utf-8") == generated(PAGE.read_text("utf-8"))


@pytest.mark.parametrize("name", IMPORTERS)
def test_every_format_has_a_page(name: str) -> None:
    assert (FOLDER / f"{name.replace('-', '_')}.md").is_file()
    assert IMPORTERS[name].name == name


if __name__ == "__main__":
    PAGE.write_text(generated(PAGE.read_text("utf-8")), "utf-8")
