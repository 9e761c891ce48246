"""ATIF 1.0–1.8: Harbor's trajectories, their continuations, and its `traces.json`."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any, ClassVar

from worldtape.collectors.importers import _atif_ours, _atif_traces
from worldtape.collectors.importers._atif_steps import LOSSINESS, Steps
from worldtape.collectors.importers._head import first_value
from worldtape.collectors.importers._json import document, records
from worldtape.collectors.importers._terminus import opening
from worldtape.collectors.importers._values import (
    as_dict,
    as_float,
    as_list,
    as_str,
    kept,
    micros,
    text_of,
    tools_of,
)
from worldtape.errors import FormatError, InputError, VersionError
from worldtape.schemas import (
    Domain,
    End,
    EndStatus,
    EnvironmentSpec,
    Imported,
    Lineage,
    Lossiness,
    Orphan,
    PolicySpec,
    Rejected,
    SourceFile,
    Task,
)

_VERSION = re.compile(r"ATIF-v(\d{1,4})\.(\d{1,4})\Z")
_NEWEST = (1, 8)
_CONTINUATION = re.compile(r"(.+)\.cont-\d{1,4}\.json\Z")
_MOST_FILES = 1000
_LARGEST_SIDE_FILE = 16 << 20
_TERMINAL = ("terminus",)


class Atif:
    """Reads ATIF documents (one, a list, or lines) and Harbor's traces."""

    name: ClassVar[str] = "atif"
    title: ClassVar[str] = "ATIF trajectories and Harbor job folders"
    versions: ClassVar[str] = "1.0–1.8"
    domains: ClassVar[tuple[Domain, ...]] = (Domain.SWE, Domain.TERMINAL)
    lossiness: ClassVar[tuple[Lossiness, ...]] = LOSSINESS

    def sniff(self, source: SourceFile) -> bool:
        """Tell by `schema_version`, or by the members of a trace."""
        first = first_value(source)
        if not isinstance(first, dict):
            return False
        version = first.get("schema_version")
        return (isinstance(version, str) and version.startswith("ATIF-")) or _atif_traces.is_trace(first)

    def read(self, source: SourceFile) -> Iterator[Imported | Rejected]:
        """Give one trajectory for each document, one for each embedded subagent, one for each trial of traces."""
        _refuse_continuation(source)
        traces = _atif_traces.Traces(source)
        several = False
        for record in records(source):
            if isinstance(record, Orphan):
                yield Rejected(f"bytes:{record.details.get('offset', 0)}-", str(record.details.get("reason")))
                continue
            locator, value = record
            if isinstance(value, dict) and _atif_traces.is_trace(value):
                yield from traces.add(locator, value)
                continue
            try:
                _check(value, source)
            except FormatError as error:
                if not locator:
                    raise
                yield Rejected(locator, str(error))
                continue
            several = several or bool(locator)
            yield from _trajectories(value, locator, source, alone=not several)
        yield from traces.rest()


def _check(value: Any, source: SourceFile) -> None:
    """Raise what keeps a document from being read."""
    version = as_dict(value).get("schema_version")
    found = _VERSION.match(version) if isinstance(version, str) else None
    if found is None:
        raise FormatError(f"no ATIF document: schema_version is {str(version)[:80]!r}", where=source.name)
    if (int(found[1]), int(found[2])) > _NEWEST or int(found[1]) < 1:
        fix = "this importer reads 1.0 to 1.8: update worldtape"
        raise VersionError(f"written as {version}", where=source.name, fix=fix)
    if not isinstance(value.get("steps"), list):
        raise FormatError("an ATIF document without steps", where=source.name)


def _trajectories(
    value: dict[str, Any], locator: str, source: SourceFile, *, alone: bool
) -> Iterator[Imported | Rejected]:
    try:
        made = _atif_ours.imported(value, locator)
    except FormatError as error:
        yield Rejected(locator, error.what)
        return
    if made is not None:
        yield made
        return
    ours = [("", value), *(_continuations(value, source) if alone else [])]
    trial = _trial(source) if alone else {}
    first = _imported(ours, locator, trial, None)
    if missing := as_str(ours[-1][1].get("continued_trajectory_ref")):
        first.end = End(status=EndStatus.INTERRUPTED, reason=f"it goes on in {missing}, which is not there")
    yield first
    parent = as_str(value.get("trajectory_id")) or as_str(value.get("session_id"))
    stack = [(f"{locator}/subagent_trajectories/{n}", sub, parent) for n, sub in _subagents(value)]
    while stack:
        where, sub, above = stack.pop(0)
        if not isinstance(sub.get("steps"), list):
            continue
        yield _imported([("", sub)], where, {}, above)
        own = as_str(sub.get("trajectory_id")) or as_str(sub.get("session_id"))
        stack += [(f"{where}/subagent_trajectories/{n}", child, own) for n, child in _subagents(sub)]


def _subagents(value: dict[str, Any]) -> list[tuple[int, dict[str, Any]]]:
    found = enumerate(as_list(value.get("subagent_trajectories")))
    return [(number, item) for number, item in found if isinstance(item, dict)]


def _imported(
    documents: list[tuple[str, dict[str, Any]]], locator: str, trial: dict[str, Any], parent: Any
) -> Imported:
    value = documents[0][1]
    agent = as_dict(value.get("agent"))
    terminal = str(agent.get("name", "")).startswith(_TERMINAL)
    first = _first_user(value)
    instruction, initial, rendering = opening(first or "") if terminal else (None, None, None)
    steps = Steps(documents, locator, terminal=terminal)
    tools = tools_of(agent.get("tool_definitions"))
    about = as_dict(agent.get("extra"))
    above = parent or as_str(about.get("parent_session_id"))
    continues = as_str(value.get("session_id")) if "-cont-" in str(value.get("session_id")) else None
    lineage = Lineage(parent=above, kind="subagent") if above else Lineage()
    if continues and not above:
        lineage = Lineage(parent=continues.split("-cont-")[0], kind="resumed")
    codes = [Lossiness.NO_EXIT_CODE, Lossiness.NO_PROBES, Lossiness.MERGED_STREAMS]
    codes += [] if initial is not None else [Lossiness.NO_INITIAL_STATE]
    codes += [] if tools else [Lossiness.NO_TOOL_SCHEMAS]
    codes += [] if trial.get("image") else [Lossiness.NO_ENV_IMAGE]
    times = [micros(as_dict(step).get("timestamp")) for step in as_list(value.get("steps"))[:1]]
    extra = kept(value, "steps", "agent", "subagent_trajectories", "schema_version") | {"agent": kept(agent)}
    extra["agent"].pop("tool_definitions", None)
    if rendering:
        extra["initial_rendering"] = rendering
    if trial:
        extra["harbor"] = trial
    return Imported(
        locator=locator,
        domain=Domain.TERMINAL if terminal else Domain.SWE,
        environment=EnvironmentSpec(
            kind="terminal" if terminal else "tools",
            image=trial.get("image"),
            tools=tools,
            backend=trial.get("backend"),
        ),
        policy=PolicySpec(kind="imported", model=as_str(agent.get("model_name")), parameters=_parameters(agent)),
        steps=steps,
        task=_task(value, instruction or first, trial),
        initial=initial,
        lossiness=tuple(codes),
        lineage=lineage,
        started_at=times[0] if times else None,
        end=_end(trial),
        extra=extra,
    )


def _parameters(agent: dict[str, Any]) -> dict[str, Any]:
    names = {"agent": as_str(agent.get("name")), "agent_version": as_str(agent.get("version"))}
    return {key: name for key, name in names.items() if name}


def _first_user(value: dict[str, Any]) -> str | None:
    steps = (as_dict(step) for step in as_list(value.get("steps")))
    first = next((step for step in steps if step.get("source") != "system"), {})
    return text_of(first.get("message")) if first.get("source") == "user" else None


def _task(value: dict[str, Any], instruction: str | None, trial: dict[str, Any]) -> Task | None:
    name = as_str(trial.get("task_name")) or as_str(value.get("trajectory_id")) or as_str(value.get("session_id"))
    if instruction is None and name is None:
        return None
    return Task(id=name or "unknown", instruction=instruction or "", benchmark=as_str(trial.get("source")))


def _end(trial: dict[str, Any]) -> End:
    reward = as_float(as_dict(trial.get("rewards")).get("reward"))
    failure = as_str(trial.get("exception"))
    limited = failure is not None and "Timeout" in failure
    status = EndStatus.LIMIT if limited else EndStatus.FAILED if failure else EndStatus.COMPLETED
    return End(status=status, reason=failure, reward=reward)


def _trial(source: SourceFile) -> dict[str, Any]:
    """Return what Harbor's `result.json` and `config.json` say, in the trial's folder."""
    result = _side_file(source, "result.json")
    if "trial_name" not in result:
        return {}
    environment = as_dict(_side_file(source, "config.json").get("environment"))
    failure = as_dict(result.get("exception_info"))
    about = {
        "task_name": as_str(result.get("task_name")),
        "trial_name": as_str(result.get("trial_name")),
        "source": as_str(result.get("source")),
        "task_checksum": as_str(result.get("task_checksum")),
        "rewards": kept(as_dict(as_dict(result.get("verifier_result")).get("rewards"))) or None,
        "exception": as_str(failure.get("exception_type")) or as_str(failure.get("type")),
        "backend": as_str(environment.get("type")),
        "image": as_str(environment.get("docker_image")),
    }
    return {key: item for key, item in about.items() if item is not None}


def _side_file(source: SourceFile, name: str) -> dict[str, Any]:
    for path in (f"../{name}", name):
        side = source.sibling(path)
        if side is None or side.size > _LARGEST_SIDE_FILE:
            continue
        try:
            return as_dict(document(side))
        except FormatError:
            continue
    return {}


def _continuations(value: dict[str, Any], source: SourceFile) -> Iterator[tuple[str, dict[str, Any]]]:
    """Give the documents that go on where `value` ends, by their names beside the source."""
    seen = {source.name.rpartition("/")[2]}
    for _ in range(_MOST_FILES):
        name = as_str(value.get("continued_trajectory_ref"))
        side = source.sibling(name) if name and "://" not in name else None
        if side is None or name in seen:
            return
        seen.add(str(name))
        try:
            value = document(side)
            _check(value, side)
        except FormatError:
            return
        yield str(name), value


def _refuse_continuation(source: SourceFile) -> None:
    """Raise where this file is imported with the one that it goes on from."""
    found = _CONTINUATION.match(source.name.rpartition("/")[2])
    first = source.sibling(f"{found[1]}.json") if found else None
    if first is None:
        return
    try:
        chain = list(_continuations(as_dict(document(first)), first))
    except FormatError:
        return
    own = source.name.rpartition("/")[2]
    if own in (name for name, _ in chain):
        raise InputError(f"it goes on from {first.name}, and is imported with it", where=source.name)


__all__ = ["Atif"]
