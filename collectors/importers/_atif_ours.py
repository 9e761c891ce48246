"""ATIF documents that Worldtape wrote: what stands under `extra.worldtape` gives every transition back."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from worldtape.collectors.importers import _ours
from worldtape.collectors.importers._pairing import pair
from worldtape.collectors.importers._values import as_dict, as_list, as_str, text_of
from worldtape.schemas import Imported, ImportedStep


def imported(value: dict[str, Any], locator: str) -> Imported | None:
    """Return the trajectory of a document of ours; null: it is not, or its steps are no longer those that we wrote.

    Raises:
        FormatError: what stands under `extra.worldtape` cannot be.
        VersionError: a newer Worldtape wrote it.
    """
    told = _ours.member(as_dict(value.get("extra")).get(_ours.MEMBER))
    if told is None:
        return None
    turns = [(n, step) for n, step in enumerate(as_list(value["steps"])) if as_dict(step).get("source") == "agent"]
    if not all(_fits(step) for _, step in turns):
        return None
    return _ours.trajectory(told["trajectory"], _steps(turns, locator), locator)


def _fits(step: dict[str, Any]) -> bool:
    columns = as_dict(step.get("extra")).get(_ours.MEMBER)
    calls = as_list(step.get("tool_calls"))
    if not isinstance(columns, list) or not all(isinstance(item, dict) for item in (*columns, *calls)):
        return False
    if not calls:
        return len(columns) == 1
    return [_ours.call_id(told.get("step")) for told in columns] == [call.get("tool_call_id") for call in calls]


def _steps(turns: list[tuple[int, dict[str, Any]]], locator: str) -> Iterator[ImportedStep]:
    for number, step in turns:
        where = f"{locator}/steps/{number}"
        columns = step["extra"][_ours.MEMBER]
        calls = as_list(step.get("tool_calls"))
        results = [as_dict(item) for item in as_list(as_dict(step.get("observation")).get("results"))]
        if not calls:
            content = text_of(results[0].get("content")) if results else None
            yield _ours.step(_ours.say(text_of(step.get("message")) or ""), content, columns[0], where)
            continue
        ids = [as_str(call.get("tool_call_id")) for call in calls]
        own = pair(ids, [(as_str(item.get("source_call_id")), item) for item in results]).own
        for call, result, told in zip(calls, own, columns, strict=True):
            action = _ours.act(as_str(call.get("function_name")) or "unknown", call.get("arguments"))
            yield _ours.step(action, text_of(as_dict(result).get("content")), told, where)
