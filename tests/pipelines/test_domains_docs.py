"""docs/domains.md: what it names is there, and all that is there is named; its SQL runs."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from tests.pipelines.tapes import write_tapes
from worldtape.collectors.policies import POLICIES
from worldtape.collectors.renderers import RENDERERS
from worldtape.collectors.tasks import suites
from worldtape.pipelines.project import project
from worldtape.pipelines.record import read_job
from worldtape.pipelines.record.kinds import ENVIRONMENTS
from worldtape.schemas import Domain
from worldtape.storage import query

PAGE = Path(__file__).resolve().parents[2] / "docs" / "domains.md"
TEXT = PAGE.read_text("utf-8")
ROWS = [line.strip("|").split("|") for line in TEXT.splitlines() if line.startswith("| `")]
WHOLE = {cells[0].split("`")[1]: cells for cells in ROWS if len(cells) == 8}
COMMANDS = {cells[0].strip(" `"): cells for cells in ROWS if len(cells) == 5}
OF_ANY_DOMAIN = {"text.newest"}


def quoted(cell: str) -> set[str]:
    return set(re.findall(r"`([^`]+)`", cell))


def test_both_tables_have_every_domain() -> None:
    assert set(WHOLE) == set(COMMANDS) == set(map(str, Domain))


def test_every_renderer_is_told() -> None:
    told = set().union(*(quoted(cells[3]) for cells in WHOLE.values()))
    assert told == {name for name in RENDERERS if "." in name} - OF_ANY_DOMAIN


@pytest.mark.parametrize("domain", sorted(COMMANDS))
def test_every_name_is_one(domain: str) -> None:
    kind, explorer, suite = (cell.strip(" `") for cell in COMMANDS[domain][1:4])
    assert explorer in set(POLICIES)
    assert suite in suites()
    assert getattr(ENVIRONMENTS[kind], "action_kinds", {"keystrokes"}) <= quoted(WHOLE[domain][1])


@pytest.mark.parametrize(
    ("domain", "example"), [(name, path) for name in COMMANDS for path in re.findall(r"\((.*?)\)", COMMANDS[name][4])]
)
def test_every_example_is_of_its_domain(domain: str, example: str) -> None:
    job = read_job(PAGE.parent / example)
    assert job.environment["kind"] == COMMANDS[domain][1].strip(" `")


def test_links_lead_somewhere() -> None:
    for path in re.findall(r"\]\(([^)#]+)", TEXT):
        assert (PAGE.parent / path).is_file(), path


def test_the_command_records_what_is_there() -> None:
    names = re.search(r"for domain in (.*?);", TEXT)
    assert names is not None
    assert len(names[1].split()) == len(Domain)
    assert all((PAGE.parents[1] / "examples" / f"{name}.yaml").is_file() for name in names[1].split())


def test_sql_runs(tmp_path: Path) -> None:
    write_tapes(tmp_path, 2, steps=3)
    project(tmp_path, workers=0)
    (sql,) = re.findall(r"```sql\n(.*?)```", TEXT, re.DOTALL)
    assert query(tmp_path, sql).to_pylist()[0]["turns"] == 6
