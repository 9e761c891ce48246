"""Which SQL a lake answers: one SELECT, EXPLAIN, DESCRIBE, SHOW or SUMMARIZE over its views, and nothing else."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from worldtape.errors import InputError, RefusedError, boundary

if TYPE_CHECKING:
    import duckdb

_FIX = "a lake answers SELECT, EXPLAIN, DESCRIBE, SHOW and SUMMARIZE"
_NODES = frozenset({"SELECT_NODE", "SET_OPERATION_NODE", "RECURSIVE_CTE_NODE", "CTE_NODE", "VALUES_NODE"})
_FUNCTIONS = frozenset(
    [
        "unnest",
        "range",
        "generate_series",
        "json_each",
        "json_tree",
        "repeat",
        "repeat_row",
        "summary",
        "test_all_types",
        "pg_timezone_names",
        "duckdb_columns",
        "duckdb_tables",
        "duckdb_views",
        "duckdb_functions",
        "duckdb_types",
        "duckdb_keywords",
        "duckdb_settings",
    ]
)
"""Functions in FROM that read nothing but their arguments and the catalogue."""
_CONTROL = frozenset(["nextval", "setval", "write_log", "setseed", "sleep_ms"])


def check(connection: duckdb.DuckDBPyConnection, sql: str) -> None:
    """Let one reading statement pass.

    The text alone does not tell: DuckDB takes `COPY` inside a `WITH` and calls the whole a SELECT. So the parsed tree
    is walked, and what is not known to read only is refused.

    Raises:
        InputError: it is no SQL, or not exactly one statement.
        RefusedError: it writes, changes settings, or reads something that is not the lake.
    """
    statements = parsed(connection, sql)
    if len(statements) != 1:
        raise InputError(f"one statement is expected, {len(statements)} are given", fix="run them one after the other")
    kind, text = statements[0]
    if kind == "EXPLAIN":
        inner = parsed(connection, explained(text))
        kind, text = inner[0] if len(inner) == 1 else ("MULTI", text)
    if kind != "SELECT":
        raise RefusedError(f"{kind} is refused", fix=_FIX)
    _check_tree(_tree(connection, text))


def parsed(connection: duckdb.DuckDBPyConnection, sql: str) -> list[tuple[str, str]]:
    """Return the (type, text) of every statement of `sql`.

    Raises:
        InputError: DuckDB cannot parse it; the message is DuckDB's own, in one line.
    """
    import duckdb

    try:
        return [(statement.type.name, statement.query) for statement in connection.extract_statements(sql)]
    except duckdb.Error as error:
        raise InputError(brief(error)) from error


def explained(sql: str) -> str:
    """Return the statement behind `EXPLAIN`, `ANALYZE` and their options."""
    import duckdb

    starts = [start for start, kind in duckdb.tokenize(sql) if "comment" not in str(kind)]
    words = [sql[start:stop].strip() for start, stop in zip(starts, [*starts[1:], len(sql)], strict=True)]
    place = 1
    while place < len(words) and words[place].lower() in {"analyze", "analyse", "verbose"}:
        place += 1
    if place < len(words) and words[place] == "(":
        depth, end = 0, place
        while end < len(words):
            depth += words[end].count("(") - words[end].count(")")
            end += 1
            if depth == 0:
                break
        options = {word.lower().rstrip(",)") for word in words[place + 1 : end]}
        if options & {"analyze", "analyse", "format"}:
            place = end
    return sql[starts[place] :] if place < len(starts) else ""


def _tree(connection: duckdb.DuckDBPyConnection, sql: str) -> dict[str, Any]:
    with boundary():
        rows = connection.execute("SELECT json_serialize_sql(?::VARCHAR)", [sql]).fetchall()
    tree: dict[str, Any] = json.loads(rows[0][0])
    if tree.get("error", True):
        raise RefusedError("only a SELECT can be checked", fix=_FIX)
    return tree


def _check_tree(tree: dict[str, Any]) -> None:
    for value in _walk(tree):
        kind = str(value.get("type", ""))
        if ("cte_map" in value or kind.endswith("_NODE")) and kind not in _NODES:
            raise RefusedError(f"{kind.removesuffix('_NODE') or 'this'} inside a SELECT is refused", fix=_FIX)
        if "query_node" in value:
            inner = str((value["query_node"] or {}).get("type", ""))
            if inner not in _NODES:
                raise RefusedError(f"{inner.removesuffix('_NODE')} inside WITH is refused", fix=_FIX)
        if kind == "TABLE_FUNCTION":
            name = str((value.get("function") or {}).get("function_name", "")).lower()
            if name not in _FUNCTIONS:
                raise RefusedError(f"{name}() is refused", fix="only the lake's own views can be read")
        if kind == "BASE_TABLE" and "/" in str(value.get("table_name", "")):
            raise RefusedError(f"reading {value['table_name']} is refused", fix="only the lake's own views can be read")
        if value.get("class") == "FUNCTION" and str(value.get("function_name", "")).lower() in _CONTROL:
            raise RefusedError(f"{value['function_name']}() is refused", fix=_FIX)


def _walk(value: Any) -> Iterator[dict[str, Any]]:
    waiting = [value]
    while waiting:
        here = waiting.pop()
        if isinstance(here, dict):
            yield here
            waiting.extend(here.values())
        elif isinstance(here, list):
            waiting.extend(here)


def brief(error: Exception) -> str:
    """Return DuckDB's message in one line: what is wrong, its hint, and the place."""
    lines = [line.strip() for line in str(error).splitlines() if line.strip()]
    lines = [line for line in lines if set(line) != {"^"}]
    return " ".join(lines)[:600] or type(error).__name__
