"""Chat rows that Worldtape wrote: the text under `worldtape` gives every transition back."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, NamedTuple

from worldtape.collectors.importers import _ours
from worldtape.collectors.importers._chat import decoded
from worldtape.collectors.importers._values import as_dict, as_list, as_str, text_of
from worldtape.schemas import Action, Imported, ImportedStep


class _Act(NamedTuple):
    key: str | None
    """The id of a call; null: words."""
    action: Action
    content: str | None
    where: str


def imported(row: dict[str, Any], messages: list[Any], locator: str) -> Imported | None:
    """Return the trajectory of a row of ours; null: it is not, or its messages are no longer those that we wrote.

    Raises:
        FormatError: what stands under `worldtape` cannot be.
        VersionError: a newer Worldtape wrote it.
    """
    told = _ours.member(decoded(row[_ours.MEMBER]))
    if told is None:
        return None
    columns = [item for item in as_list(told.get("transitions")) if isinstance(item, dict)]
    acts = list(_acts([as_dict(item) for item in messages]))
    if len(acts) != len(columns) or not all(map(_fits, acts, columns)):
        return None
    return _ours.trajectory(told["trajectory"], _steps(acts, columns), locator)


def _fits(act: _Act, told: dict[str, Any]) -> bool:
    return act.key in (None, _ours.call_id(told.get("step")))


def _steps(acts: list[_Act], columns: list[dict[str, Any]]) -> Iterator[ImportedStep]:
    for act, told in zip(acts, columns, strict=True):
        yield _ours.step(act.action, act.content, told, act.where)


def _acts(messages: list[dict[str, Any]]) -> Iterator[_Act]:
    """Give every call with its answer, and all words of the assistant with the user's next ones."""
    answers = {as_str(item.get("tool_call_id")): text_of(item.get("content")) for item in messages}
    for number, item in enumerate(messages):
        if item.get("role") != "assistant":
            continue
        calls = [as_dict(call) for call in as_list(item.get("tool_calls"))]
        for call in calls:
            function = as_dict(call.get("function"))
            key = as_str(call.get("id")) or ""
            action = _ours.act(as_str(function.get("name")) or "unknown", decoded(function.get("arguments")))
            yield _Act(key, action, answers.get(key), f"/{number}")
        if not calls:
            after = messages[number + 1] if number + 1 < len(messages) else {}
            content = text_of(after.get("content")) if after.get("role") == "user" else None
            yield _Act(None, _ours.say(text_of(item.get("content")) or ""), content, f"/{number}")
