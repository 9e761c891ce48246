"""A format of our own, for the engine's tests: `{"toy": 1, "steps": [[action, observation], …]}`, one line or many."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any, ClassVar

import pytest

from worldtape.collectors.importers import IMPORTERS
from worldtape.collectors.importers._json import records
from worldtape.errors import InputError, VersionError
from worldtape.schemas import (
    Action,
    Domain,
    EnvironmentSpec,
    Imported,
    ImportedStep,
    Lossiness,
    Orphan,
    PolicySpec,
    Rejected,
    SourceFile,
    Timing,
)


class Toy:
    """What breaks on request: `version` 2, `bad` records, `crash` while reading, `sibling` to be read."""

    name: ClassVar[str] = "toy"
    title: ClassVar[str] = "Toy rows"
    versions: ClassVar[str] = "1"
    domains: ClassVar[tuple[Domain, ...]] = (Domain.MCP,)
    lossiness: ClassVar[tuple[Lossiness, ...]] = (Lossiness.NO_EXIT_CODE, Lossiness.NO_TIMESTAMPS)

    def sniff(self, source: SourceFile) -> bool:
        return b'"toy"' in source.head[:64]

    def read(self, source: SourceFile) -> Iterator[Imported | Rejected]:
        for record in records(source):
            if isinstance(record, Orphan):
                yield Rejected(f"bytes:{record.details['offset']}", record.code)
                continue
            locator, row = record
            if row["toy"] > 1:
                raise VersionError(f"toy version {row['toy']} is newer than 1", where=source.name)
            if row.get("nothing"):
                raise InputError("predictions only", where=source.name)
            if row.get("crash") == "file":
                raise KeyError("crash")
            yield Rejected(locator, "bad") if row.get("bad") else self._trajectory(source, locator, row)

    def _trajectory(self, source: SourceFile, locator: str, row: dict[str, Any]) -> Imported:
        found = source.sibling(row["sibling"]) if "sibling" in row else None
        extra = {} if found is None else {"sibling": found.head.decode()}
        return Imported(
            locator=locator,
            domain=Domain.MCP,
            environment=EnvironmentSpec(kind="mcp"),
            policy=PolicySpec(kind="imported"),
            steps=_steps(row),
            initial=row.get("initial"),
            lossiness=(Lossiness.NO_EXIT_CODE,),
            started_at=row.get("at"),
            extra=extra,
        )


def _steps(row: dict[str, Any]) -> Iterator[ImportedStep | Orphan]:
    for number, (action, observation) in enumerate(row["steps"]):
        if action == "orphan":
            yield Orphan("orphan_result", {"text": observation})
            continue
        if action == "crash":
            raise ZeroDivisionError
        at = None if "at" not in row else row["at"] + number * row.get("pace", 1_000_000)
        yield ImportedStep(
            Action(kind="tool_call", text=action, name="toy"),
            observation,
            timing=Timing(started_at=at, ended_at=at),
            lossiness=() if at else (Lossiness.NO_TIMESTAMPS,),
            thoughts=({"text": "hm"},) if number == 0 else (),
            locator=f"/steps/{number}",
            extra={"number": number},
        )


class Twin(Toy):
    """Claims the same files."""

    name = "twin"


class Fool(Toy):
    """Fails at the sight of anything."""

    name = "fool"

    def sniff(self, source: SourceFile) -> bool:
        raise IndexError(source.name)


def only(monkeypatch: pytest.MonkeyPatch, *classes: type[Toy]) -> None:
    """Let these be the only importers there are."""
    paths = {each.name: f"{__name__}:{each.__name__}" for each in classes}
    monkeypatch.setattr(IMPORTERS, "_builtin", paths)
    monkeypatch.setattr(IMPORTERS, "paths", lambda: paths)


def toy(*steps: tuple[str, str | None], **fields: Any) -> dict[str, Any]:
    return {"toy": 1, "steps": [list(step) for step in steps or (("a", "A"), ("b", "B"))]} | fields


def rows(*values: Any) -> bytes:
    return b"".join(json.dumps(value).encode() + b"\n" for value in values)


def put(path: Path, data: bytes | dict[str, Any]) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(data if isinstance(data, bytes) else json.dumps(data).encode())
    return path
