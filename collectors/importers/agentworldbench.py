"""Rows of AgentWorldBench. They are a benchmark: what is imported from them never trains."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import partial
from typing import Any, ClassVar

from worldtape.collectors.importers import _awb_ours
from worldtape.collectors.importers._head import first_value
from worldtape.collectors.importers._json import records
from worldtape.collectors.importers._values import as_dict, as_str, kept, tool_call
from worldtape.errors import FormatError, InputError, VersionError
from worldtape.schemas import (
    Action,
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
    canonical_json,
)

BENCHMARK = "AgentWorldBench"
_FIELDS = frozenset({"task", "prompt", "response", "turn_idx", "total_turns"})
_HEADING = "**Environment Observation:**\n"
_OBSERVATION = re.compile(r"\A\s*\*\*Environment Observation:\*\*[ \t]*\n?")
_TAGGED = re.compile(r"<predicted_observation>\n?(.*?)\n?</predicted_observation>", re.DOTALL)
_ACTION = re.compile(r"^\*\*Action:\*\*[ \t]*\n?", re.MULTILINE)
_TURN = re.compile(r"\A### Turn (\d{1,9})\n")
_STATE = re.compile(r"^\*\*Current State:\*\*[ \t]*\n?", re.MULTILINE)
_INSTRUCTION = re.compile(r"^\*\*Task Instruction:\*\*[ \t]*\n?", re.MULTILINE)
_FENCE = re.compile(r"\A(`{3,})[^\n`]*\n(.*?)\n?^\1[ \t]*$", re.DOTALL | re.MULTILINE)
_LOSSES = (
    Lossiness.NO_TIMESTAMPS,
    Lossiness.NO_EXIT_CODE,
    Lossiness.NO_ENV_IMAGE,
    Lossiness.NO_PROBES,
    Lossiness.NO_TOOL_SCHEMAS,
)
_KINDS = {Domain.ANDROID: "ui_action", Domain.OS: "ui_action", Domain.WEB: "browser_call"}


class AgentWorldBench:
    """A row is a trajectory of its turns; prompts hold the actions, responses the observations."""

    name: ClassVar[str] = "agentworldbench"
    title: ClassVar[str] = "AgentWorldBench rows"
    versions: ClassVar[str] = "2026 (seven domains)"
    domains: ClassVar[tuple[Domain, ...]] = tuple(Domain)
    lossiness: ClassVar[tuple[Lossiness, ...]] = (*_LOSSES, Lossiness.NO_INITIAL_STATE)

    def sniff(self, source: SourceFile) -> bool:
        """Look for a row that tells which turn of how many is asked for."""
        row = first_value(source)
        if not isinstance(row, dict):
            return False
        if "turn_idx" in row or "current_prompt" in row:
            return isinstance(row.get("prompt"), list) and isinstance(row.get("task"), str)
        return {"task", "id", "prompt"} <= row.keys() and _turns(row.get("prompt"))

    def read(self, source: SourceFile) -> Iterator[Imported | Rejected]:
        """Give a trajectory for each row; the rows that Worldtape wrote of one trajectory are one again."""
        ours = _awb_ours.Rows(_texts_of)
        for item in records(source):
            if isinstance(item, Orphan):
                at = item.details.get("offset")
                yield Rejected(f"bytes:{at}", f"{item.code}: {item.details.get('reason')}".replace("\n", " "))
                continue
            locator, value = item
            row = as_dict(value)
            try:
                told = _awb_ours.told(row)
            except VersionError as error:
                yield Rejected(locator, error.what)
                continue
            if told is not None and ours.add(locator, row, told):
                continue
            if ours.locator is not None:
                yield _made(ours.locator, ours.imported)
            ours = _awb_ours.Rows(_texts_of)
            if told is None:
                yield _made(locator, partial(_row, locator, row))
            else:
                ours.add(locator, row, told)
        if ours.locator is not None:
            yield _made(ours.locator, ours.imported)


def _made(locator: str, make: Callable[[], Imported]) -> Imported | Rejected:
    try:
        return make()
    except (FormatError, InputError) as error:
        return Rejected(locator, " ".join(error.what.split()))


def _texts_of(row: dict[str, Any]) -> list[tuple[str, str]]:
    """Return action and observation of every turn of a row of ours, exactly."""
    actions = [_split(prompt)[1] for prompt in (*row["prompt"][:-1], row["current_prompt"])]
    answers = [answer.removeprefix(_HEADING) for answer in row["response"]]
    return list(zip(actions, answers, strict=True))


def _turns(prompt: Any) -> bool:
    first = prompt[0] if isinstance(prompt, list) and prompt else None
    return isinstance(first, str) and first.startswith("### Turn ")


def _row(locator: str, row: dict[str, Any]) -> Imported:
    missing = sorted(_FIELDS - row.keys())
    if missing:
        raise FormatError(f"no {', '.join(missing)}")
    domain = next((item for item in Domain if item == row["task"]), None)
    if domain is None:
        raise FormatError(f"unknown task {str(row['task'])[:40]!r}")
    prompts, responses = _texts(row, "prompt"), _texts(row, "response")
    if not prompts:
        raise InputError("no turn")
    if not responses:
        raise InputError("prompts without any response: tasks only")
    if len(prompts) != len(responses):
        raise FormatError(f"{len(prompts)} prompts and {len(responses)} responses: which belong together is not told")
    if any(_numbered(text) not in (None, number) for number, text in enumerate(prompts, 1)):
        raise FormatError("the turns are not numbered from 1 on")
    current = as_str(row.get("current_prompt"))
    turns = [_turn(text, domain, current) for text in prompts]
    steps = [
        _step(f"/prompt/{number}", *told) for number, told in enumerate(zip(turns, prompts, responses, strict=True))
    ]
    first = turns[0]
    known = isinstance(row.get("id"), (str, int)) and not isinstance(row["id"], bool)
    return Imported(
        locator=locator,
        domain=domain,
        environment=EnvironmentSpec(kind=str(domain), network="unknown"),
        policy=PolicySpec(kind="imported"),
        steps=steps,
        task=Task(id=str(row["id"]) if known else "", instruction=first.instruction or "", benchmark=BENCHMARK),
        initial=first.state,
        lossiness=_LOSSES + (() if first.state is not None else (Lossiness.NO_INITIAL_STATE,)),
        end=End(status=EndStatus.LIMIT if _cut(row) else EndStatus.COMPLETED),
        extra=kept(row, "prompt", "response"),
    )


def _texts(row: dict[str, Any], key: str) -> list[str]:
    value = row[key]
    if not isinstance(value, list) or not all(isinstance(item, str) for item in value):
        raise FormatError(f"{key} is no list of texts")
    return value


def _cut(row: dict[str, Any]) -> bool:
    turn, total = row["turn_idx"], row["total_turns"]
    return isinstance(turn, int) and isinstance(total, int) and turn < total


@dataclass(frozen=True, slots=True)
class _Turn:
    """The sections of a prompt."""

    action: Action
    instruction: str | None
    state: str | None


def _turn(prompt: str, domain: Domain, current: str | None) -> _Turn:
    """Take a prompt apart; the last one may carry an output instruction that `current_prompt` does not have."""
    text = current if current and prompt.startswith(current) else prompt
    head, bare = _split(text)
    state = _STATE.search(head)
    task = _INSTRUCTION.search(head[: state.start()] if state else head)
    instruction = head[task.end() : state.start() if state else None].rstrip("\n") if task else None
    return _Turn(_action(bare, domain), instruction, head[state.end() :].removesuffix("\n\n") if state else None)


def _split(text: str) -> tuple[str, str]:
    """Return what stands before the last `**Action:**`, and the action without its fence."""
    actions = list(_ACTION.finditer(text))
    if not actions:
        raise FormatError("a prompt has no **Action:**")
    block = text[actions[-1].end() :]
    fence = _FENCE.match(block)
    return text[: actions[-1].start()], fence[2] if fence else block.rstrip("\n")


def _action(text: str, domain: Domain) -> Action:
    from worldtape.collectors.importers._chat import decoded

    value = decoded(text)
    if isinstance(value, dict) and isinstance(value.get("name"), str):
        arguments = value.get("arguments", value.get("parameters"))
        call = tool_call(value["name"], arguments)
        return call if call.text == text else call.model_copy(update={"raw": text})
    if isinstance(value, list) and domain in (Domain.TERMINAL, Domain.SWE):
        return Action(kind="keystrokes", text=text, arguments=canonical_json(value))
    return Action(kind=_KINDS.get(domain, "tool_call"), text=text)


def _step(locator: str, turn: _Turn, prompt: str, response: str) -> ImportedStep:
    observation = _observed(response)
    return ImportedStep(
        action=turn.action,
        observation=observation,
        outcome=Outcome(status=Status.OK),
        shown=response if response != observation else None,
        locator=locator,
        extra={"prompt": prompt},
    )


def _numbered(prompt: str) -> int | None:
    match = _TURN.match(prompt)
    return int(match[1]) if match else None


def _observed(response: str) -> str:
    """Return what stands behind the heading, or in the last tagged block."""
    tagged = _TAGGED.findall(response)
    if tagged:
        return str(tagged[-1])
    head = _OBSERVATION.match(response)
    if head is None:
        raise FormatError("a response has neither **Environment Observation:** nor a tagged block")
    return response[head.end() :]
