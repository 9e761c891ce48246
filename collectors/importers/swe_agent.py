"""SWE-agent's `.traj` files."""

from __future__ import annotations

from collections import defaultdict, deque
from collections.abc import Iterator
from typing import Any, ClassVar

from worldtape.collectors.importers._head import first_value
from worldtape.collectors.importers._json import document, parse
from worldtape.collectors.importers._losses import LOGGED
from worldtape.collectors.importers._values import (
    as_dict,
    as_float,
    as_list,
    as_str,
    kept,
    text_of,
    thoughts_of,
    tool_call,
    tools_of,
)
from worldtape.errors import FormatError, InputError
from worldtape.schemas import (
    Action,
    Domain,
    End,
    EndStatus,
    EnvironmentSpec,
    Imported,
    ImportedStep,
    InitialState,
    Lossiness,
    Orphan,
    Outcome,
    PolicySpec,
    Rejected,
    SourceFile,
    Status,
    Task,
    Timing,
)

_STEP = {"action", "observation", "response", "thought"}
_BEGUN = {"action", "observation"}
_MORE = {"state", "execution_time", "messages", "query", "extra_info"}
_MESSAGE = {"role", "agent", "content"}
_FINISHED = ("submitted",)


class SweAgent:
    """Reads a `.traj`: transitions from `trajectory`, the task from `history`."""

    name: ClassVar[str] = "swe-agent"
    title: ClassVar[str] = "SWE-agent trajectories"
    versions: ClassVar[str] = "0.x–1.1"
    domains: ClassVar[tuple[Domain, ...]] = (Domain.SWE,)
    lossiness: ClassVar[tuple[Lossiness, ...]] = LOGGED

    def sniff(self, source: SourceFile) -> bool:
        """Tell by the members of a step, or of a message of a demonstration."""
        first = first_value(source)
        if not isinstance(first, dict):
            return False
        steps = as_list(first.get("trajectory"))
        if steps:
            seen = as_dict(steps[0]).keys()
            return seen >= _STEP or (source.size > len(source.head) and _BEGUN <= seen <= _STEP | _MORE)
        messages = as_list(first.get("history"))
        return bool(messages) and as_dict(messages[0]).keys() >= _MESSAGE

    def read(self, source: SourceFile) -> Iterator[Imported | Rejected]:
        """Give the one trajectory of the file."""
        value = document(source)
        if not isinstance(value, dict) or not isinstance(value.get("trajectory"), list):
            if isinstance(value, dict) and isinstance(value.get("history"), list):
                reason = "a demonstration (only history, no trajectory): it was shown to a model, nobody ran it"
                raise InputError(reason, where=source.name)
            raise FormatError("no SWE-agent trajectory: there is no list called trajectory", where=source.name)
        if not value["trajectory"]:
            raise InputError("the trajectory has no steps", where=source.name)
        yield _imported(value)


def _imported(value: dict[str, Any]) -> Imported:
    history = [message for message in as_list(value.get("history")) if isinstance(message, dict)]
    info = as_dict(value.get("info"))
    config = _config(value.get("replay_config"))
    deployment = as_dict(as_dict(config.get("env")).get("deployment"))
    tools = tools_of(as_dict(as_dict(config.get("agent")).get("tools")).get("tools"))
    image = as_str(deployment.get("image"))
    before = _before(value["trajectory"], 0)
    codes = [Lossiness.MERGED_STREAMS, Lossiness.NO_EXIT_CODE, Lossiness.NO_TIMESTAMPS]
    codes += [] if before else [Lossiness.NO_INITIAL_STATE]
    codes += [] if tools else [Lossiness.NO_TOOL_SCHEMAS]
    codes += [] if image else [Lossiness.NO_ENV_IMAGE]
    model = as_dict(as_dict(config.get("agent")).get("model"))
    return Imported(
        locator="",
        domain=Domain.SWE,
        environment=EnvironmentSpec(
            kind="swe-agent", backend=as_str(deployment.get("type")), image=image, tools=tools, parameters=_repo(config)
        ),
        policy=PolicySpec(kind="imported", model=as_str(model.get("name"))),
        steps=_steps(value["trajectory"], history),
        task=_task(value, history, config),
        initial_state=InitialState(probes=before),
        lossiness=tuple(codes),
        end=_end(info),
        extra={"info": kept(info, "exit_status")},
    )


def _config(text: Any) -> dict[str, Any]:
    if isinstance(text, dict):
        return text
    try:
        return as_dict(parse(text.encode("utf-8", "surrogatepass"))) if isinstance(text, str) else {}
    except FormatError:
        return {}


def _repo(config: dict[str, Any]) -> dict[str, Any]:
    return kept({"repo": as_dict(as_dict(config.get("env")).get("repo")) or None})


def _task(value: dict[str, Any], history: list[dict[str, Any]], config: dict[str, Any]) -> Task:
    """Take the first user message that is no demonstration."""
    users = (text_of(item.get("content")) for item in history if item.get("role") == "user" and not _demo(item))
    name = as_str(as_dict(config.get("problem_statement")).get("id")) or as_str(value.get("environment"))
    return Task(id=name or "unknown", instruction=next(users, None) or "")


def _demo(message: dict[str, Any]) -> bool:
    return message.get("is_demo") is True or message.get("message_type") == "demonstration"


def _end(info: dict[str, Any]) -> End:
    status = as_str(info.get("exit_status"))
    if status is None:
        return End(status=EndStatus.INTERRUPTED, reason="the file names no exit_status")
    done = status in _FINISHED
    limit = any(word in status for word in ("exit_cost", "exit_context", "exit_total", "exit_command_timeout"))
    return End(status=EndStatus.COMPLETED if done else EndStatus.LIMIT if limit else EndStatus.FAILED, reason=status)


def _steps(trajectory: list[Any], history: list[dict[str, Any]]) -> Iterator[ImportedStep | Orphan]:
    demos = sum(_demo(message) for message in history)
    if demos:
        yield Orphan("demonstration", {"messages": demos})
    called = _calls(trajectory, history)
    last = len(trajectory) - 1
    for number, step in enumerate(trajectory):
        where = f"/trajectory/{number}"
        if not isinstance(step, dict):
            yield Orphan("bad_record", {"at": where})
            continue
        action, observation = step.get("action"), text_of(step.get("observation"))
        if not isinstance(action, str) or not action.strip():
            yield Orphan("harness_message", {"at": where, "text": observation, "reply": text_of(step.get("response"))})
            continue
        try:
            made = _step(step, action, observation, called.get(number), where)
        except FormatError as error:
            yield Orphan("bad_record", {"at": where, "reason": error.what})
            continue
        made.state_after = _after(trajectory, number)
        made.lossiness = () if made.state_after else (Lossiness.NO_PROBES,)
        if observation is None and number == last:
            made.lossiness += (Lossiness.TAIL_MISSING,)
        yield made


def _step(step: dict[str, Any], action: str, observation: str | None, call: Any, where: str) -> ImportedStep:
    seconds = as_float(step.get("execution_time"))
    thought, reply = text_of(step.get("thought")), text_of(step.get("response"))
    return ImportedStep(
        action=_action(action, call),
        observation=observation,
        outcome=Outcome(status=Status.UNKNOWN if observation is None else Status.OK),
        timing=Timing(duration_ms=None if seconds is None or seconds < 0 else seconds * 1000),
        thoughts=thoughts_of(text=thought, reply=None if reply == thought else reply),
        locator=where,
        extra=kept(as_dict(step.get("extra_info"))),
    )


def _before(trajectory: list[Any], number: int) -> dict[str, Any] | None:
    """The state before a step: up to 0.7 it is written there, as a text."""
    if number >= len(trajectory):
        return None
    state = as_dict(trajectory[number]).get("state")
    return _state(state) if isinstance(state, str) else None


def _after(trajectory: list[Any], number: int) -> dict[str, Any] | None:
    """The state after a step: since 1.0 it is written there, as an object; before, it stands in the next step."""
    state = as_dict(trajectory[number]).get("state")
    return _state(state) if isinstance(state, dict) else _before(trajectory, number + 1)


def _action(text: str, call: Any) -> Action:
    """The command as the shell got it; the function call that it was made of where the history has it."""
    command = text.removesuffix("\n")
    function = as_dict(as_dict(call).get("function"))
    name = as_str(function.get("name"))
    if name is not None:
        return tool_call(name, function.get("arguments"), raw=text)
    return tool_call("bash", {"command": command}, raw=text if text != command else None)


def _calls(trajectory: list[Any], history: list[dict[str, Any]]) -> dict[int, Any]:
    """Find the function call of each step: of the next turn of the model whose action is the step's own."""
    turns = [item for item in history if item.get("role") == "assistant" and not _demo(item)]
    places: dict[str, deque[int]] = defaultdict(deque)
    for place, turn in enumerate(turns):
        places[str(turn.get("action")).strip()].append(place)
    found, latest = {}, -1
    for number, step in enumerate(trajectory):
        waiting = places.get(str(as_dict(step).get("action")).strip(), deque())
        while waiting and waiting[0] <= latest:
            waiting.popleft()
        if waiting:
            latest = waiting.popleft()
            calls = as_list(turns[latest].get("tool_calls"))
            found[number] = calls[0] if len(calls) == 1 else None
    return found


def _state(value: Any) -> dict[str, Any] | None:
    if isinstance(value, str):
        try:
            value = parse(value.encode("utf-8", "surrogatepass"))
        except FormatError:
            return {"text": value} if value.strip() else None
    return kept(as_dict(value)) or None


__all__ = ["SweAgent"]
