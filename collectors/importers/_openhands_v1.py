"""OpenHands V1 SDK: an event a line, actions and observations linked by `action_id`."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import chain
from typing import Any

from worldtape.collectors.importers._losses import clock
from worldtape.collectors.importers._openhands_v0 import (
    STATE,
    Event,
    Item,
    Record,
    called,
    mark_cut,
    model_of,
    parsed,
    task_id,
)
from worldtape.collectors.importers._values import (
    as_dict,
    as_float,
    as_int,
    as_list,
    as_str,
    from_to,
    kept,
    micros,
    text_of,
    thoughts_of,
    tools_of,
)
from worldtape.errors import FormatError
from worldtape.schemas import (
    Batch,
    Domain,
    End,
    EndStatus,
    EnvironmentSpec,
    ErrorInfo,
    Imported,
    ImportedStep,
    Lossiness,
    Orphan,
    Outcome,
    PolicySpec,
    Status,
    Task,
    Timing,
)

_RESULTS = {"ObservationEvent", "UserRejectObservation", "AgentErrorEvent"}
_ENDS = {"finished": EndStatus.COMPLETED, "error": EndStatus.FAILED, "stuck": EndStatus.FAILED}
_LONGEST_PRELUDE = 200
_ANNOTATIONS = ("summary",)


def imported(found: Iterator[Record], locator: str = "", value: Event | None = None) -> Imported:
    """Return the trajectory of a log; its steps are read as they are asked for."""
    ahead: list[Record] = []
    for record in found:
        ahead.append(record)
        event = {} if isinstance(record, Orphan) else as_dict(record[1])
        if as_str(event.get("kind")) in {"ActionEvent", *_RESULTS} or len(ahead) >= _LONGEST_PRELUDE:
            break
    events = [as_dict(record[1]) for record in ahead if not isinstance(record, Orphan)]
    prompt = next((event for event in events if event.get("kind") == "SystemPromptEvent"), {})
    asked = next((event for event in events if _is_user(event)), {})
    tools = tools_of(prompt.get("tools"))
    out = Imported(
        locator=locator,
        domain=Domain.SWE,
        environment=EnvironmentSpec(kind="openhands", tools=tools),
        policy=PolicySpec(kind="imported", model=_model(events) or model_of(value or {})),
        steps=(),
        task=Task(id=task_id(value or {}), instruction=_said(asked) or as_str((value or {}).get("instruction")) or ""),
        lossiness=(
            Lossiness.MERGED_STREAMS,
            Lossiness.NO_ENV_IMAGE,
            Lossiness.NO_INITIAL_STATE,
            *(() if tools else (Lossiness.NO_TOOL_SCHEMAS,)),
        ),
        started_at=micros(events[0].get("timestamp")) if events else None,
        end=End(status=EndStatus.INTERRUPTED, reason="the log has no finish"),
        extra=kept(value or {}, "history", "instruction", "metadata", "instance"),
    )
    out.steps = Log(chain(ahead, found), out, asked=bool(asked))
    return out


def _is_user(event: Event) -> bool:
    return event.get("kind") == "MessageEvent" and event.get("source") == "user"


def _said(event: Event) -> str | None:
    return text_of(as_dict(event.get("llm_message")).get("content"))


def _model(events: list[Event]) -> str | None:
    for event in events:
        if event.get("key") == "stats":
            for usage in as_dict(as_dict(event.get("value")).get("usage_to_metrics")).values():
                if name := as_str(as_dict(usage).get("model_name")):
                    return name
    return None


@dataclass(slots=True)
class _Open:
    """An action that waits for its result."""

    where: str
    event: Event
    result: Event | None = None


class Log:
    """Iterates the transitions of one log, holding no more than the actions of one reply."""

    def __init__(self, found: Iterator[Record], out: Imported, *, asked: bool) -> None:
        self._found = found
        self._out = out
        self._open: list[_Open] = []
        self._thoughts: tuple[dict[str, Any], ...] = ()
        self._skipped: Counter[str] = Counter()
        self._seen: set[str] = set()
        self._latest = 0
        self._hidden = asked

    def __iter__(self) -> Iterator[Item]:
        """Give steps and orphans; the end of the trajectory is known after the last."""
        for record in self._found:
            if isinstance(record, Orphan):
                yield record
                continue
            where, event = record
            if not isinstance(event, dict) or not isinstance(event.get("kind"), str):
                yield Orphan("unknown_record", {"at": where})
                continue
            name = as_str(event.get("id"))
            if name is not None and name in self._seen:
                self._skipped["duplicate_record"] += 1
                continue
            if name is not None:
                self._seen.add(name)
            yield from self._time(where, event)
            yield from self._event(where, event)
        yield from self._flush(last=True)
        if self._skipped:
            yield Orphan("skipped_records", dict(self._skipped))

    def _time(self, where: str, event: Event) -> Iterator[Orphan]:
        moment = micros(event.get("timestamp")) or self._latest
        if moment < self._latest:
            yield Orphan("time_backwards", {"at": where, "by_us": self._latest - moment})
        self._latest = max(self._latest, moment)

    def _event(self, where: str, event: Event) -> Iterator[Item]:
        kind = event["kind"]
        if kind == "ActionEvent":
            reply = as_str(event.get("llm_response_id"))
            if self._open and (reply is None or reply != self._open[0].event.get("llm_response_id")):
                yield from self._flush()
            self._open.append(_Open(where, event))
        elif kind in _RESULTS:
            yield from self._result(where, event)
        elif kind == "MessageEvent":
            yield from self._message(where, event)
        elif kind == "SystemPromptEvent":
            yield Orphan("harness_message", {"at": where, "text": text_of(event.get("system_prompt"))})
        else:
            if event.get("key") == "execution_status" and str(event.get("value")) in _ENDS:
                self._out.end = End(status=_ENDS[event["value"]], reason=event["value"])
            self._skipped[kind] += 1

    def _message(self, where: str, event: Event) -> Iterator[Orphan]:
        if _is_user(event) and self._hidden:
            self._hidden = False
            return
        code = "user_message" if _is_user(event) else "agent_message"
        yield Orphan(code, {"at": where, "text": _said(event)})

    def _result(self, where: str, event: Event) -> Iterator[Orphan]:
        action, call = as_str(event.get("action_id")), as_str(event.get("tool_call_id"))
        if action is not None:
            found = [item for item in self._open if item.event.get("id") == action]
        else:
            found = [item for item in self._open if call and item.event.get("tool_call_id") == call]
        if len(found) == 1 and found[0].result is None:
            found[0].result = event
            return
        text = text_of(as_dict(event.get("observation")).get("content")) or text_of(event.get("error"))
        yield Orphan("orphan_result", {"at": where, "tool": as_str(event.get("tool_name")), "text": text})

    def _flush(self, *, last: bool = False) -> Iterator[Item]:
        """Give what is held: the actions of one reply."""
        held, self._open = self._open, []
        for index, item in enumerate(held):
            about = as_dict(item.event.get("action"))
            thoughts = _thoughts(item.event)
            if about.get("kind") == "ThinkAction":
                self._thoughts += thoughts + thoughts_of(reasoning=about.get("thought"))
                continue
            if about.get("kind") == "FinishAction":
                self._out.end = End(status=EndStatus.COMPLETED, reason="finish")
                yield Orphan("agent_message", {"at": item.where, "text": text_of(about.get("message"))})
                continue
            reply = as_str(item.event.get("llm_response_id"))
            batch = Batch(id=reply, index=index, size=len(held)) if reply and len(held) > 1 else None
            try:
                step = _step(item, batch)
            except FormatError as error:
                yield Orphan("bad_record", {"at": item.where, "reason": error.what})
                continue
            step.thoughts, self._thoughts = self._thoughts + thoughts, ()
            if last and item.result is None:
                step.lossiness += (Lossiness.TAIL_MISSING,)
            yield step


def _thoughts(event: Event) -> tuple[dict[str, Any], ...]:
    blocks = [as_str(as_dict(block).get("thinking")) for block in as_list(event.get("thinking_blocks"))]
    reasoning = as_str(event.get("reasoning_content")) or "\n".join(block for block in blocks if block)
    text = text_of(event.get("thought"))
    return thoughts_of(reasoning=reasoning, text=text, summary=event.get("summary"))


def _step(item: _Open, batch: Batch | None) -> ImportedStep:
    event = item.event
    call, about = as_dict(event.get("tool_call")), as_dict(event.get("action"))
    name = as_str(call.get("name")) or as_str(event.get("tool_name")) or as_str(about.get("kind")) or "unknown"
    arguments = call.get("arguments") if "arguments" in call else {k: v for k, v in about.items() if k != "kind"}
    action = called(name, arguments, *_ANNOTATIONS)
    wait = as_float(parsed(action).get("timeout"))
    changes: dict[str, Any] = {"batch": batch, "timeout_s": wait}
    if event.get("source") == "user":
        changes["actor"] = "human"
    begun = micros(event.get("timestamp"))
    step = ImportedStep(
        action=action.model_copy(update=changes),
        observation=None,
        outcome=Outcome(status=Status.UNKNOWN),
        timing=Timing(started_at=begun),
        lossiness=(clock(begun),),
        locator=item.where,
        extra=kept({"event": as_str(event.get("id"))}),
    )
    if item.result is not None:
        _observed(step, item.result, begun)
    step.lossiness += () if step.state_after else (Lossiness.NO_PROBES,)
    return step


def _observed(step: ImportedStep, event: Event, begun: int | None) -> None:
    done = micros(event.get("timestamp"))
    step.timing = from_to(begun, done)
    if event["kind"] != "ObservationEvent":
        words = as_str(event.get("error")) or as_str(event.get("rejection_reason"))
        step.shown = words
        step.outcome = Outcome(status=Status.NOT_EXECUTED, error=ErrorInfo(type=event["kind"], message=words))
        return
    seen = as_dict(event.get("observation"))
    metadata = as_dict(seen.get("metadata"))
    step.observation = text_of(seen.get("content")) or text_of(seen.get("output")) or ""
    prefix, suffix = as_str(metadata.get("prefix")) or "", as_str(metadata.get("suffix")) or ""
    step.shown = f"{prefix}{step.observation}{suffix}" if prefix or suffix else None
    step.outcome = _outcome(seen)
    step.state_after = kept({key: metadata.get(key) for key in STATE}) or None
    step.extra |= kept({"full_output": as_str(seen.get("full_output_save_dir"))})
    if step.outcome.exit_code is None and ("exit_code" in seen or "command" in seen):
        step.lossiness += (Lossiness.NO_EXIT_CODE,)
    mark_cut(step, step.observation)


def _outcome(seen: Event) -> Outcome:
    code = as_int(seen.get("exit_code"))
    if code == -1 or seen.get("timeout") is True:
        return Outcome(status=Status.TIMEOUT_STILL_RUNNING)
    failed = bool(code) or seen.get("is_error") is True
    return Outcome(status=Status.TOOL_ERROR if failed else Status.OK, exit_code=code)
