"""OpenHands V0: actions and observations linked by `cause`."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator
from typing import Any

from worldtape.collectors.importers._json import parse
from worldtape.collectors.importers._losses import LOGGED, clock
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
    tool_call,
    tools_of,
)
from worldtape.errors import FormatError
from worldtape.schemas import (
    Action,
    Batch,
    Domain,
    End,
    EndStatus,
    EnvironmentSpec,
    ErrorInfo,
    Imported,
    ImportedStep,
    InitialState,
    Lossiness,
    Orphan,
    Outcome,
    PolicySpec,
    Status,
    Task,
    Timing,
)

LOSSINESS = (*LOGGED, Lossiness.TRUNCATED_NO_FULL, Lossiness.WALL_CLOCK_ONLY)
_CUT = re.compile(r"\[\.\.\. Observation truncated due to length \.\.\.\]|<response clipped>")
STATE = ("working_dir", "username", "hostname")
_NOISE = {
    "agent_state_changed",
    "null",
    "change_agent_state",
    "condensation",
    "condensation_request",
    "pause",
    "resume",
}
_TALK = {"message", "system", "recall", "think", "finish", "reject"}
_OWN = {
    "thought",
    "blocking",
    "hidden",
    "confirmation_state",
    "is_confirmed",
    "action_risk",
    "security_risk",
    "is_static",
}
_OWN |= {"keep_prompt", "kernel_init_code", "impl_source", "translated_ipython_code", "cwd", "timeout"}
_JUPYTER = re.compile(
    r"\n\[Jupyter current working directory: ([^\n]*)\](?:\n\[Jupyter Python interpreter: [^\n]*\])?\Z"
)
_MARKED = "security_risk"
Record = tuple[str, Any] | Orphan
Event = dict[str, Any]
Item = ImportedStep | Orphan


def imported(found: list[Record], locator: str, value: Event) -> Imported:
    """Return the trajectory of a whole stream, or of one evaluation (`value`)."""
    events = [
        (record[0], record[1]) for record in found if not isinstance(record, Orphan) and isinstance(record[1], dict)
    ]
    stray = [item for item in found if isinstance(item, Orphan)]
    stray += [
        Orphan("bad_record", {"at": r[0]}) for r in found if not isinstance(r, Orphan) and not isinstance(r[1], dict)
    ]
    prompt = next((event for _, event in events if event.get("action") == "system"), {})
    first = next((event for _, event in events if event.get("action") == "message"), {})
    recalled = next((event for _, event in events if event.get("observation") == "recall"), {})
    tools = tools_of(_args(prompt).get("tools"))
    probes = kept(as_dict(recalled.get("extras")), "recall_type", "microagent_knowledge", "repo_instructions") or None
    codes = [Lossiness.MERGED_STREAMS, Lossiness.NO_ENV_IMAGE]
    codes += [] if tools else [Lossiness.NO_TOOL_SCHEMAS]
    codes += [] if probes else [Lossiness.NO_INITIAL_STATE]
    model = next((name for _, event in events if (name := as_str(_response(event).get("model")))), None)
    asked = as_str(value.get("instruction")) or text_of(_args(first).get("content"))
    return Imported(
        locator=locator,
        domain=Domain.SWE,
        environment=EnvironmentSpec(kind="openhands", tools=tools),
        policy=PolicySpec(kind="imported", model=model or model_of(value), parameters=_agent(value, prompt)),
        steps=Stream(events, stray),
        task=Task(id=task_id(value), instruction=asked or ""),
        initial_state=InitialState(probes=probes),
        lossiness=tuple(codes),
        started_at=micros(events[0][1].get("timestamp")) if events else None,
        end=_end([event for _, event in events], value),
        extra=kept(value, "history", "instruction", "metadata", "instance"),
    )


def model_of(value: Event) -> str | None:
    """Return the model that an evaluation names; its `llm_config` may hold keys, and nothing else is taken of it."""
    return as_str(as_dict(as_dict(value.get("metadata")).get("llm_config")).get("model"))


def task_id(value: Event) -> str:
    """Return the task of an evaluation."""
    issue = as_dict(value.get("issue"))
    if issue:
        return f"{issue.get('owner')}/{issue.get('repo')}#{issue.get('number')}"
    return as_str(value.get("instance_id")) or "unknown"


def _agent(value: Event, prompt: Event) -> dict[str, Any]:
    agent = as_dict(value.get("metadata")).get("agent_class") or _args(prompt).get("agent_class")
    return kept({"agent": as_str(agent), "agent_version": as_str(_args(prompt).get("openhands_version"))})


def _end(events: list[Event], value: Event) -> End:
    failure = as_str(value.get("error"))
    if failure:
        return End(status=EndStatus.FAILED, reason=failure)
    last = next((event["action"] for event in reversed(events) if event.get("action") in ("finish", "reject")), None)
    status = {"finish": EndStatus.COMPLETED, "reject": EndStatus.FAILED, None: EndStatus.INTERRUPTED}[last]
    resolved = as_dict(value.get("test_result")).get("resolved", value.get("success"))
    return End(status=status, reason=last, reward=float(resolved) if isinstance(resolved, bool) else None)


def _args(event: Event) -> Event:
    """The arguments: under `args`, or (2024) beside `action`."""
    args = event.get("args")
    return args if isinstance(args, dict) else event


def _response(event: Event) -> Event:
    return as_dict(as_dict(event.get("tool_call_metadata")).get("model_response"))


class Stream:
    """Iterates the transitions of one stream."""

    def __init__(self, events: list[tuple[str, Event]], stray: list[Orphan]) -> None:
        self._stray = stray
        self._events, self._copies = _unique(events)
        self._answers = _answers(self._events)
        self._skipped: Counter[str] = Counter()

    def __iter__(self) -> Iterator[Item]:
        """Give steps and orphans in file order."""
        yield from self._stray
        used = {place for place, _ in self._answers.values()}
        held: list[Item] = []
        self._skipped = Counter()
        for item in _timed(self._events, self._items(used)):
            if isinstance(item, ImportedStep):
                yield from held
                held = []
            held.append(item)
        for item in held:
            if isinstance(item, ImportedStep) and item.observation is None and item.shown is None:
                item.lossiness += (Lossiness.TAIL_MISSING,)
            yield item
        if self._copies:
            yield Orphan("duplicate_record", {"count": self._copies})
        if self._skipped:
            yield Orphan("skipped_records", dict(self._skipped))

    def _items(self, used: set[int]) -> Iterator[Item]:
        thoughts: tuple[dict[str, Any], ...] = ()
        opened = False
        places: Counter[str] = Counter()
        for place, (where, event) in enumerate(self._events):
            action = event.get("action")
            if not isinstance(action, str):
                yield from self._unpaired(place, where, event, used)
                continue
            if action in _NOISE:
                self._skipped[action] += 1
            elif action == "think":
                thoughts += thoughts_of(reasoning=_args(event).get("thought"))
            elif action in _TALK:
                text = text_of(_args(event).get("content")) or text_of(_args(event).get("thought"))
                asks = action == "message" and event.get("source") != "agent"
                if asks and not opened:
                    opened = True
                    continue
                yield Orphan(_talk(action, asks=asks), {"at": where, "text": text or as_str(event.get("message"))})
            else:
                try:
                    step = _step(where, event, self._answers.get(place, (0, None))[1], places)
                except FormatError as error:
                    yield Orphan("bad_record", {"at": where, "reason": error.what})
                    continue
                step.thoughts = thoughts + step.thoughts
                thoughts = ()
                yield step

    def _unpaired(self, place: int, where: str, event: Event, used: set[int]) -> Iterator[Orphan]:
        kind = as_str(event.get("observation"))
        if place in used:
            return
        if kind in _NOISE or kind in ("think", "recall"):
            self._skipped[f"observation {kind}"] += 1
        elif kind is not None:
            yield Orphan("orphan_result", {"at": where, "observation": kind, "text": text_of(event.get("content"))})
        else:
            yield Orphan("unknown_record", {"at": where, "keys": sorted(map(str, event))[:20]})


def _timed(events: list[tuple[str, Event]], items: Iterator[Item]) -> Iterator[Item]:
    """Report times that run backwards, then everything else."""
    latest = 0
    for where, event in events:
        moment = micros(event.get("timestamp")) or latest
        if moment < latest:
            yield Orphan("time_backwards", {"at": where, "by_us": latest - moment})
        latest = max(latest, moment)
    yield from items


def _talk(action: str, *, asks: bool) -> str:
    if asks:
        return "user_message"
    return "harness_message" if action in ("system", "recall") else "agent_message"


def _unique(events: list[tuple[str, Event]]) -> tuple[list[tuple[str, Event]], int]:
    """Leave out events whose id came before: a resumed stream repeats its beginning."""
    seen: set[int] = set()
    out = []
    for where, event in events:
        number = as_int(event.get("id"))
        if number is not None and number in seen:
            continue
        if number is not None:
            seen.add(number)
        out.append((where, event))
    return out, len(events) - len(out)


def _answers(events: list[tuple[str, Event]]) -> dict[int, tuple[int, Event]]:
    """Return for each action's place the place and event of its observation.

    By `cause`; in streams of 2024, which have no ids, the next event, where it is of the action's kind and repeats its
    command or code.
    """
    actions = {as_int(event.get("id")): place for place, (_, event) in enumerate(events) if _acts(event)}
    actions.pop(None, None)
    found: dict[int, tuple[int, Event]] = {}
    for place, (_, event) in enumerate(events):
        if not isinstance(event.get("observation"), str) or event["observation"] in _NOISE or "action" in event:
            continue
        cause = as_int(event.get("cause"))
        if cause is not None:
            before = actions.get(cause)
        else:
            before = place - 1 if place and _follows(events[place - 1][1], event) else None
        if before is not None and before not in found:
            found[before] = (place, event)
    return found


def _acts(event: Event) -> bool:
    return isinstance(event.get("action"), str) and event["action"] not in _NOISE | _TALK


def _follows(action: Event, observation: Event) -> bool:
    """Tell whether an observation without ids answers the action just before it."""
    if "id" in action or "id" in observation or "cause" in observation or not _acts(action):
        return False
    asked, told = _args(action), as_dict(observation.get("extras")) or observation
    same = all(asked.get(key) == told.get(key) for key in ("command", "code") if key in asked and key in told)
    return same and (observation["observation"] in (action["action"], "error"))


def _step(where: str, event: Event, answer: Event | None, places: Counter[str]) -> ImportedStep:
    begun = micros(event.get("timestamp"))
    message = as_dict(as_dict(next(iter(as_list(_response(event).get("choices"))), None)).get("message"))
    thought = text_of(_args(event).get("thought")) or text_of(message.get("content"))
    step = ImportedStep(
        action=_action(event, message, places),
        observation=None,
        outcome=Outcome(status=Status.UNKNOWN),
        timing=Timing(started_at=begun),
        thoughts=thoughts_of(reasoning=message.get("reasoning_content"), text=thought),
        lossiness=(clock(begun),),
        locator=where,
    )
    if answer is not None:
        _observed(step, event, answer, begun)
    step.lossiness += () if step.state_after else (Lossiness.NO_PROBES,)
    return step


def _observed(step: ImportedStep, event: Event, answer: Event, begun: int | None) -> None:
    """Write an observation into its step."""
    about = as_dict(answer.get("extras")) or answer
    metadata = as_dict(about.get("metadata"))
    done = micros(answer.get("timestamp"))
    content = text_of(about.get("formatted_output_and_error")) or text_of(answer.get("content")) or ""
    jupyter = _JUPYTER.search(content) if answer.get("observation") == "run_ipython" else None
    around = (as_str(metadata.get("prefix")) or "", as_str(metadata.get("suffix")) or "")
    step.observation = content[: jupyter.start()] if jupyter else content
    shown = f"{around[0]}{content}{around[1]}"
    step.shown = shown if shown != step.observation else None
    step.outcome = _outcome(answer, about, metadata)
    step.timing = from_to(begun, done)
    state = kept({key: metadata.get(key) for key in STATE})
    step.state_after = state or ({"working_dir": jupyter[1]} if jupyter else None)
    if step.outcome.exit_code is None and event.get("action") == "run":
        step.lossiness += (Lossiness.NO_EXIT_CODE,)
    mark_cut(step, content)


def mark_cut(step: ImportedStep, content: str) -> None:
    """Say of a step that its observation was cut by the environment, where `content` shows that."""
    if _CUT.search(content):
        step.lossiness += (Lossiness.TRUNCATED_NO_FULL,)
        step.extra["truncated"] = {"by": "environment"}


def _outcome(answer: Event, about: Event, metadata: Event) -> Outcome:
    kind = answer.get("observation")
    if kind == "user_rejected":
        return Outcome(status=Status.NOT_EXECUTED)
    if kind == "error":
        error = ErrorInfo(type=as_str(about.get("error_id")), message=text_of(answer.get("content")))
        return Outcome(status=Status.TOOL_ERROR, error=error)
    code = as_int(metadata.get("exit_code"))
    if code is None:
        code = as_int(about.get("exit_code"))
    if code == -1:
        return Outcome(status=Status.TIMEOUT_STILL_RUNNING)
    failed = bool(code) or about.get("error") is True or (code is None and answer.get("success") is False)
    return Outcome(status=Status.TOOL_ERROR if failed else Status.OK, exit_code=code)


def _action(event: Event, message: Event, places: Counter[str]) -> Action:
    """The call as the model made it; without one, the action's own fields."""
    about = as_dict(event.get("tool_call_metadata"))
    wanted = as_str(about.get("tool_call_id"))
    calls = [as_dict(call) for call in as_list(message.get("tool_calls"))]
    same = [as_dict(call.get("function")) for call in calls if wanted and call.get("id") == wanted]
    name = as_str(same[0].get("name")) if len(same) == 1 else None
    made: Action
    if name is not None:
        made = called(name, same[0].get("arguments"))
    else:
        fields = {key: item for key, item in _args(event).items() if key not in _OWN and item is not None}
        fields = fields if "args" in event else {key: item for key, item in fields.items() if key not in _ENVELOPE}
        made = tool_call(str(event["action"]), fields)
    changes: dict[str, Any] = {"timeout_s": as_float(event.get("timeout"))}
    size = as_int(about.get("total_calls_in_response")) or 1
    group = as_str(_response(event).get("id"))
    if size > 1 and group is not None:
        changes["batch"] = Batch(id=group, index=places[group], size=size)
        places[group] += 1
    if event.get("source") == "user":
        changes["actor"] = "human"
    return made.model_copy(update=changes)


_ENVELOPE = {
    "id",
    "timestamp",
    "source",
    "message",
    "action",
    "cause",
    "tool_call_metadata",
    "llm_metrics",
    "images_urls",
}


def called(name: str, arguments: Any, *without: str) -> Action:
    """Return a call less the harness's own parameters, which the model fills in and no tool is given."""
    made = tool_call(name, arguments)
    fields = parsed(made)
    names = {_MARKED, *without} & fields.keys()
    return tool_call(name, {key: item for key, item in fields.items() if key not in names}) if names else made


def parsed(action: Action) -> dict[str, Any]:
    """Return the arguments of a call as an object; empty where they are none."""
    return as_dict(parse((action.arguments or "{}").encode()))
