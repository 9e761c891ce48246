"""SQL over a lake: what it answers, and what it refuses."""

from __future__ import annotations

import random
from pathlib import Path

import polars as pl
import pyarrow as pa
import pytest

from tests.storage import _lakes
from worldtape.errors import FormatError, InputError, NotFoundError, RefusedError
from worldtape.schemas.columns import TRAJECTORIES, TRANSITIONS
from worldtape.storage import Lake, connect, query, query_batches


@pytest.fixture
def lake(tmp_path: Path) -> Lake:
    lake = Lake.open(tmp_path / "lake", create=True)
    name = _lakes.write(lake, ["a", "b"])
    _lakes.write(lake, ["c"], domain="web")
    lake.write_note("rules", name, _lakes.note(["a", "b"]))
    return lake


def test_an_empty_lake_has_typed_views(tmp_path: Path):
    lake = Lake.open(tmp_path, create=True)
    for view, columns in (("trajectories", TRAJECTORIES), ("transitions", TRANSITIONS)):
        table = query(lake, f"SELECT * FROM {view}")
        assert table.num_rows == 0
        assert table.column_names == [column.name for column in columns]
    assert query(lake, "SELECT sum(step) AS s FROM turns WHERE started_at > now()").to_pylist() == [{"s": None}]
    assert query(lake, "SELECT unnest(parts).truncated.by FROM transitions").num_rows == 0


def test_counts(lake: Lake):
    found = query(lake, "SELECT status, count(*) AS n FROM transitions GROUP BY 1 ORDER BY 1").to_pylist()
    assert found == [{"status": "ok", "n": 6}, {"status": "tool_error", "n": 3}]
    assert query(lake, "SELECT count(*) AS n FROM rules JOIN transitions USING (trajectory_id)").to_pylist() == [
        {"n": 6}
    ]


def test_types_are_those_of_the_columns(lake: Lake):
    full, empty = (query(where, "SELECT * FROM transitions").schema for where in (lake, _empty(lake)))
    assert full.equals(empty)
    assert full.field("observation_text").type == pa.large_string()
    assert full.field("started_at").type == pa.timestamp("us", tz="UTC")


def _empty(lake: Lake) -> Lake:
    return Lake.open(f"{lake.uri}-empty", create=True)


def test_turns_carry_the_observation_before(lake: Lake):
    sql = "SELECT step, observation_text, previous_observation, task_id FROM turns WHERE trajectory_id = 'a' ORDER BY 1"
    found = query(lake, sql).to_pylist()
    assert [row["previous_observation"] for row in found] == ["$ ", "a saw 0\n$ ", "a saw 1\n$ "]
    assert {row["task_id"] for row in found} == {"files/count"}


def test_a_missing_observation_is_not_replaced_by_the_first(tmp_path: Path):
    lake = Lake.open(tmp_path, create=True)
    trajectories, transitions = _lakes.tables(["a"])
    place = transitions.schema.get_field_index("observation_text")
    transitions = transitions.set_column(place, "observation_text", pa.array(["x", None, "z"], pa.large_string()))
    lake.write_part("terminal", "p", trajectories, transitions)
    found = query(lake, "SELECT previous_observation AS p FROM turns ORDER BY step").to_pylist()
    assert [row["p"] for row in found] == ["$ ", "x", None]


@pytest.mark.parametrize(
    "sql",
    [
        "SELECT 1",
        "select 1;",
        "-- a remark\nSELECT 1 /* ; DROP */",
        "FROM transitions LIMIT 1",
        "VALUES (1), (2)",
        "TABLE transitions",
        "WITH x AS (SELECT step FROM transitions) SELECT * FROM x",
        "WITH RECURSIVE r AS (SELECT 1 AS n UNION ALL SELECT n + 1 FROM r WHERE n < 3) SELECT * FROM r",
        "SELECT step FROM transitions UNION SELECT step FROM turns INTERSECT SELECT 1",
        "EXPLAIN SELECT 1",
        "EXPLAIN ANALYZE SELECT * FROM turns",
        "EXPLAIN /* copy */ ANALYZE SELECT 1",
        "EXPLAIN (FORMAT json) SELECT 1",
        "EXPLAIN (SELECT 1)",
        "DESCRIBE turns",
        "DESCRIBE SELECT 1",
        "SHOW TABLES",
        "SUMMARIZE transitions",
        "PIVOT transitions ON status IN ('ok', 'tool_error') USING count(*)",
        "SELECT * FROM transitions, LATERAL unnest(exit_codes) AS e(code)",
        "SELECT arguments::JSON->>'x', json_extract(state_after, '$.cwd') FROM transitions",
        "SELECT * FROM range(3)",
        "SELECT 'COPY x TO y', \"step\" FROM transitions",
        "SELECT count(*) FILTER (step = 1) OVER (PARTITION BY domain) FROM turns QUALIFY row_number() OVER () = 1",
    ],
)
def test_reading_statements_are_answered(lake: Lake, sql: str):
    assert query(lake, sql).num_columns > 0


ATTACKS = [
    "COPY transitions TO '{here}/out.csv'",
    "COPY (SELECT 1) TO '{part}' (FORMAT parquet)",
    "COPY transitions TO 'lake://{name}' (FORMAT parquet)",
    "COPY transitions FROM '/etc/passwd'",
    "EXPLAIN COPY transitions TO '{here}/out.csv'",
    "EXPLAIN ANALYZE COPY (SELECT 1) TO 'lake://{name}' (FORMAT parquet)",
    "EXPLAIN (ANALYZE, FORMAT json) COPY (SELECT 1) TO '{here}/out.csv'",
    "EXPLAIN -- x\n ANALYZE COPY (SELECT 1) TO '{here}/out.csv'",
    "WITH x AS (COPY transitions TO '{here}/out.csv') SELECT 1",
    "WITH x AS (COPY (SELECT 1) TO 'lake://{name}' (FORMAT parquet)) SELECT 1",
    "SELECT (WITH x AS (COPY transitions TO '{here}/out.csv') SELECT 1)",
    "SELECT * FROM (WITH x AS (COPY transitions TO '{here}/out.csv') SELECT * FROM x)",
    "SELECT 1 UNION ALL (WITH x AS (COPY transitions TO '{here}/out.csv') SELECT 1)",
    "SELECT * FROM query('WITH x AS (COPY transitions TO ''{here}/out.csv'') SELECT 1')",
    "DESCRIBE WITH x AS (COPY transitions TO '{here}/out.csv') SELECT 1",
    "WITH x AS (INSERT INTO transitions VALUES (1)) SELECT 1",
    "SELECT * FROM read_csv('/etc/passwd')",
    "SELECT * FROM read_text('/etc/passwd')",
    "SELECT * FROM read_blob('{lake}/lake.json')",
    "SELECT * FROM read_json('{lake}/lake.json')",
    "SELECT * FROM read_parquet('{part}')",
    "SELECT * FROM parquet_metadata('{part}')",
    "SELECT * FROM parquet_kv_metadata('lake://{name}')",
    "SELECT * FROM sniff_csv('/etc/passwd')",
    "SELECT * FROM read_duckdb('/etc/passwd')",
    "FROM '/etc/passwd'",
    "FROM '{part}'",
    "SELECT (SELECT count(*) FROM '/etc/passwd')",
    "SELECT * FROM glob('/etc/*')",
    "SELECT * FROM query_table('/etc/passwd')",
    "SELECT * FROM json_execute_serialized_sql('{{}}')",
    "SELECT * FROM enable_logging(storage = 'file', storage_path = '{here}')",
    "SELECT * FROM duckdb_secrets()",
    "SELECT * FROM force_checkpoint()",
    "SELECT * FROM create_external_resource('x')",
    "SUMMARIZE '/etc/passwd'",
    "DESCRIBE FROM read_csv('/etc/passwd')",
    "ATTACH '{here}/other.db'",
    "DETACH memory",
    "INSTALL httpfs",
    "LOAD httpfs",
    "SET enable_external_access = true",
    "RESET lock_configuration",
    "PRAGMA database_list",
    "CALL enable_logging()",
    "CREATE TABLE x AS SELECT 1",
    "CREATE VIEW x AS FROM '/etc/passwd'",
    "CREATE MACRO m() AS TABLE FROM read_csv('/etc/passwd')",
    "DROP VIEW transitions",
    "INSERT INTO transitions SELECT * FROM transitions",
    "UPDATE transitions SET step = 0",
    "DELETE FROM transitions",
    "EXPORT DATABASE '{here}/dump'",
    "IMPORT DATABASE '{here}/dump'",
    "CHECKPOINT",
    "VACUUM",
    "BEGIN",
    "PREPARE p AS SELECT 1",
    "EXECUTE p",
    "USE memory",
]


@pytest.mark.parametrize("attack", ATTACKS)
def test_everything_else_is_refused(lake: Lake, tmp_path: Path, attack: str):
    part = lake.parts()[0]
    before = _lakes.files(tmp_path)
    sql = attack.format(here=tmp_path, lake=lake.store.root, part=part.path, name=part.name)
    with pytest.raises(RefusedError) as caught:
        query(lake, sql)
    assert "refused" in str(caught.value)
    assert "\n" not in str(caught.value)
    assert _lakes.files(tmp_path) == before


@pytest.mark.parametrize("attack", [attack for attack in ATTACKS if "COPY" in attack or "/etc" in attack])
def test_the_connection_itself_holds_too(lake: Lake, tmp_path: Path, attack: str):
    """Where somebody runs the statement by hand, DuckDB has nothing to read but the parts, and nothing to write."""
    part = lake.parts()[0]
    before = _lakes.files(tmp_path)
    sql = attack.format(here=tmp_path, lake=lake.store.root, part=part.path, name=part.name)
    with connect(lake) as connection:
        try:
            found = str(connection.execute(sql).fetchall())
        except Exception as error:  # noqa: BLE001
            found = str(error)
    assert "root:" not in found
    assert _lakes.files(tmp_path) == before


def test_settings_are_locked(lake: Lake):
    with connect(lake) as connection, pytest.raises(Exception, match="locked"):
        connection.execute("SET enable_external_access = true")


@pytest.mark.parametrize(
    ("sql", "message"),
    [
        ("SELEC 1", "syntax error at or near"),
        ("", "one statement is expected, 0 are given"),
        ("SELECT 1; SELECT 2", "one statement is expected, 2 are given"),
        ("SELECT 1; COPY transitions TO 'x'", "one statement"),
        ("SELECT nope FROM turns", 'Referenced column "nope" not found'),
        ("SELECT * FROM transition", 'does not exist! Did you mean "transitions"'),
        ("SELECT observation_text::INT FROM transitions", "Could not convert"),
        ("SELECT sum(observation_text) FROM transitions", "No function matches"),
        ("SELECT * FROM os", "os does not exist"),
    ],
)
def test_mistakes_are_answered_in_one_line_with_the_hint(lake: Lake, sql: str, message: str):
    with pytest.raises(InputError) as caught:
        query(lake, sql)
    assert message in str(caught.value)
    assert "\n" not in str(caught.value)


def test_python_variables_are_not_tables(lake: Lake):
    secret = pl.DataFrame({"x": [1]})
    with pytest.raises(InputError, match="secret does not exist"):
        query(lake, "SELECT * FROM secret")
    assert secret.height == 1


def test_tables_can_be_registered_by_hand(lake: Lake):
    with connect(lake, threads=1, memory_limit="500MB") as connection:
        connection.register("mine", pa.table({"trajectory_id": ["a"]}))
        sql = "SELECT count(*) FROM transitions SEMI JOIN mine USING (trajectory_id)"
        assert connection.execute(sql).fetchall() == [(3,)]


def test_orphans_and_later_parts_are_not_shown(lake: Lake):
    with connect(lake) as connection:
        _lakes.write(lake, ["later"])
        assert connection.execute("SELECT count(*) FROM trajectories").fetchall() == [(3,)]
    lake.store.remove(next(part.name for part in lake.parts("trajectories") if lake.members(part) == ["later"]))
    assert query(lake, "SELECT count(*) AS n FROM transitions").to_pylist() == [{"n": 9}]


@pytest.mark.parametrize("damage", [b"", b"no parquet", None])
def test_a_damaged_part_is_named(lake: Lake, damage: bytes | None):
    path = Path(lake.parts()[0].path)
    path.write_bytes(path.read_bytes()[:-20] if damage is None else damage)
    with pytest.raises(FormatError, match=path.name) as caught:
        query(lake, "SELECT count(observation_text) FROM transitions")
    assert "\n" not in str(caught.value)


def test_damage_inside_a_page_is_named(lake: Lake):
    path = Path(lake.parts("transitions", "terminal")[0].path)
    whole = path.read_bytes()
    for seed in range(40):
        path.write_bytes(whole[:4] + random.Random(seed).randbytes(1996) + whole[2000:])
        with pytest.raises(FormatError, match=path.name):
            query(lake, "SELECT * FROM transitions")


def test_mistakes_that_show_late_are_answered_the_same_way(lake: Lake):
    sql = "SELECT CASE WHEN i > 90000 THEN 'x'::INT ELSE {} END AS n FROM range(100000) AS r(i)"
    with pytest.raises(InputError, match="Could not convert"):
        query(lake, sql.format("i"))
    with pytest.raises(InputError, match="late"):
        query(lake, "SELECT CASE WHEN i > 90000 THEN error('late') ELSE 'x' END FROM range(100000) AS r(i)")


def test_older_parts_may_lack_a_column(lake: Lake):
    import pyarrow.parquet as pq

    part = lake.parts("transitions", "web")[0]
    pq.write_table(pq.ParquetFile(part.path).read().drop_columns(["snapshot"]), part.path)
    assert query(lake, "SELECT count(*) AS n, count(snapshot) AS s FROM transitions").to_pylist() == [{"n": 9, "s": 0}]


def test_results_come_batch_by_batch(lake: Lake):
    with query_batches(lake, "SELECT i, repeat('x', 100) AS t FROM range(100000) AS r(i)") as reader:
        sizes = [batch.num_rows for batch in reader]
    assert sum(sizes) == 100_000
    assert len(sizes) > 5


def test_no_lake(tmp_path: Path):
    with pytest.raises(NotFoundError, match="no lake here"):
        query(tmp_path / "nothing", "SELECT 1")


def test_quotes_in_the_path(tmp_path: Path):
    lake = Lake.open(tmp_path / 'o\'brien "x" [1]*?', create=True)
    _lakes.write(lake, ["a"])
    assert query(lake, "SELECT count(*) AS n FROM turns").to_pylist() == [{"n": 3}]
    assert lake.read(lake.parts()[0]).height == 3


@pytest.mark.parametrize("name", ["turns", "trajectories", "transitions"])
def test_a_folder_of_notes_that_is_named_as_a_table_breaks_nothing(tmp_path: Path, name: str):
    lake = Lake.open(tmp_path, create=True)
    part = _lakes.write(lake, ["a"])
    lake.write_note("rules", part, _lakes.note(["a"]))
    (tmp_path / "notes" / "rules").rename(tmp_path / "notes" / name)
    assert lake.stages() == []
    assert query(lake, f"SELECT count(*) AS n FROM {name}").to_pylist()[0]["n"] > 0
