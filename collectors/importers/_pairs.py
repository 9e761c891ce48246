"""Calls and the results that answer them, in sessions that tell both as separate records."""

from __future__ import annotations

from array import array
from collections import deque
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from typing import Any

from worldtape.collectors.importers._json import parse
from worldtape.collectors.importers._values import as_dict, as_float, as_str, tool_call
from worldtape.errors import FormatError
from worldtape.schemas import Batch, ImportedStep, Lossiness, Orphan, Outcome, Status, Timing

_OK = Outcome(status=Status.OK)
_ASKS = {"timeout_s": ("timeout_ms", "timeout"), "wait_s": ("yield_time_ms", "initial_wait", "delay")}
"""Times that a call of a shell can ask for, by our name."""


@dataclass(slots=True)
class Call:
    """A call of a tool."""

    id: str | None
    turn: str | None
    """The model's turn; calls of one turn are a batch. Null: a turn of its own."""
    name: str
    arguments: Any
    locator: str
    at: int | None = None
    raw: str | None = None
    thoughts: tuple[dict[str, Any], ...] = ()
    extra: dict[str, Any] = field(default_factory=dict)
    shell: bool = False
    """It runs a command: it should have an exit code, and two streams."""
    seconds: bool = False
    """Its `timeout` is in seconds, not in milliseconds."""
    delegated: bool = False
    """It asks a sub-agent, with a `prompt`: a model answers, not the environment."""
    actor: str = "agent"
    ended: Outcome | None = None
    """How it ended, where the call itself tells and no result is to come."""


@dataclass(slots=True)
class Result:
    """What answered a call."""

    id: str | None
    observation: str | None
    outcome: Outcome = _OK
    shown: str | None = None
    at: int | None = None
    duration_ms: float | None = None
    lossiness: tuple[Lossiness, ...] = ()
    state_after: dict[str, Any] | None = None
    locator: str = ""
    extra: dict[str, Any] = field(default_factory=dict)
    apart: bool = False
    """Output and error of a shell are told apart."""
    secondary: bool = False
    """Says the same as another record, or nothing: without its call it is passed over, not reported."""


@dataclass(slots=True)
class Stop:
    """Somebody stopped the turn: what is still open was interrupted."""

    reason: str | None = None


@dataclass(slots=True)
class Thoughts:
    """What the model said or thought; it belongs to the next call."""

    said: tuple[dict[str, Any], ...]


Event = Call | Result | Stop | Thoughts | Orphan


class Plan:
    """Which result answers which call, found in a first reading; a few bytes for each.

    Ids are unique only within a session at best. A result answers an open call with its id: of several, one of the
    latest turn, the first of them. A result without an id answers a call without one.
    """

    def __init__(self, events: Iterable[Event]) -> None:
        self.answers = array("q")
        """The call that each result answers, or −1."""
        self.answered = bytearray()
        self.interrupted = bytearray()
        self.last_answered = -1
        self.asked: dict[str, int] = {}
        """What sub-agents were asked, and the ids of the calls that asked it, with the call."""
        self._ended = False
        self._batch = array("q")
        self._index = array("q")
        self._sizes = array("q")
        self._turns: dict[str, int] = {}
        self._open: dict[str | None, list[int]] = {}
        for event in events:
            self._take(event)
        self._open.clear()
        self._turns.clear()

    @property
    def calls(self) -> int:
        """Return the number of calls."""
        return len(self.answered)

    @property
    def tail_missing(self) -> bool:
        """Tell whether the last call has no result, and nobody stopped it."""
        return bool(self.calls) and not (self.answered[-1] or self.interrupted[-1] or self._ended)

    def batch(self, call: int) -> Batch | None:
        """Return the batch of a call; null where it is alone in its turn."""
        number = self._batch[call]
        size = self._sizes[number]
        return Batch(id=str(number), index=self._index[call], size=size) if size > 1 else None

    def _take(self, event: Event) -> None:
        if isinstance(event, Call):
            self._call(event)
        elif isinstance(event, Result):
            self._result(event)
        elif isinstance(event, Stop):
            for calls in self._open.values():
                for call in calls:
                    self.interrupted[call] = 1

    def _call(self, event: Call) -> None:
        number = self.calls
        self.answered.append(0)
        self.interrupted.append(0)
        batch = len(self._sizes) if event.turn is None else self._turns.setdefault(event.turn, len(self._sizes))
        if batch == len(self._sizes):
            self._sizes.append(0)
        self._batch.append(batch)
        self._index.append(self._sizes[batch])
        self._sizes[batch] += 1
        self._open.setdefault(event.id, []).append(number)
        if event.delegated:
            for key in (event.id, as_str(as_dict(event.arguments).get("prompt"))):
                if key is not None:
                    self.asked.setdefault(key, number)
        self._ended = event.ended is not None

    def _result(self, event: Result) -> None:
        calls = self._open.get(event.id)
        if not calls:
            self.answers.append(-1)
            return
        latest = self._batch[calls[-1]]
        call = next(number for number in calls if self._batch[number] == latest)
        calls.remove(call)
        if not calls:
            del self._open[event.id]
        self.answers.append(call)
        self.answered[call] = 1
        self.interrupted[call] = 0
        self.last_answered = max(self.last_answered, call)


@dataclass(slots=True)
class _Waiting:
    number: int
    call: Call
    result: Result | None = None


def paired(events: Iterable[Event], plan: Plan) -> Iterator[ImportedStep | Orphan]:
    """Give the steps of the same `events` that made `plan`, in the order of the calls.

    Holds only the calls that wait for a result that is known to come.
    """
    pairs = _Pairs(plan)
    for event in events:
        pairs.take(event)
        yield from pairs.ready()
    if pairs.thoughts:
        yield Orphan("last_words", {"said": list(pairs.thoughts)})


class _Pairs:
    def __init__(self, plan: Plan) -> None:
        self.thoughts: tuple[dict[str, Any], ...] = ()
        self._plan = plan
        self._queue: deque[_Waiting | Orphan] = deque()
        self._waiting: dict[int, _Waiting] = {}
        self._calls = self._results = 0
        self._latest: int | None = None

    def take(self, event: Event) -> None:
        if isinstance(event, Thoughts):
            self.thoughts += event.said
        elif isinstance(event, Orphan):
            self._queue.append(event)
        elif isinstance(event, Call):
            self._clock(event)
            self._call(event)
        elif isinstance(event, Result):
            self._clock(event)
            self._result(event)

    def _clock(self, event: Call | Result) -> None:
        if event.at is None:
            return
        if self._latest is not None and event.at < self._latest:
            details = {"by_us": self._latest - event.at, "locator": event.locator}
            self._queue.append(Orphan("time_backwards", details))
        self._latest = event.at

    def _call(self, event: Call) -> None:
        event.thoughts, self.thoughts = self.thoughts + event.thoughts, ()
        entry = _Waiting(self._calls, event)
        self._queue.append(entry)
        if self._plan.answered[self._calls]:
            self._waiting[self._calls] = entry
        self._calls += 1

    def _result(self, event: Result) -> None:
        found = self._waiting.pop(self._plan.answers[self._results], None)
        self._results += 1
        if found is not None:
            found.result = event
        elif not event.secondary:
            self._queue.append(_orphan(event))

    def ready(self) -> Iterator[ImportedStep | Orphan]:
        """Give what stands at the head of the queue and waits for nothing."""
        while self._queue:
            head = self._queue[0]
            if isinstance(head, _Waiting) and head.number in self._waiting:
                return
            self._queue.popleft()
            yield _step(head, self._plan) if isinstance(head, _Waiting) else head


def _orphan(result: Result) -> Orphan:
    details = {"id": result.id, "locator": result.locator, "observation": result.observation}
    return Orphan("orphan_result", {key: value for key, value in details.items() if value is not None})


def _step(entry: _Waiting, plan: Plan) -> ImportedStep:
    call, result = entry.call, entry.result
    action = tool_call(call.name, call.arguments, raw=call.raw, batch=plan.batch(entry.number))
    if call.actor != action.actor:
        action = action.model_copy(update={"actor": call.actor})
    if call.shell and (asked := _times(call.arguments, 1 if call.seconds else 1000)):
        action = action.model_copy(update=asked)
    extra = call.extra if call.id is None else {"call_id": call.id, **call.extra}
    if result is None:
        stopped = plan.interrupted[entry.number]
        tail = entry.number > plan.last_answered and not stopped and call.ended is None
        return ImportedStep(
            action,
            None,
            outcome=call.ended or Outcome(status=Status.INTERRUPTED if stopped else Status.UNKNOWN),
            timing=Timing(started_at=call.at),
            lossiness=(Lossiness.TAIL_MISSING,) if tail else (),
            thoughts=call.thoughts,
            locator=call.locator,
            extra=extra,
        )
    return ImportedStep(
        action,
        result.observation,
        outcome=result.outcome,
        shown=result.shown if result.shown != result.observation else None,
        timing=Timing(started_at=call.at, ended_at=result.at, duration_ms=result.duration_ms),
        state_after=result.state_after,
        lossiness=_lossiness(call, result),
        thoughts=call.thoughts,
        locator=call.locator,
        extra={**extra, **result.extra},
    )


def _lossiness(call: Call, result: Result) -> tuple[Lossiness, ...]:
    codes = list(result.lossiness)
    if call.delegated and result.observation is not None:
        codes.append(Lossiness.SYNTHETIC_OBS)
    if call.shell and result.observation is not None:
        codes += [Lossiness.NO_EXIT_CODE] if result.outcome.exit_code is None else []
        codes += [] if result.apart else [Lossiness.MERGED_STREAMS]
    return tuple(dict.fromkeys(codes))


def _times(arguments: Any, scale: float) -> dict[str, float]:
    """Return what a call of a shell asks: `timeout_s`, and `wait_s` before the observation."""
    if isinstance(arguments, str):
        if not any(key in arguments for keys in _ASKS.values() for key in keys):
            return {}
        try:
            arguments = parse(arguments.encode())
        except FormatError:
            return {}
    fields = as_dict(arguments)
    found = {}
    for name, keys in _ASKS.items():
        asked = next((value for key in keys if (value := as_float(fields.get(key))) is not None), None)
        if asked is not None:
            found[name] = asked / scale
    return found
