"""The schema does not change without its version; old recordings are lifted in place.

`python -m tests.schemas.test_version` writes the golden schema of a new version (never over an old one).
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from worldtape.errors import VersionError
from worldtape.schemas import SCHEMA_VERSION, json_schema, upgrader
from worldtape.schemas.columns import TRAJECTORIES, TRANSITIONS

GOLDEN = Path(__file__).parent / "golden" / f"schema-{SCHEMA_VERSION}.json"


def without_words(value: Any) -> Any:
    """Descriptions may be improved at any time; names, types and requirements may not."""
    if isinstance(value, dict):
        return {key: without_words(item) for key, item in value.items() if key not in ("description", "title")}
    return [without_words(item) for item in value] if isinstance(value, list) else value


def shape() -> dict[str, Any]:
    columns = {
        "transitions": [[c.name, c.path, c.type.value] for c in TRANSITIONS],
        "trajectories": [[c.name, c.path, c.type.value] for c in TRAJECTORIES],
    }
    return {"models": without_words(json_schema()), "columns": columns}


def test_schema_changes_only_with_its_version() -> None:
    assert GOLDEN.is_file(), f"a new version: run python -m {__spec__.name if __spec__ else __name__}"
    assert shape() == json.loads(GOLDEN.read_text("utf-8")), "the schema changed: raise SCHEMA_VERSION"


def test_every_field_is_described() -> None:
    bare = [name for name, model in json_schema()["$defs"].items() if "description" not in model]
    assert bare == []


def rename(event: dict[str, Any]) -> dict[str, Any]:
    return event | {"kind": {"begin": "header"}.get(event["kind"], event["kind"])}


def count(event: dict[str, Any]) -> dict[str, Any]:
    return event | {"data": event["data"] | {"lifts": event["data"].get("lifts", 0) + 1}}


def test_upgrades_are_chained_in_order() -> None:
    lift = upgrader("1.4", current="3.0", upgrades={1: rename, 2: count})
    assert lift({"kind": "begin", "data": {}}) == {"kind": "header", "data": {"lifts": 1}}
    assert upgrader("3.9", current="3.0", upgrades={})({"kind": "end", "data": {}}) == {"kind": "end", "data": {}}


def test_newer_major_is_refused_by_name() -> None:
    with pytest.raises(VersionError, match=r"tape\.jsonl: written with schema 2\.0, newer than 1\.0; install a newer"):
        upgrader("2.0", where="tape.jsonl")


@pytest.mark.parametrize("version", ["", "1", "one.two", "1.x", "-1.0"])
def test_nonsense_is_no_version(version: str) -> None:
    with pytest.raises(VersionError, match="is not a schema version"):
        upgrader(version)


if __name__ == "__main__":
    if not GOLDEN.exists():
        GOLDEN.write_text(json.dumps(shape(), indent=1) + "\n", "utf-8")
