"""mini-swe-agent's trajectories."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any, ClassVar

from worldtape.collectors.importers._head import head_value
from worldtape.collectors.importers._json import document
from worldtape.collectors.importers._losses import LOGGED, clock
from worldtape.collectors.importers._mini_swe_reply import SUBMIT, Output, commands, output
from worldtape.collectors.importers._pairing import pair
from worldtape.collectors.importers._values import (
    as_dict,
    as_str,
    from_to,
    kept,
    micros,
    text_of,
    thoughts_of,
    tool_call,
)
from worldtape.errors import FormatError, InputError, VersionError
from worldtape.schemas import (
    Batch,
    Domain,
    End,
    EndStatus,
    EnvironmentSpec,
    Imported,
    ImportedStep,
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

_FORMAT = re.compile(r"mini-swe-agent-(\d{1,4})")
_TAGS = ("<returncode>", "<exception>")
_SETTINGS = ("cwd", "timeout", "interpreter")
_LIMITS = ("LimitsExceeded", "TimeExceeded")
Item = ImportedStep | Orphan


class MiniSweAgent:
    """Reads the bare list of messages of early files, and the object of format 1 and 1.1."""

    name: ClassVar[str] = "mini-swe-agent"
    title: ClassVar[str] = "mini-swe-agent trajectories"
    versions: ClassVar[str] = "bare list, 1, 1.1"
    domains: ClassVar[tuple[Domain, ...]] = (Domain.SWE,)
    lossiness: ClassVar[tuple[Lossiness, ...]] = (
        *LOGGED,
        Lossiness.LOSSY_UTF8,
        Lossiness.NEWLINE_NORMALIZED,
        Lossiness.OBS_SHARED_BY_BATCH,
        Lossiness.OBS_TEMPLATED,
        Lossiness.TRUNCATED_NO_FULL,
        Lossiness.WALL_CLOCK_ONLY,
    )

    def sniff(self, source: SourceFile) -> bool:
        """Tell by the format's name, by what `info` says, or by the tags in a bare list's observations."""
        value = head_value(source)
        if isinstance(value, list):
            return any(_observes(message) for message in value)
        if not isinstance(value, dict):
            return False
        info = as_dict(value.get("info"))
        agent = str(as_dict(info.get("config")).get("agent_type"))
        named = _FORMAT.match(str(value.get("trajectory_format")))
        return bool(named) or "mini_version" in info or agent.startswith("minisweagent.")

    def read(self, source: SourceFile) -> Iterator[Imported | Rejected]:
        """Give the one trajectory of the file."""
        value = document(source)
        if isinstance(value, list):
            value = {"messages": value}
        if not isinstance(value, dict) or not isinstance(value.get("messages"), list):
            raise FormatError("no mini-swe-agent trajectory: there are no messages", where=source.name)
        version = _FORMAT.match(str(value.get("trajectory_format")))
        if version and int(version[1]) > 1:
            raise VersionError(
                f"written as {value['trajectory_format']}", where=source.name, fix="this importer reads 1 and 1.1"
            )
        messages = [message for message in value["messages"] if isinstance(message, dict)]
        if not any(message.get("role") == "assistant" for message in messages):
            raise InputError("no message of the agent: nothing was done", where=source.name)
        yield _imported(value, messages)


def _observes(message: Any) -> bool:
    fields = as_dict(message)
    content = fields.get("content")
    return fields.get("role") == "user" and isinstance(content, str) and content.lstrip().startswith(_TAGS)


def _imported(value: dict[str, Any], messages: list[dict[str, Any]]) -> Imported:
    info = as_dict(value.get("info"))
    config = as_dict(info.get("config"))
    place = as_dict(config.get("environment"))
    image = as_str(place.get("image"))
    backend = (as_str(config.get("environment_type")) or "").rpartition(".")[2] or None
    codes = [Lossiness.LOSSY_UTF8, Lossiness.MERGED_STREAMS, Lossiness.NEWLINE_NORMALIZED, Lossiness.NO_INITIAL_STATE]
    codes += [Lossiness.NO_PROBES, Lossiness.NO_TOOL_SCHEMAS] + ([] if image else [Lossiness.NO_ENV_IMAGE])
    first = next((text_of(message.get("content")) for message in messages if message.get("role") == "user"), None)
    return Imported(
        locator="",
        domain=Domain.SWE,
        environment=EnvironmentSpec(
            kind="shell",
            backend=backend,
            image=image,
            parameters={"stateless": True} | kept({key: place.get(key) for key in _SETTINGS}),
        ),
        policy=PolicySpec(kind="imported", model=as_str(as_dict(config.get("model")).get("model_name"))),
        steps=_Steps(messages),
        task=Task(id=as_str(value.get("instance_id")) or "unknown", instruction=first or ""),
        lossiness=tuple(codes),
        end=_end(info, messages),
        extra=kept({"info": kept(info, "config", "exit_status")}),
    )


def _end(info: dict[str, Any], messages: list[dict[str, Any]]) -> End:
    left = as_dict(messages[-1].get("extra")) if messages[-1].get("role") == "exit" else {}
    status = as_str(info.get("exit_status")) or as_str(left.get("exit_status"))
    if status is None:
        said = any(mark in text for text in map(_joined, messages[-3:]) for mark in SUBMIT)
        return End(status=EndStatus.COMPLETED if said else EndStatus.INTERRUPTED)
    if status == "Submitted":
        return End(status=EndStatus.COMPLETED, reason=status)
    return End(status=EndStatus.LIMIT if status in _LIMITS else EndStatus.FAILED, reason=status)


def _joined(message: dict[str, Any]) -> str:
    return "\n".join(command for _, command in commands(message)) if message.get("role") == "assistant" else ""


class _Steps:
    """Groups every reply with the observations that follow it."""

    def __init__(self, messages: list[dict[str, Any]]) -> None:
        self._messages = messages

    def __iter__(self) -> Iterator[Item]:
        reply: tuple[int, dict[str, Any]] | None = None
        after: list[tuple[int, dict[str, Any]]] = []
        opened = latest = 0
        for number, message in enumerate(self._messages):
            moment = micros(as_dict(message.get("extra")).get("timestamp")) or latest
            if moment < latest:
                yield Orphan("time_backwards", {"at": f"/messages/{number}", "by_us": latest - moment})
            latest = max(latest, moment)
            if message.get("role") == "assistant":
                yield from self._turn(reply, after, last=False)
                reply, after = (number, message), []
            elif reply is None and message.get("role") in ("system", "user") and opened < 2:  # noqa: PLR2004
                opened += 1
            else:
                after.append((number, message))
        yield from self._turn(reply, after, last=True)

    def _turn(
        self, reply: tuple[int, dict[str, Any]] | None, after: list[tuple[int, dict[str, Any]]], *, last: bool
    ) -> Iterator[Item]:
        """One reply and what follows it until the next."""
        found = [] if reply is None else commands(reply[1])
        results: list[tuple[str | None, Any]] = []
        rest: list[tuple[int, dict[str, Any]]] = []
        for number, message in after:
            seen = output(message) or _submission(message, found, last=last)
            if seen is None or not (seen.text is not None or message.get("content")):
                rest.append((number, message))
            else:
                results.append((as_str(message.get("tool_call_id")), (number, message, seen)))
        if reply is not None and not found:
            yield Orphan("agent_message", {"at": f"/messages/{reply[0]}", "text": text_of(reply[1].get("content"))})
        paired = pair([call for call, _ in found], results)
        shared = paired.shared is not None and len(found) > 1
        for index, (_, command) in enumerate(found):
            assert reply is not None
            result = paired.own[index]
            if paired.shared is not None and index == len(found) - 1:
                result = paired.shared
            batch = None
            if len(found) > 1:
                batch = Batch(id=f"/messages/{reply[0]}", index=index, size=len(found), shared=shared)
            made = _step(reply, command, batch, result)
            made.lossiness += (Lossiness.OBS_SHARED_BY_BATCH,) if shared else ()
            if last and result is None and not shared:
                made.lossiness += (Lossiness.TAIL_MISSING,)
            yield made
        for number, _, seen in paired.orphans:
            yield Orphan("orphan_result", {"at": f"/messages/{number}", "text": seen.text})
        for number, message in rest:
            code = "exit" if message.get("role") == "exit" else "harness_message"
            yield Orphan(code, {"at": f"/messages/{number}", "text": text_of(message.get("content"))})


def _submission(message: dict[str, Any], found: list[tuple[str | None, str]], *, last: bool) -> Output | None:
    """Early files: the last user message is the output of the command that submits, less its first line."""
    ends = last and len(found) == 1 and any(mark in found[0][1] for mark in SUBMIT)
    if not ends or message.get("role") != "user" or not isinstance(message.get("content"), str):
        return None
    return Output(message["content"], Outcome(status=Status.OK), elided=len(SUBMIT[0]) + 1)


def _step(reply: tuple[int, dict[str, Any]], command: str, batch: Batch | None, result: Any) -> ImportedStep:
    number, message = reply
    about = as_dict(message.get("extra"))
    first = batch is None or batch.index == 0
    asked = micros(about.get("timestamp"))
    step = ImportedStep(
        action=tool_call("bash", {"command": command}, batch=batch),
        observation=None,
        outcome=Outcome(status=Status.UNKNOWN),
        timing=Timing(started_at=asked),
        thoughts=thoughts_of(reasoning=message.get("reasoning_content"), text=text_of(message.get("content")))
        if first
        else (),
        lossiness=(clock(asked),),
        locator=f"/messages/{number}",
        extra=kept({"cost": about.get("cost")}) if first else {},
    )
    if result is None:
        return step
    where, answer, seen = result
    shown = text_of(answer.get("content"))
    done = micros(as_dict(answer.get("extra")).get("timestamp"))
    step.observation, step.outcome = seen.text, seen.outcome
    step.shown = shown if shown != seen.text else None
    step.timing = from_to(asked, done)
    step.extra |= {"observed_at": f"/messages/{where}"}
    if step.outcome.exit_code is None:
        step.lossiness += (Lossiness.NO_EXIT_CODE,)
    if shown != seen.text and not as_dict(answer.get("extra")).get("raw_output"):
        step.lossiness += (Lossiness.OBS_TEMPLATED,)
    if seen.elided:
        step.lossiness += (Lossiness.TRUNCATED_NO_FULL,)
        step.extra["truncated"] = {"by": "harness", "omitted_chars": seen.elided}
    return step


__all__ = ["MiniSweAgent"]
