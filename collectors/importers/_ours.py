"""What our exporters put under `worldtape`, beside a format's own fields: the columns that these cannot hold.

A transition's object holds the columns of the table `transitions` whose values are not those that `taken` gives for the
call and the answer in the file itself; JSON columns are plain values there, times microseconds since 1970 UTC.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from typing import Any

from pydantic import ValidationError

from worldtape.collectors.importers._json import parse
from worldtape.collectors.importers._values import as_dict, as_float, as_str, too_deep, tool_call
from worldtape.errors import FormatError, VersionError
from worldtape.schemas import (
    Action,
    Domain,
    End,
    EnvironmentSpec,
    Fault,
    Imported,
    ImportedStep,
    InitialState,
    Lineage,
    Lossiness,
    Orphan,
    Outcome,
    PolicySpec,
    SettledBy,
    Status,
    Task,
    Timing,
    canonical_json,
)
from worldtape.schemas.columns import TRAJECTORIES, TRANSITIONS, Column, nested

MEMBER = "worldtape"
VERSION = 1
KEYSTROKES = "keystrokes"
"""The name under which keys that are typed stand where a format knows calls of functions only."""
OBSERVED = "observation_text"
_KEPT_ASIDE = {"renderer", "renderer_version", "renderer_params", "parts", "extra"}
_ELSEWHERE = {"transition_id", "trajectory_id", "step", "domain", "state_before"}
TRANSITION_COLUMNS: tuple[Column, ...] = tuple(each for each in TRANSITIONS if each.name not in _ELSEWHERE)
"""What one object may hold; the others follow from its place."""
_STEP_COLUMNS = tuple(each for each in TRANSITION_COLUMNS if each.name not in _KEPT_ASIDE)
_WHOLES = {"environment_kind", "backend", "image", "image_digest", "tools", "policy_kind", "policy_model"}
_NOT_OURS = {"transitions", "tape"} | _WHOLES
TRAJECTORY_COLUMNS: tuple[Column, ...] = tuple(each for each in TRAJECTORIES if each.name not in _NOT_OURS)
_OWN = {"environment", "task", "policy", "initial_state", "lineage"}
_HEAD_COLUMNS = tuple(each for each in TRAJECTORY_COLUMNS if each.path.partition(".")[0] in _OWN)
_PLACED = {"domain", "licence", "initial_text", "started_at", "end_status", "end_reason", "reward"}
_READ = {each.name for each in _HEAD_COLUMNS} | _PLACED | {"schema_version", "ended_at"}
"""Columns of a trajectory that have a place in `Imported`, or follow from others."""


def act(name: str, arguments: Any) -> Action:
    """Return the action that a call of a function is, as both sides read it."""
    strokes = arguments.get(KEYSTROKES) if isinstance(arguments, dict) and len(arguments) == 1 else None
    if name != KEYSTROKES or not isinstance(strokes, list) or too_deep(strokes):
        return tool_call(name, arguments)
    text = json.dumps(strokes, ensure_ascii=False)
    return Action(kind=KEYSTROKES, text=text, arguments=canonical_json(strokes))


def call_id(step: Any) -> str:
    """Return the id that the call of a step has in a format of calls."""
    return f"call_{step}"


def typed(text: str) -> Action:
    """Return the action that a text is where a format has texts only: an array of keystrokes, or words."""
    try:
        strokes = parse(text.encode("utf-8", "replace")) if text[:1] == "[" else None
    except FormatError:
        strokes = None
    action = say(text) if strokes is None else act(KEYSTROKES, {KEYSTROKES: strokes})
    return action if action.text == text else action.model_copy(update={"text": text})


def say(text: str) -> Action:
    """Return the action that words are."""
    return Action(kind="message", text=text)


def taken(action: Action, content: str | None) -> dict[str, Any]:
    """Return the columns as they are read from the file itself, where nothing stands under `worldtape`.

    Args:
        action: of `act` or `say`.
        content: the answer; null: there is none.
    """
    status = Status.UNKNOWN if content is None else Status.OK
    told = {"action": action.to_dict(), "observation": {"text": content}, "outcome": {"status": str(status)}}
    found = {column.name: column.pick(told) for column in _STEP_COLUMNS}
    return {name: value for name, value in found.items() if value is not None}


def step(action: Action, content: str | None, columns: Mapping[str, Any], locator: str) -> ImportedStep:
    """Return a transition as it stood in the lake.

    Raises:
        FormatError: what stands under `worldtape` cannot be.
    """
    told = taken(action, content) | dict(columns)
    if OBSERVED in columns and content is not None:
        told.setdefault("shown_text", content)
    whole = nested(_STEP_COLUMNS, told)
    if as_text(told.get("arguments")) is not None:
        parse(told["arguments"].encode())
    fault, settled_by = told.get("fault"), told.get("settled_by")
    state = told.get("state_after")
    try:
        return ImportedStep(
            action=Action.model_validate({key: value for key, value in whole["action"].items() if value is not None}),
            observation=as_text(told.get(OBSERVED)),
            outcome=_outcome(whole["outcome"]),
            shown=as_text(told.get("shown_text")),
            timing=Timing.model_validate(whole.get("timing", {})),
            state_after=None if state is None else dict(state),
            reward=as_float(told.get("reward")),
            settled_by=None if settled_by is None else SettledBy(settled_by),
            snapshot=as_str(told.get("snapshot")),
            fault=None if fault is None else Fault.model_validate(fault),
            lossiness=tuple(Lossiness(code) for code in told.get("lossiness") or ()),
            locator=locator,
            extra={name: value for name, value in columns.items() if name in _KEPT_ASIDE},
        )
    except (ValidationError, ValueError, TypeError) as error:
        raise FormatError(f"what stands under {MEMBER} cannot be: {_first_line(error)}", where=locator) from error


def trajectory(columns: Mapping[str, Any], steps: Iterable[ImportedStep | Orphan], locator: str) -> Imported:
    """Return a trajectory as it stood in the lake.

    Raises:
        FormatError: what stands under `worldtape` cannot be.
    """
    whole = nested(_HEAD_COLUMNS, columns)
    task, started_at = as_dict(whole.get("task")), columns.get("started_at")
    try:
        return Imported(
            locator=locator,
            domain=Domain(columns["domain"]),
            environment=EnvironmentSpec.model_validate(whole["environment"]),
            policy=PolicySpec.model_validate(whole.get("policy") or {"kind": "imported"}),
            steps=steps,
            task=Task.model_validate({"id": ""} | task) if task else None,
            initial=as_text(columns.get("initial_text")),
            initial_state=InitialState.model_validate(whole.get("initial_state") or {}),
            lineage=Lineage.model_validate(whole.get("lineage") or {}),
            licence=as_str(columns.get("licence")),
            started_at=started_at if isinstance(started_at, int) else None,
            end=End(
                status=columns["end_status"], reason=columns.get("end_reason"), reward=as_float(columns.get("reward"))
            ),
            extra={MEMBER: {name: value for name, value in columns.items() if name not in _READ}},
        )
    except (ValidationError, ValueError, TypeError, KeyError) as error:
        raise FormatError(f"what stands under {MEMBER} cannot be: {_first_line(error)}", where=locator) from error


def member(value: Any) -> dict[str, Any] | None:
    """Return what stands under `worldtape`; null: nothing that is ours.

    Raises:
        VersionError: a newer Worldtape wrote it.
    """
    found = as_dict(value)
    version = found.get("version")
    if not isinstance(version, int) or not isinstance(found.get("trajectory"), dict) or too_deep(found):
        return None
    if version > VERSION:
        fix = "update worldtape"
        raise VersionError(f"what stands under {MEMBER} has version {version}, newer than {VERSION}", fix=fix)
    return found


def as_text(value: Any) -> str | None:
    """Return a text, the empty one too, or null."""
    return value if isinstance(value, str) else None


def _outcome(fields: dict[str, Any]) -> Outcome:
    error = {key: value for key, value in as_dict(fields.get("error")).items() if value is not None}
    return Outcome.model_validate(fields | {"error": error or None, "exit_codes": fields.get("exit_codes") or ()})


def _first_line(error: Exception) -> str:
    return " ".join(str(error).split())[:200]
