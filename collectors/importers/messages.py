"""Chat rows with tools, as OpenAI's API and data sets on the Hugging Face Hub write them."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any, ClassVar

from worldtape.collectors.importers import _chat, _chat_ours, _ours
from worldtape.collectors.importers._head import first_value, partial
from worldtape.collectors.importers._json import document, is_lines, lines, parse
from worldtape.collectors.importers._pairing import pair
from worldtape.collectors.importers._values import as_float, as_list, as_str, kept, thoughts_of, tool_call, tools_of
from worldtape.errors import FormatError, InputError
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
    Rejected,
    SourceFile,
    Status,
    Task,
    Tool,
    canonical_json,
)

_LISTS = ("messages", "conversations", "conversation", "input")
_TOOLS = ("tools", "functions", "available_tools", "tool_definitions")
_IDS = ("id", "uuid", "instance_id", "task_id", "conversation_id", "session_id", "trajectory_id")
_OTHERS = frozenset(
    {"trajectory_format", "trajectory", "history", "steps", "schema_version", "trial_name", "episode", "eval"}
    | {"payload", "simulations", "sessionId", "sessionid", "loglines", "interactions", "format_version", "events"}
    | {"turn_idx", "samples", "traj", "std", "class_"}
)
"""Members that only other formats have."""
_SHELLS = frozenset({"bash", "execute_bash", "shell", "sh", "terminal", "run_command", "execute_command", "run_shell"})
_CODING = _SHELLS | frozenset(
    {"str_replace_editor", "str_replace_based_edit_tool", "edit_file", "edit", "read_file", "write_file", "apply_patch"}
    | {"view_file", "create_file", "file_editor", "execute_ipython_cell", "search_replace"}
)
_SEARCH = frozenset(
    {"search", "visit", "web_search", "google_search", "browse", "open_url", "fetch", "retrieve", "wiki_search"}
    | {"google_scholar", "crawl", "web_fetch", "crawl_page", "visit_page"}
)
_LOSSES = (Lossiness.NO_TIMESTAMPS, Lossiness.NO_ENV_IMAGE, Lossiness.NO_PROBES, Lossiness.NO_INITIAL_STATE)
_LONGEST_EXTRA = 8192
_OK, _UNKNOWN = Outcome(status=Status.OK), Outcome(status=Status.UNKNOWN)
_COMPLETED = End(status=EndStatus.COMPLETED)
_FIELDS = frozenset({*_LISTS, *_TOOLS, "prompt", "completion", "model", "license", "licence", "reward", "response"})
_HELD = 1000


class Messages:
    """A row is a trajectory; a tool call and its result are a transition."""

    name: ClassVar[str] = "messages"
    title: ClassVar[str] = "Chat rows with tools"
    versions: ClassVar[str] = "OpenAI chat completions, TRL, ShareGPT, Toucan, WebDancer, SWE-smith, SWE-World"
    domains: ClassVar[tuple[Domain, ...]] = (Domain.MCP, Domain.SEARCH, Domain.SWE, Domain.TERMINAL)
    lossiness: ClassVar[tuple[Lossiness, ...]] = (
        *_LOSSES,
        Lossiness.NO_TOOL_SCHEMAS,
        Lossiness.NO_EXIT_CODE,
        Lossiness.OBS_SHARED_BY_BATCH,
        Lossiness.TAIL_MISSING,
        Lossiness.TRUNCATED_NO_FULL,
    )

    def sniff(self, source: SourceFile) -> bool:
        """Look for a list of messages, alone or in a row; a list alone must show a tool."""
        head = source.head.lstrip()
        if head[:1] == b"[":
            value = _bare_list(head)
            if value is not None:
                mini_swe = b"<returncode>" in head
                return not mini_swe and _is_chat(value) and (_has_tools(value) or b"\n[" in head)
        row = first_value(source)
        if not isinstance(row, dict) or not _OTHERS.isdisjoint(row) or ("info" in row and "completion" not in row):
            return False
        if isinstance(row.get("responses_create_params"), dict):
            return True
        return _is_chat(_list_of(row))

    def read(self, source: SourceFile) -> Iterator[Imported | Rejected]:
        """Give a trajectory for each row that has a tool result.

        Raises:
            InputError: no row has one: prompts, predictions or talk only.
        """
        held: list[Rejected] | None = []
        known = _Known()
        for made in _longest(_made(locator, value, known) for locator, value in _rows(source)):
            if held is None:
                yield made
            elif isinstance(made, Rejected) and len(held) < _HELD:
                held.append(made)
            else:
                yield from held
                held = None
                yield made
        if held is not None:
            reason = held[0].reason if held else "no rows"
            raise InputError(f"nothing to import from {len(held)} rows: {reason}", where=source.name)


def _bare_list(head: bytes) -> list[Any] | None:
    """Return the messages where the first value is a list of messages."""
    first = head.partition(b"\n")[0]
    try:
        value = parse(first)
    except FormatError:
        value = partial(head)
    items = value if isinstance(value, list) else []
    return items if items and isinstance(items[0], dict) and ("role" in items[0] or "from" in items[0]) else None


def _has_tools(items: list[Any]) -> bool:
    keys = {"tool_calls", "function_call", "tool_call_id"}
    told = ("tool", "function", "function_call", "observation")
    return any(
        isinstance(item, dict)
        and (keys & {key for key, held in item.items() if held} or item.get("role", item.get("from")) in told)
        for item in items
    )


def _is_chat(items: Any) -> bool:
    """Tell a list of messages by its first one; where the head cuts that one, its role must do."""
    first = items[0] if isinstance(items, list) and items else None
    if not isinstance(first, dict):
        return False
    role = str(first.get("role", first.get("from"))).lower()
    said = bool({"content", "value", "tool_calls", "function_call"} & first.keys())
    return role in _chat.ROLES.keys() | _chat.KNOWN and (said or (len(items) == 1 and len(first) == 1))


def _list_of(row: dict[str, Any]) -> Any:
    """Return the messages of a row, which may be JSON in a text; None: it has none."""
    for key in _LISTS:
        value = _chat.decoded(row.get(key))
        if isinstance(value, list):
            return value
    prompt, completion = _chat.decoded(row.get("prompt")), _chat.decoded(row.get("completion"))
    if isinstance(prompt, list) and isinstance(completion, list):
        return prompt + completion
    return None


def _rows(source: SourceFile) -> Iterator[tuple[str, Any]]:
    """Give (locator, row or list of messages); a line that is no JSON comes as the error."""
    if is_lines(source.head) or _long_line(source):
        for offset, line in lines(source):
            locator = f"bytes:{offset}-{offset + len(line)}"
            try:
                yield locator, parse(line)
            except FormatError as error:
                yield locator, error
        return
    value = document(source)
    if isinstance(value, list) and not _is_chat(value):
        yield from ((f"/{number}", item) for number, item in enumerate(value))
    else:
        yield "", value


def _long_line(source: SourceFile) -> bool:
    """Tell lines that are longer than the head from one document."""
    if b"\n" in source.head or source.size <= len(source.head) or source.head.lstrip()[:1] != b"{":
        return False
    try:
        parse(next(lines(source))[1])
    except (FormatError, StopIteration):
        return False
    return True


class _Known:
    """What one row after the other repeats: the tools and the model."""

    def __init__(self) -> None:
        self._told: list[Any] = []
        self._environment = EnvironmentSpec(kind="tools", network="unknown")
        self._policies: dict[str | None, PolicySpec] = {}

    def environment(self, row: dict[str, Any]) -> EnvironmentSpec:
        """Return the environment with the tools of `row`."""
        told = [row.get(key) for key in _TOOLS]
        if told != self._told:
            self._told = told
            self._environment = EnvironmentSpec(kind="tools", network="unknown", tools=_tools(row))
        return self._environment

    def policy(self, model: str | None) -> PolicySpec:
        """Return the policy that is called `model`."""
        if model not in self._policies:
            if len(self._policies) > _HELD:
                self._policies.clear()
            self._policies[model] = PolicySpec(kind="imported", model=model)
        return self._policies[model]


_Made = tuple[Imported | Rejected, list[Any]]


def _longest(rows: Iterable[_Made]) -> Iterator[Imported | Rejected]:
    """Leave out rows that a neighbour repeats and goes on from: one conversation, written out turn by turn."""
    held: tuple[Imported, list[Any]] | None = None
    for made, items in rows:
        if isinstance(made, Rejected):
            if held is not None:
                yield held[0]
            held = None
            yield made
            continue
        if held is not None:
            before = held[1]
            if len(items) < len(before) and before[: len(items)] == items:
                yield Rejected(made.locator, "the row before it holds all of it: counted once")
                continue
            goes_on = len(before) < len(items) and items[: len(before)] == before
            yield Rejected(held[0].locator, "the next row repeats it and goes on: counted once") if goes_on else held[0]
        held = (made, items)
    if held is not None:
        yield held[0]


def _made(locator: str, value: Any, known: _Known) -> _Made:
    if isinstance(value, FormatError):
        return Rejected(locator, value.what), []
    row = value if isinstance(value, dict) else {}
    items = value if isinstance(value, list) else _list_of(row)
    try:
        made = _row(locator, row, items, known)
        return made, [row[_ours.MEMBER]] if _ours.MEMBER in row else items  # a branch of ours repeats no other row
    except (FormatError, InputError) as error:
        return Rejected(locator, " ".join(error.what.split())), []
    except RecursionError:
        return Rejected(locator, "nested too deep"), []


def _row(locator: str, row: dict[str, Any], items: Any, known: _Known) -> Imported:
    if not isinstance(items, list) or not items:
        raise InputError("a prompt only: no messages were recorded" if row else "no row of messages")
    if _ours.MEMBER in row and (ours := _chat_ours.imported(row, items, locator)) is not None:
        return ours
    talk, strange = _read(items)
    if not any(message.results for message in talk):
        called = any(message.calls for message in talk)
        what = "calls without any result: predictions only" if called else "talk without any tool"
        raise InputError(f"no tool result: {what}")
    steps = [*strange, *_steps(talk)]
    names = {step.action.name or "" for step in steps if isinstance(step, ImportedStep)}
    if not names:
        raise InputError("tool results without any call: there is no action")
    environment = known.environment(row)
    domain = _domain(names)
    losses = _LOSSES + (() if environment.tools else (Lossiness.NO_TOOL_SCHEMAS,))
    if domain in (Domain.SWE, Domain.TERMINAL):
        _note_exits(steps)
    return Imported(
        locator=locator,
        domain=domain,
        environment=environment,
        policy=known.policy(as_str(row.get("model")) or as_str(row.get("model_name"))),
        steps=steps,
        task=_task(row, talk),
        lossiness=losses,
        licence=as_str(row.get("license")) or as_str(row.get("licence")),
        end=_COMPLETED
        if row.get("reward") is None
        else End(status=EndStatus.COMPLETED, reward=as_float(row["reward"])),
        extra=_extra(row),
    )


def _read(items: list[Any]) -> tuple[list[_chat.Message], list[Orphan]]:
    talk, strange = [], []
    for number, item in enumerate(items):
        message = _chat.message(item, f"/{number}")
        if message is None:
            strange.append(Orphan("unknown_record", {"message": number}))
        else:
            talk.append(message)
    return talk, strange


def _note_exits(steps: list[ImportedStep | Orphan]) -> None:
    for step in steps:
        if isinstance(step, ImportedStep) and step.outcome.exit_code is None:
            step.lossiness += (Lossiness.NO_EXIT_CODE,)


def _tools(row: dict[str, Any]) -> tuple[Tool, ...]:
    for key in _TOOLS:
        if not row.get(key):
            continue
        items = as_list(_chat.decoded(row[key]))
        plain = [_plain_tool(item) for item in items]
        tools = tools_of(plain)
        if tools:
            return tools
    return ()


def _plain_tool(item: Any) -> Any:
    """Bring the shapes of Qwen's agents and of MCP to OpenAI's."""
    if not isinstance(item, dict) or "function" in item:
        return item
    return {
        "name": item.get("name_for_model") or item.get("name"),
        "description": item.get("description_for_model") or item.get("description"),
        "parameters": item.get("parameters") or item.get("input_schema") or item.get("inputSchema"),
    }


def _domain(names: set[str]) -> Domain:
    short = {name.lower() for name in names}
    if short <= _SHELLS:
        return Domain.TERMINAL
    if short & _CODING:
        return Domain.SWE
    return Domain.SEARCH if short <= _SEARCH else Domain.MCP


def _task(row: dict[str, Any], talk: list[_chat.Message]) -> Task | None:
    told = next((row[key] for key in _IDS if isinstance(row.get(key), (str, int)) and row[key] not in ("", True)), None)
    first = next((message.text for message in talk if message.role == "user" and message.text), "")
    if "<tools>" in first:
        first = first.rpartition("\n\nUser: ")[2]
    answer = next((row[key] for key in ("answer", "gold_answer", "reference") if row.get(key)), None)
    reference = answer if isinstance(answer, str) or answer is None else canonical_json(answer)
    if told is None and not first:
        return None
    return Task(id="" if told is None else str(told), instruction=first, reference=reference)


def _extra(row: dict[str, Any]) -> dict[str, Any]:
    fields = kept({key: value for key, value in row.items() if key not in _FIELDS})
    return {key: value for key, value in fields.items() if _short(value)}


def _short(value: Any) -> bool:
    if isinstance(value, str):
        return len(value) <= _LONGEST_EXTRA
    return not isinstance(value, (dict, list)) or len(canonical_json(value)) <= _LONGEST_EXTRA


def _steps(talk: list[_chat.Message]) -> Iterator[ImportedStep | Orphan]:
    """Give a step for each call; results belong to the calls of the turn before them, never to an earlier one."""
    turn: _chat.Message | None = None
    results: list[_chat.Result] = []
    number = 0
    for message in [*talk, None]:
        if message is not None and not message.calls and message.results:
            results += message.results
            if message.text:
                yield _said(message)
            continue
        if message is not None and message.loose and turn is not None and turn.loose and not results:
            turn.calls += message.calls
            continue
        ends = message is None or bool(message.calls) or message.role == "user"
        if ends and turn is not None:
            yield from _turn(turn, results, number, last=message is None)
            turn, results, number = None, [], number + 1
        if ends:
            yield from (_orphan(result) for result in results)
            results = []
        if message is None:
            break
        if message.calls:
            turn, results = message, list(message.results)
        elif message.role == "assistant" or (message.role == "user" and number):
            yield _said(message)


def _said(message: _chat.Message) -> Orphan:
    return Orphan("message", {"role": message.role, "at": message.where, "text": message.text})


def _orphan(result: _chat.Result) -> Orphan:
    return Orphan("orphan_result", {"id": result.id, "name": result.name, "text": result.text})


def _turn(
    turn: _chat.Message, results: list[_chat.Result], number: int, *, last: bool
) -> Iterator[ImportedStep | Orphan]:
    if len(turn.calls) == 1 and len(results) == 1 and results[0].id == turn.calls[0].id is not None:
        yield _step(turn.calls[0], results[0], turn, None, tail=False)
        return
    names = {call.name for call in turn.calls}
    strangers = [result for result in results if result.id is None and result.name not in (None, *names)]
    usable = [result for result in results if result not in strangers]
    paired = pair([call.id for call in turn.calls], [(result.id, result) for result in usable])
    if paired.shared is None and not any(call.id for call in turn.calls) and any(result.id for result in usable):
        paired = pair([None] * len(turn.calls), [(None, result) for result in usable])
    size = len(turn.calls)
    for index, call in enumerate(turn.calls):
        own: _chat.Result | None = paired.own[index]
        shared = paired.shared is not None and size > 1
        if paired.shared is not None and index == size - 1:
            own = paired.shared
        batch = Batch(id=f"turn-{number}", index=index, size=size, shared=shared) if size > 1 else None
        yield _step(call, own, turn, batch, tail=last and own is None and not shared)
    yield from (_orphan(result) for result in (*paired.orphans, *strangers))


def _step(
    call: _chat.Call, result: _chat.Result | None, turn: _chat.Message, batch: Batch | None, *, tail: bool
) -> ImportedStep:
    losses: tuple[Lossiness, ...] = (Lossiness.TAIL_MISSING,) if tail else ()
    if batch is not None and batch.shared:
        losses += (Lossiness.OBS_SHARED_BY_BATCH,)
    if result is not None and result.cut:
        losses += (Lossiness.TRUNCATED_NO_FULL,)
    first = batch is None or batch.index == 0
    return ImportedStep(
        action=tool_call(call.name, call.arguments, raw=call.raw, batch=batch),
        observation=None if result is None else result.text,
        outcome=_outcome(result),
        shown=None if result is None else result.shown,
        lossiness=losses,
        thoughts=thoughts_of(reasoning=turn.reasoning, text=turn.text) if first else (),
        locator=turn.where,
    )


def _outcome(result: _chat.Result | None) -> Outcome:
    if result is None:
        return _UNKNOWN
    if result.exit_code is not None:
        status = Status.OK if result.exit_code == 0 else Status.TOOL_ERROR
        known = result.exit_code >= 0
        return Outcome(status=status, exit_code=result.exit_code if known else None)
    if result.error or result.text.endswith(" isError=True"):
        return Outcome(status=Status.TOOL_ERROR, error=ErrorInfo(type="tool"))
    return _OK
