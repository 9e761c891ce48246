"""One tape as rows: a pure function of its events."""

from __future__ import annotations

import hashlib
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from worldtape.errors import FormatError
from worldtape.pipelines.project._extra import known, unknown
from worldtape.pipelines.project._prefix import Prefix
from worldtape.schemas import (
    Action,
    EndStatus,
    EventKind,
    Header,
    Lossiness,
    Observation,
    Ready,
    Status,
    StepResult,
    transition_id,
)
from worldtape.storage import Event, TapeReader

Row = dict[str, Any]

_HEADER = known(Header).whole("environment", "policy")
_READY = known(Ready).whole("environment", "observation")
_ACTION = known(Action).whole("target", "batch")
_CAPTURED = known(Observation).whole("sha256")
_RESULT = known(StepResult).whole("observation")


@dataclass(slots=True)
class _Step:
    """What the tape says of one step."""

    action: Row
    started_at: int
    fault: Row | None
    captured: Row | None = None
    text: str | None = None
    result: Row | None = None
    lossiness: list[str] = field(default_factory=list)
    extra: Row = field(default_factory=dict)


class Fold:
    """Takes the events of one tape in order; afterwards `trajectory()` and `transitions()` give its rows.

    The text of an observation is always what its bytes render to now. Where that is not what was rendered live, the
    row says `render_mismatch`: the tape keeps the hash of the live text only.

    Args:
        reader: the tape.
        name: its path in the lake.

    Raises:
        FormatError: an event is damaged, or one step stands on the tape twice.

    Attributes:
        mismatched: observations that render to another text than live.
        characters: of all observations.
    """

    def __init__(self, reader: TapeReader, name: str) -> None:
        self._header = reader.header
        self._name = name
        self._id = str(self._header["trajectory_id"])
        self._prefix = Prefix(reader)
        self._steps: dict[int, _Step] = {}
        self._newest: _Step | None = None
        self._ready: Row = {}
        self._initial: Row | None = None
        self._end: Row | None = None
        self._fault: Row | None = None
        self._began = self._ended = 0
        self._extra: Row = unknown(self._header, _HEADER) | dict(self._header.get("extra") or {})
        self._orphans = 0
        self.mismatched = self.characters = 0
        takes: dict[str, Callable[[Event], None]] = {
            EventKind.DATA: self._prefix.data,
            EventKind.READY: self._on_ready,
            EventKind.CAPTURED: self._on_captured,
            EventKind.ACTION: self._on_action,
            EventKind.RESULT: self._on_result,
            EventKind.FAULT: self._on_fault,
            EventKind.NOTICE: self._on_notice,
            EventKind.END: self._on_end,
        }
        for event in reader.events(remarks=False):
            self._began = self._began or event.wall_us
            self._ended = max(self._ended, event.wall_us)
            take = takes.get(event.kind)
            if take is not None:
                take(event)

    @property
    def interrupted(self) -> bool:
        """Whether the recording was stopped before its end."""
        return self._end is None or self._end["status"] == EndStatus.INTERRUPTED

    def trajectory(self) -> Row:
        """Return the row of `trajectories`, nested."""
        header, end = self._header, self._end or _NO_END
        extra = dict(self._extra)
        if locator := (header.get("source") or {}).get("locator"):
            extra["source.locator"] = locator
        if self._orphans:
            extra["orphan_events"] = self._orphans
        return {
            "trajectory_id": self._id,
            "schema_version": header["schema_version"],
            "domain": header["domain"],
            "environment": self._ready.get("environment") or header["environment"],
            "task": header.get("task"),
            "policy": header.get("policy"),
            "source": header.get("source"),
            "initial": self._initial,
            "initial_state": self._ready.get("initial_state"),
            "transitions": len(self._steps),
            "end_status": end["status"],
            "end_reason": end.get("reason"),
            "reward": end.get("reward"),
            "lineage": header.get("lineage"),
            "started_at": self._began or None,
            "ended_at": self._ended or None,
            "tape": self._name,
            "extra": extra,
        }

    def transitions(self) -> list[Row]:
        """Return the rows of `transitions`, nested, by step."""
        rows = []
        everywhere = list(self._ready.get("lossiness") or ())
        state = (self._ready.get("initial_state") or {}).get("probes")
        for step in sorted(self._steps):
            row = self._row(step, self._steps[step], everywhere, state)
            state = row["state_after"]
            rows.append(row)
        return rows

    def _row(self, step: int, found: _Step, everywhere: list[str], before: Any) -> Row:
        result = found.result or {}
        missing = [] if found.result is not None else [Lossiness.TAIL_MISSING]
        codes = [*everywhere, *(result.get("lossiness") or ()), *found.lossiness, *missing]
        return {
            "transition_id": transition_id(self._id, step),
            "trajectory_id": self._id,
            "step": step,
            "domain": self._header["domain"],
            "action": found.action,
            "observation": None if found.captured is None else found.captured | {"text": found.text},
            "outcome": result.get("outcome") or {"status": Status.UNKNOWN},
            "timing": result.get("timing") or {"started_at": found.started_at},
            "state_before": before,
            "state_after": result.get("state_after"),
            "snapshot": result.get("snapshot"),
            "fault": found.fault,
            "reward": result.get("reward"),
            "lossiness": sorted(set(map(str, codes))),
            "extra": found.extra,
        }

    def _on_ready(self, event: Event) -> None:
        self._ready = event.data
        self._extra |= {f"ready.{name}": value for name, value in unknown(event.data, _READY).items()}

    def _on_captured(self, event: Event) -> None:
        text = self._prefix.render(event.data)
        self.characters += len(text)
        same = event.data.get("sha256") in (None, hashlib.sha256(text.encode()).hexdigest())
        self.mismatched += not same
        if event.step is None:
            self._initial = event.data | {"text": text}
            if not same:
                self._extra["initial_lossiness"] = [str(Lossiness.RENDER_MISMATCH)]
            return
        step = self._step(event)
        if step is not None:
            step.captured, step.text = event.data, text
            step.extra |= unknown(event.data, _CAPTURED, "observation.")
            if not same:
                step.lossiness.append(Lossiness.RENDER_MISMATCH)

    def _on_action(self, event: Event) -> None:
        number = len(self._steps) if event.step is None else event.step
        if number in self._steps:
            raise FormatError(f"step {number} stands on the tape twice", where=self._name)
        self._newest = _Step(event.data, event.wall_us, self._fault)
        self._newest.extra |= unknown(event.data, _ACTION, "action.") | dict(event.extra)
        self._steps[number] = self._newest

    def _on_result(self, event: Event) -> None:
        step = self._step(event)
        if step is not None:
            step.result = event.data
            step.extra |= unknown(event.data, _RESULT)

    def _on_fault(self, event: Event) -> None:
        self._fault = event.data if event.data.get("kind") else None
        if self._newest is not None and self._newest.result is None and self._fault is not None:
            self._newest.fault = self._fault

    def _on_notice(self, event: Event) -> None:
        if event.data.get("code") == "clock_step" and self._newest is not None and self._newest.result is None:
            self._newest.lossiness.append(Lossiness.CLOCK_STEPPED)

    def _on_end(self, event: Event) -> None:
        self._end = event.data

    def _step(self, event: Event) -> _Step | None:
        found = self._newest if event.step is None else self._steps.get(event.step)
        self._orphans += found is None
        return found


_NO_END: Row = {"status": EndStatus.INTERRUPTED, "reason": "the recording has no end"}
