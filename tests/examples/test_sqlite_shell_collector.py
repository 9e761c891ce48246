"""The example of docs/collectors.md: an environment of one's own, from the first action to a query."""

from __future__ import annotations

import asyncio
import hashlib
import json
import re
import runpy
import subprocess
import sys
from pathlib import Path

import pytest

from worldtape.collectors.recorder import make_header
from worldtape.errors import InputError
from worldtape.pipelines.curate import curate
from worldtape.pipelines.project import project
from worldtape.pipelines.record import open_recorder
from worldtape.schemas import Action, End, PolicySpec
from worldtape.storage import Lake, TapeReader, query
from worldtape.testing import FakeEnvironment

ROOT = Path(__file__).resolve().parents[2]
EXAMPLE = ROOT / "examples" / "sqlite_shell_collector.py"
QUERIES = (
    "CREATE TABLE fruit (name TEXT, kilos INT)",
    "INSERT INTO fruit VALUES ('quince', 3), ('größe\nzwei', 4)",
    "SELECT * FROM fruit",
    "SELECT 1; SELECT 2",
    "SELECT pips FROM fruit",
)


@pytest.fixture(scope="module")
def lake(tmp_path_factory: pytest.TempPathFactory) -> str:
    place = str(tmp_path_factory.mktemp("own") / "lake")
    done = subprocess.run([sys.executable, str(EXAMPLE), place, *QUERIES], capture_output=True, text=True, check=True)
    assert "quince|3\ngröße\nzwei|4" in done.stdout
    report = project(place, workers=0)
    assert (report.transitions, report.mismatched) == (len(QUERIES), 0)
    return place


def test_projection_renders_what_was_seen(lake: str) -> None:
    (tape,) = Lake.open(lake).tapes()
    captured = [event.data["sha256"] for event in TapeReader(tape.path).events() if event.kind == "captured"]
    rows = query(
        lake, "SELECT observation_text AS text, renderer, lossiness FROM transitions ORDER BY step"
    ).to_pylist()
    assert captured[1:] == [hashlib.sha256(row["text"].encode()).hexdigest() for row in rows]
    assert {row["renderer"] for row in rows} == {"text.newest"}
    assert not any(row["lossiness"] for row in rows)


def test_the_engine_s_own_error_is_the_observation(lake: str) -> None:
    rows = query(lake, "FROM transitions ORDER BY step").to_pylist()
    assert [row["status"] for row in rows] == ["ok", "ok", "ok", "tool_error", "tool_error"]
    assert rows[-1]["observation_text"] == "Error: no such column: pips"
    assert rows[-1]["error_type"] == "OperationalError"
    assert (rows[-1]["domain"], rows[-1]["action_name"]) == ("mcp", "sql")
    assert json.loads(rows[0]["state_before"]) == {"tables": []}
    assert json.loads(rows[0]["state_after"]) == {"tables": ["fruit"]}


def test_curation_takes_it(lake: str) -> None:
    kept = curate(lake, workers=0).funnel.line("kept")
    assert (kept.trajectories, kept.transitions) == (1, len(QUERIES))


def test_it_fits_on_a_page_and_the_docs_quote_it() -> None:
    text = EXAMPLE.read_text("utf-8")
    assert len(text.splitlines()) <= 80
    assert _blocks()[0] in text


def test_the_policy_of_the_docs_acts_twice(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    body = "".join(f"    {line}\n" for line in _blocks()[1].splitlines())
    names: dict[str, object] = runpy.run_path(str(EXAMPLE)) | {"Action": Action, "PolicySpec": PolicySpec}
    exec(f"async def play():\n{body}    return end\nend = __import__('asyncio').run(play())", names)
    end = names["end"]
    assert isinstance(end, End)
    assert (end.status, end.steps) == ("completed", 2)


def _blocks() -> list[str]:
    page = (ROOT / "docs" / "collectors.md").read_text("utf-8")
    return re.findall(r"```python\n(.*?)```", page, re.DOTALL)


def test_an_environment_of_no_domain_is_told_what_to_do() -> None:
    with pytest.raises(InputError, match=r"`domain`.*android, mcp, os, search, swe, terminal, web"):
        make_header(FakeEnvironment(domain="kitchen"))


def test_what_reads_nothing_but_actions_says_so(tmp_path: Path) -> None:
    class Mute(FakeEnvironment):
        parse = None  # type: ignore[assignment]

    async def push() -> None:
        async with open_recorder(Mute(), tmp_path / "lake") as recorder:
            await recorder.step("ls")

    with pytest.raises(InputError, match="is no Action"):
        asyncio.run(push())
