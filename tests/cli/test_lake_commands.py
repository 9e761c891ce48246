"""`query`, `show`, `compact`, `merge` and `forget`, as people run them."""

from __future__ import annotations

import csv
import io
import json
import subprocess
import sys
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import pyarrow.parquet as pq
import pytest

from tests.storage import _lakes
from worldtape.cli import main
from worldtape.storage import Lake

COUNT = "SELECT status, count(*) AS n, sum(exit_code) AS s FROM transitions GROUP BY 1 ORDER BY 1"


@dataclass
class Done:
    returncode: int
    stdout: bytes
    stderr: bytes


Run = Callable[..., Done]


@pytest.fixture
def run(monkeypatch: pytest.MonkeyPatch, capsysbinary: pytest.CaptureFixture[bytes]) -> Run:
    """Run a command in this process: a new one takes over a second to start."""

    def call(*words: object, stdin: bytes = b"") -> Done:
        monkeypatch.setattr(sys, "argv", ["worldtape", *map(str, words)])
        monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(stdin)))
        with pytest.raises(SystemExit) as left:
            main()
        out, err = capsysbinary.readouterr()
        return Done(int(left.value.code or 0), out, err)

    return call


@pytest.fixture
def lake(tmp_path: Path) -> Lake:
    lake = Lake.open(tmp_path / "lake", create=True)
    for name in ("aa", "bb"):
        part = _lakes.write(lake, [name])
        lake.write_note("rules", part, _lakes.note([name]))
        _lakes.tape(lake, name)
    return lake


def test_query_prints_a_table(lake: Lake):
    code = "import sys; from worldtape.cli import main; sys.exit(main())"
    words = [sys.executable, "-W", "error", "-c", code, "query", str(lake), COUNT]
    done = subprocess.run(words, capture_output=True, check=True, text=True)
    assert done.stderr == ""
    lines = [line.split() for line in done.stdout.replace("│", " ").splitlines()]
    assert ["tool_error", "2", "2"] in lines


def test_query_prints_json_csv_and_parquet(run: Run, lake: Lake, tmp_path: Path):
    wanted = [{"status": "ok", "n": 4, "s": 0}, {"status": "tool_error", "n": 2, "s": 2}]
    assert json.loads(run("query", lake, COUNT, "--json").stdout) == wanted
    assert json.loads(run("query", lake, f"{COUNT} LIMIT 0", "--json").stdout) == []
    rows = list(csv.DictReader(io.StringIO(run("query", lake, COUNT, "--csv").stdout.decode())))
    assert rows == [{key: str(value) for key, value in row.items()} for row in wanted]
    piped = run("query", lake, COUNT, "--parquet").stdout
    assert pq.read_table(io.BytesIO(piped)).column("n").to_pylist() == [4, 2]
    for ending in ("json", "csv", "parquet"):
        done = run("query", lake, "-", "--out", tmp_path / f"out.{ending}", stdin=COUNT.encode())
        assert (done.returncode, done.stdout) == (0, b"")
        assert b"2 rows in" in done.stderr
    assert json.loads((tmp_path / "out.json").read_text()) == wanted
    assert pq.read_table(tmp_path / "out.parquet").num_rows == 2


def test_query_writes_nested_cells_and_times(run: Run, lake: Lake):
    sql = "SELECT parts, started_at, lossiness, 1.5::DECIMAL(4, 1) AS d, 'x'::BLOB AS b FROM transitions LIMIT 1"
    (row,) = json.loads(run("query", lake, sql, "--json").stdout)
    assert row["parts"][0]["channel"] == "pty"
    assert row["started_at"] == "2025-12-01T10:00:00+00:00"
    assert (row["d"], row["lossiness"]) == (1.5, ["merged_streams"])
    (line,) = csv.DictReader(io.StringIO(run("query", lake, sql, "--csv").stdout.decode()))
    assert json.loads(line["lossiness"]) == ["merged_streams"]


def test_query_explains(run: Run, lake: Lake):
    done = run("query", lake, "EXPLAIN SELECT * FROM transitions")
    assert "Read Parquet" in done.stdout.decode()


def test_query_shows_control_characters(run: Run, lake: Lake):
    assert rb"\x1b[31m" in run("query", lake, "SELECT chr(27) || '[31m' AS c").stdout


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["COPY transitions TO 'x'"], "COPY is refused"),
        (["SELECT nope FROM turns"], 'Referenced column "nope"'),
        (["ATTACH 'x'"], "ATTACH is refused"),
    ],
)
def test_query_says_what_is_wrong_in_one_line(run: Run, lake: Lake, words: list[str], message: str):
    done = run("query", lake, *words)
    assert (done.returncode, done.stdout) == (1, b"")
    (line,) = done.stderr.decode().splitlines()
    assert line.startswith("worldtape: ")
    assert message in line


@pytest.mark.parametrize("words", [["--json", "--csv"], ["--out", "x.txt"]])
def test_query_needs_one_form(run: Run, lake: Lake, words: list[str]):
    assert run("query", lake, "SELECT 1", *words).returncode == 2


def test_a_failed_query_leaves_the_file_as_it_was(run: Run, lake: Lake, tmp_path: Path):
    (tmp_path / "out.csv").write_text("mine")
    sql = "SELECT CASE WHEN i > 50000 THEN error('late') ELSE 'x' END FROM range(100000) AS r(i)"
    done = run("query", lake, sql, "--out", tmp_path / "out.csv")
    assert (done.returncode, done.stdout) == (1, b"")
    assert b"late" in done.stderr
    assert [path.name for path in tmp_path.iterdir() if path.is_file()] == ["out.csv"]
    assert (tmp_path / "out.csv").read_text() == "mine"


def test_show_a_lake(run: Run, lake: Lake, tmp_path: Path):
    text = run("show", lake).stdout.decode()
    assert "2 tapes (0 open, 0 not in the tables), 2 parts" in text
    found = json.loads(run("show", lake, "--json").stdout)
    assert found["domains"][0]["transitions"] == 6
    assert {row["status"]: row["transitions"] for row in found["statuses"]} == {"ok": 4, "tool_error": 2}
    assert found["notes"] == [{"stage": "rules", "rows": 2}]
    assert found["bytes"]["tapes"] > 0
    empty = Lake.open(tmp_path / "empty", create=True)
    assert json.loads(run("show", empty, "--json").stdout)["domains"] == []
    assert run("show", empty).returncode == 0


def test_show_a_trajectory(run: Run, lake: Lake):
    text = run("show", lake, "aa").stdout.decode()
    assert "── 2: tool_error, exit 1, 2 ms, settled by prompt, merged_streams" in text
    assert "> step 2" in text
    assert "aa saw 2\n$ " in text
    assert len(json.loads(run("show", lake, "b", "--json").stdout)["turns"]) == 3
    assert b"no such trajectory" in run("show", lake, "zz").stderr
    _lakes.tape(lake, "new")
    assert b"worldtape project" in run("show", lake, "new").stderr
    _lakes.write(lake, ["ab"])
    assert b"several trajectories" in run("show", lake, "a").stderr


def test_compact_merge_and_forget(run: Run, lake: Lake, tmp_path: Path):
    done = json.loads(run("compact", lake, "--json").stdout)
    assert done == {"before": 2, "after": 1, "merged": 2}
    done = json.loads(run("merge", lake, "--into", tmp_path / "all", "--json").stdout)
    assert (done["tapes"], done["trajectories"]) == (2, 2)
    done = run("forget", tmp_path / "all", "aa", "--reason", "asked for")
    assert b"3 transitions" in done.stderr
    assert b"out of reach: corpora" in done.stderr
    done = run("merge", lake, "--into", tmp_path / "all")
    assert b"1 trajectories were there already, 1 were taken down" in done.stderr
    assert b"it was taken down" in run("show", tmp_path / "all", "aa").stderr
    assert json.loads((tmp_path / "all" / "forgotten.jsonl").read_text())["reason"] == "asked for"


def test_no_lake(run: Run, tmp_path: Path):
    for words in (
        ["query", tmp_path, "SELECT 1"],
        ["show", tmp_path],
        ["compact", tmp_path],
        ["forget", tmp_path, "x"],
    ):
        done = run(*words)
        assert done.returncode == 1
        assert b"no lake here" in done.stderr
    assert list(tmp_path.iterdir()) == []


def test_wide_rows_stand_below_each_other(lake: Lake, run: Run):
    out = run("query", lake.uri, "FROM transitions LIMIT 1").stdout.decode()
    assert out.startswith("── row 1 ")
    assert "\ntransition_id " in out
    assert "action_raw" not in out, "null is left out"
