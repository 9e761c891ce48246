"""The steps of an ATIF document, made into transitions."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from worldtape.collectors.importers._losses import LOGGED, clock
from worldtape.collectors.importers._pairing import pair
from worldtape.collectors.importers._terminus import Reply, View, keys, reply_of, view
from worldtape.collectors.importers._values import (
    as_dict,
    as_int,
    as_list,
    as_str,
    kept,
    micros,
    text_of,
    thoughts_of,
    tool_call,
)
from worldtape.errors import FormatError
from worldtape.schemas import (
    Action,
    Batch,
    ImportedStep,
    Lossiness,
    Orphan,
    Outcome,
    Status,
    Timing,
)

LOSSINESS = (
    *LOGGED,
    Lossiness.OBS_SHARED_BY_BATCH,
    Lossiness.OBS_TEMPLATED,
    Lossiness.TRUNCATED_NO_FULL,
    Lossiness.WALL_CLOCK_ONLY,
)
_ERRORS = ("is_error", "tool_result_is_error")
_CODES = ("exit_code", "returncode")
_BULKY = ("prompt_token_ids", "completion_token_ids", "logprobs")
Pending = ImportedStep | Orphan


class Steps:
    """Iterates the transitions of one trajectory: a document and those that continue it."""

    def __init__(self, documents: list[tuple[str, dict[str, Any]]], locator: str, *, terminal: bool) -> None:
        self._documents = documents
        self._locator = locator
        self._terminal = terminal

    def __iter__(self) -> Iterator[Pending]:
        """Give steps and orphans; a last step without a result is marked as the cut tail."""
        held: list[Pending] = []
        for item in self._all():
            if isinstance(item, ImportedStep):
                yield from held
                held = []
            held.append(item)
        yield from (_tail(item) if isinstance(item, ImportedStep) else item for item in held)

    def _all(self) -> Iterator[Pending]:
        latest = 0
        first_user = True
        copied: list[Any] = []
        for file, document in self._documents:
            for number, step in enumerate(as_list(document.get("steps"))):
                where = f"{file}#/steps/{number}" if file else f"{self._locator}/steps/{number}"
                if not isinstance(step, dict):
                    yield Orphan("bad_record", {"at": where})
                    continue
                if step.get("is_copied_context") is True:
                    copied.append(where)
                    first_user = first_user and step.get("source") == "system"
                    continue
                moment = micros(step.get("timestamp"))
                if moment is not None and moment < latest:
                    yield Orphan("time_backwards", {"at": where, "by_us": latest - moment})
                latest = max(latest, moment or 0)
                opens = first_user and step.get("source") == "user"
                first_user = first_user and step.get("source") == "system"
                if opens:
                    yield from _strays(step, where)
                    continue
                yield from self._step(step, where)
        if copied:
            yield Orphan("copied_context", {"count": len(copied), "first": copied[0], "last": copied[-1]})

    def _step(self, step: dict[str, Any], where: str) -> Iterator[Pending]:
        calls = [call for call in as_list(step.get("tool_calls")) if isinstance(call, dict)]
        results = [item for item in as_list(as_dict(step.get("observation")).get("results")) if isinstance(item, dict)]
        message = text_of(step.get("message"))
        if not calls and step.get("source") != "agent":
            code = "user_message" if step.get("source") == "user" else "harness_message"
            yield Orphan(code, {"at": where, "text": message})
            yield from _strays(step, where)
            return
        if not calls:
            yield from self._wordy(step, where, message, results)
            return
        try:
            yield from self._turn(step, where, calls, results, message)
        except FormatError as error:
            yield Orphan("bad_record", {"at": where, "reason": error.what})

    def _wordy(self, step: dict[str, Any], where: str, message: str | None, results: list[Any]) -> Iterator[Pending]:
        """An agent's step without calls: its text is the call where the harness parsed no more, else words."""
        texts = [text for item in results if (text := text_of(item.get("content"))) is not None]
        reply = reply_of(message or "") if self._terminal and len(texts) < 2 else None  # noqa: PLR2004
        if reply and reply.calls and (not texts or view(texts[0]).observation is not None):
            calls = [{"function_name": name, "arguments": fields} for name, fields in reply.calls]
            yield from self._turn(step, where, calls, results, None, reply)
            return
        code = "harness_message" if self._terminal and texts else "orphan_result" if texts else "agent_message"
        details: dict[str, Any] = {"at": where, "text": "\n".join(texts) if texts else message}
        yield Orphan(code, details | ({"reply": message} if texts else {}))
        if not texts:
            yield from _strays(step, where)

    def _turn(
        self,
        step: dict[str, Any],
        where: str,
        calls: list[dict[str, Any]],
        results: list[dict[str, Any]],
        message: str | None,
        reply: Reply | None = None,
    ) -> Iterator[Pending]:
        """One model turn with calls: a step for each."""
        paired = pair(
            [as_str(call.get("tool_call_id")) for call in calls],
            [(as_str(item.get("source_call_id")), item) for item in results],
        )
        said = reply.reasoning if reply else None
        thoughts = thoughts_of(reasoning=step.get("reasoning_content") or said, text=message)
        last = len(calls) - 1
        shared = paired.shared is not None and last > 0
        for number, call in enumerate(calls):
            batch = Batch(id=where, index=number, size=last + 1, shared=shared) if last else None
            result = paired.own[number]
            if number == last and paired.shared is not None:
                result = paired.shared
            made = self._made(step, call, result, batch)
            made.locator = where if not last else f"{where}/tool_calls/{number}"
            made.thoughts = thoughts if number == 0 else ()
            if (shared and number != last) or shared:
                made.lossiness += (Lossiness.OBS_SHARED_BY_BATCH,)
            yield made
        for item in paired.orphans:
            yield Orphan("orphan_result", {"at": where, "result": kept(item)})

    def _made(self, step: dict[str, Any], call: dict[str, Any], result: Any, batch: Batch | None) -> ImportedStep:
        about = as_dict(step.get("extra")) if batch is None else {}
        raw = text_of(as_dict(result).get("content"))
        seen = view(raw) if raw is not None and self._terminal else View(raw)
        claude = _claude_output(about)
        observation = seen.observation if claude is None else claude
        moment = micros(step.get("timestamp"))
        codes = [clock(moment)]
        extra = kept(step, "message", "tool_calls", "observation", "reasoning_content", "source", "timestamp")
        if metrics := kept(as_dict(extra.pop("metrics", None)), *_BULKY):
            extra["metrics"] = metrics
        if raw is not None and self._terminal and observation != raw:
            codes.append(Lossiness.OBS_TEMPLATED)
        if seen.rendering:
            extra["rendering"] = seen.rendering
        if seen.omitted is not None:
            codes.append(Lossiness.TRUNCATED_NO_FULL)
            extra["truncated"] = {"by": "harness", "omitted_bytes": seen.omitted}
        return ImportedStep(
            action=_action(call, step, batch, terminal=self._terminal),
            observation=observation,
            outcome=_outcome(as_dict(result), about, seen, known=raw is not None),
            shown=raw if raw != observation else None,
            timing=_timing(about, moment),
            lossiness=tuple(codes),
            extra=extra,
        )


def _action(call: dict[str, Any], step: dict[str, Any], batch: Batch | None, *, terminal: bool) -> Action:
    name = as_str(call.get("function_name")) or "unknown"
    arguments = call.get("arguments")
    pressed = keys(arguments, batch) if terminal and name == "bash_command" else None
    made = pressed or tool_call(name, arguments, batch=batch)
    return made if step.get("source") == "agent" else made.model_copy(update={"actor": "harness"})


def _outcome(result: dict[str, Any], about: dict[str, Any], seen: View, *, known: bool) -> Outcome:
    if not known:
        return Outcome(status=Status.UNKNOWN)
    if seen.observation is None:
        return Outcome(status=Status.REJECTED)
    if seen.timed_out:
        return Outcome(status=Status.TIMEOUT_STILL_RUNNING)
    facts = about | as_dict(result.get("extra"))
    code = next((number for key in _CODES if (number := as_int(facts.get(key))) is not None), None)
    failed = any(facts.get(key) is True for key in _ERRORS) or code not in (None, 0)
    if as_dict(facts.get("tool_use_result")).get("interrupted") is True:
        return Outcome(status=Status.INTERRUPTED, exit_code=code)
    return Outcome(status=Status.TOOL_ERROR if failed else Status.OK, exit_code=code)


def _claude_output(about: dict[str, Any]) -> str | None:
    """Claude Code's own streams, which its converter also writes into `content` with words around them."""
    fields = as_dict(about.get("tool_use_result")) or as_dict(about.get("raw_tool_result"))
    out, error = fields.get("stdout"), fields.get("stderr")
    if not isinstance(out, str) or not isinstance(error, str):
        return None
    return "\n".join(part for part in (out, error) if part)


def _timing(about: dict[str, Any], moment: int | None) -> Timing:
    invocation = as_dict(about.get("invocation"))
    begun, done = micros(invocation.get("start_timestamp")), micros(invocation.get("end_timestamp"))
    if begun is None or done is None or done < begun:
        return Timing(started_at=moment)
    return Timing(started_at=begun, ended_at=done, duration_ms=(done - begun) / 1000)


def _strays(step: dict[str, Any], where: str) -> Iterator[Orphan]:
    """Results that stand in a step without calls: hand-overs to subagents, or texts of nobody."""
    for item in as_list(as_dict(step.get("observation")).get("results")):
        if not isinstance(item, dict):
            continue
        refs = [kept(ref) for ref in as_list(item.get("subagent_trajectory_ref")) if isinstance(ref, dict)]
        if refs:
            yield Orphan("subagent", {"at": where, "refs": refs})
        text = text_of(item.get("content"))
        if text:
            yield Orphan("orphan_result", {"at": where, "text": text})


def _tail(step: ImportedStep) -> ImportedStep:
    batch = step.action.batch
    if step.observation is None and step.shown is None and not (batch and batch.shared):
        step.lossiness += (Lossiness.TAIL_MISSING,)
    return step
