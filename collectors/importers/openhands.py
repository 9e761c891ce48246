"""OpenHands: event streams and evaluation outputs of V0, event logs of the V1 SDK."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import chain
from typing import Any, ClassVar

from worldtape.collectors.importers import _openhands_v0, _openhands_v1
from worldtape.collectors.importers._head import first_value
from worldtape.collectors.importers._json import records
from worldtape.collectors.importers._openhands_v0 import LOSSINESS
from worldtape.collectors.importers._values import as_dict, as_list, as_str
from worldtape.errors import FormatError, InputError
from worldtape.schemas import Domain, Imported, Lossiness, Orphan, Rejected, SourceFile

_SOURCES = ("user", "agent", "environment")
_PREDICTION = {"instance_id", "model_patch"}
Record = tuple[str, Any] | Orphan


class OpenHands:
    """Tells the generations by their first record, and reads each in its own way."""

    name: ClassVar[str] = "openhands"
    title: ClassVar[str] = "OpenHands event streams, evaluation outputs and SDK events"
    versions: ClassVar[str] = "V0, V1 SDK"
    domains: ClassVar[tuple[Domain, ...]] = (Domain.SWE,)
    lossiness: ClassVar[tuple[Lossiness, ...]] = LOSSINESS

    def sniff(self, source: SourceFile) -> bool:
        """Tell by the members of the first record."""
        return _kind(first_value(source)) is not None

    def read(self, source: SourceFile) -> Iterator[Imported | Rejected]:
        """Give one trajectory for a stream or log, one for each line of an evaluation."""
        found = records(source)
        ahead: list[Record] = []
        kind = None
        for record in found:
            ahead.append(record)
            if not isinstance(record, Orphan):
                kind = _kind(record[1])
                break
        whole = chain(ahead, found)
        if kind == "prediction":
            raise InputError("predictions only: patches without the steps that made them", where=source.name)
        if kind == "evaluation":
            yield from _evaluations(whole)
        elif kind == "v1":
            yield _openhands_v1.imported(whole)
        elif kind == "v0":
            yield _openhands_v0.imported(list(whole), "", {})
        else:
            raise FormatError("no OpenHands events", where=source.name)


def _kind(value: Any) -> str | None:
    if not isinstance(value, dict):
        return None
    if "history" in value and ({"instance_id", "issue"} & value.keys()):
        return "evaluation" if _events(value["history"]) else None
    if "agent_class" in as_dict(value.get("metadata")) and "test_result" in value:
        return "evaluation"
    if value.keys() >= _PREDICTION:
        return "prediction"
    return _generation(value) if str(value.get("source")) in _SOURCES and "timestamp" in value else None


def _generation(event: dict[str, Any]) -> str | None:
    if isinstance(event.get("kind"), str) and "id" in event:
        return "v1"
    named = isinstance(event.get("action"), str) or isinstance(event.get("observation"), str)
    return "v0" if named else None


def _events(history: Any) -> bool:
    first: Any = next(_flat(as_list(history)), None)
    return first is None or bool({"action", "observation", "kind", "id"} & as_dict(first).keys())


def _evaluations(found: Iterator[Record]) -> Iterator[Imported | Rejected]:
    for record in found:
        if isinstance(record, Orphan):
            where = f"bytes:{record.details.get('offset', 0)}-"
            yield Rejected(where, f"{record.code}: {record.details.get('reason')}")
            continue
        locator, value = record
        history = as_dict(value).get("history")
        if not isinstance(history, list) or not history:
            reason = as_str(as_dict(value).get("error")) or "there is no history: predictions only"
            yield Rejected(locator, " ".join(reason.split())[:500])
            continue
        events: list[Record] = [(f"/history/{number}", event) for number, event in enumerate(_flat(history))]
        if as_str(as_dict(history[0]).get("kind")):
            yield _openhands_v1.imported(iter(events), locator, value)
        else:
            yield _openhands_v0.imported(events, locator, value)


def _flat(history: list[Any]) -> Iterator[Any]:
    """Early evaluations pair events: `[[action, observation], …]`."""
    for item in history:
        if isinstance(item, list):
            yield from item
        else:
            yield item


__all__ = ["OpenHands"]
