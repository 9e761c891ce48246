"""Run directories of Terminal-Bench: `results.json` of a trial, and the recording beside it."""

from __future__ import annotations

import re
from collections import deque
from collections.abc import Iterator
from itertools import chain
from typing import Any, ClassVar

from worldtape.collectors.importers import _cast, _keys
from worldtape.collectors.importers._head import first_value
from worldtape.collectors.importers._json import document
from worldtape.collectors.importers._values import as_dict, as_str, kept, micros
from worldtape.errors import InputError
from worldtape.schemas import (
    Domain,
    End,
    EndStatus,
    Imported,
    ImportedStep,
    Lossiness,
    Orphan,
    Rejected,
    Renderer,
    SourceFile,
    Task,
)

BENCHMARK = "Terminal-Bench"
_DONE = "; tmux wait -S done"
"""What the harness appends to a command that it waits for."""
_HARNESS = re.compile(
    r"\A\s*(?:clear|asciinema rec .*|tmux .*|(?:source|bash|sh|\.) /(?:tests|installed-agent)/.*)\s*\Z"
)
_INSTALLED = "/installed-agent/"
_LIMITS = frozenset({"agent_timeout", "test_timeout", "context_length_exceeded", "output_length_exceeded"})
_FAILED = frozenset({"agent_installation_failed", "unknown_agent_error", "fatal_llm_parse_error", "parse_error"})


class TerminalBench:
    """A trial is a trajectory; what was sent to the terminal and the screen before the next input are a transition."""

    name: ClassVar[str] = "terminal-bench"
    title: ClassVar[str] = "Terminal-Bench runs"
    versions: ClassVar[str] = "0.2"
    domains: ClassVar[tuple[Domain, ...]] = (Domain.TERMINAL,)
    lossiness: ClassVar[tuple[Lossiness, ...]] = _cast.LOSSINESS

    def sniff(self, source: SourceFile) -> bool:
        """Look for the results of one trial, or of a whole run."""
        value = first_value(source) if source.head.lstrip()[:1] == b"{" else None
        if not isinstance(value, dict):
            return False
        results = value.get("results")
        if isinstance(results, list):
            return bool(results) and _is_trial(results[0])
        return _is_trial(value)

    def read(self, source: SourceFile) -> Iterator[Imported | Rejected]:
        """Give the trajectory of a trial.

        Raises:
            InputError: results of a whole run, no recording beside them, or a recording without input.
        """
        told = as_dict(document(source))
        if isinstance(told.get("results"), list):
            raise InputError("the results of a whole run: its trials' own results.json are read", where=source.name)
        recording = source.sibling("sessions/agent.cast")
        if recording is None:
            raise InputError("no sessions/agent.cast beside it: results only, nobody's actions", where=source.name)
        cast = _cast.head(recording)
        if not _cast.has_input(recording, cast):
            raise InputError("the recording has no input events: actions have no times", where=recording.name)
        yield _trajectory(source, told, recording, cast)


def _is_trial(value: Any) -> bool:
    return isinstance(value, dict) and "is_resolved" in value and "task_id" in value and "failure_mode" in value


def _trajectory(source: SourceFile, told: dict[str, Any], recording: SourceFile, cast: _cast.Cast) -> Imported:
    commands = source.sibling("commands.txt")
    sends = [] if commands is None else list(_keys.sends(commands))
    installed = any(item is not None and any(_INSTALLED in part for part in item) for item in sends)
    tail: dict[str, Any] = {}
    stray = [Orphan("bad_line", {"file": "commands.txt"}) for item in sends if item is None]
    stream = _bursts(_cast.events(recording, cast), cast, [item for item in sends if item is not None], tail)

    def make(burst: _cast.Burst, renderer: Renderer, until: int) -> ImportedStep:
        return _step(burst, cast, renderer, until, installed=installed)

    made = _cast.imported(cast, chain(stray, stream), tail, make)
    made.task = Task(
        id=as_str(told.get("task_id")) or "", instruction=as_str(told.get("instruction")) or "", benchmark=BENCHMARK
    )
    made.started_at = cast.started_at if cast.started_at is not None else micros(told.get("agent_started_at"))
    made.end = _end(told)
    made.extra = kept(told, "task_id", "instruction", "recording_path") | {"installed_agent": installed}
    return made


def _end(told: dict[str, Any]) -> End:
    solved, mode = told.get("is_resolved"), told.get("failure_mode")
    status = EndStatus.COMPLETED
    if isinstance(mode, str):
        status = EndStatus.LIMIT if mode in _LIMITS else EndStatus.FAILED if mode in _FAILED else status
    reward = float(solved) if isinstance(solved, bool) else None
    return End(status=status, reason=as_str(mode), reward=reward)


def _bursts(
    events: Iterator[_cast.Event | Orphan], cast: _cast.Cast, sends: list[tuple[str, ...]], tail: dict[str, Any]
) -> Iterator[_cast.Burst | Orphan]:
    """Cut the input where `commands.txt` says that one sending ended and the next began.

    Where the input is not what was sent (or there is no such file), pauses and answers cut it as in any recording.
    """
    waiting = deque(text for item in sends if (text := _keys.typed(item)))
    burst = _cast.Burst(0, "", data=[cast.size])
    for event in events:
        if isinstance(event, Orphan):
            yield event
            continue
        tail["at"] = event.at
        if event.code == "i" and _begins(burst, event, waiting):
            yield burst
            burst = _cast.Burst(event.at, event.locator)
        trouble = _cast.take(burst, event, tail, marked=False)
        if trouble is not None:
            yield trouble
    yield burst


def _begins(burst: _cast.Burst, event: _cast.Event, waiting: deque[str]) -> bool:
    if not burst.locator:
        _skip_to(event.data, waiting)
        return True
    if waiting:
        sent = _expected(burst.keys, waiting)
        if sent == burst.keys:
            waiting.popleft()
            _skip_to(event.data, waiting)
            return True
        if sent is not None and sent.startswith(burst.keys + event.data):
            return False
    return burst.ended_by(event, marked=False)


def _expected(keys: str, waiting: deque[str]) -> str | None:
    """Return how the sending under way looks on the wire: as it is told, or with the harness's wait behind it."""
    plain = waiting[0]
    waited = plain.removesuffix("\r") + _DONE + "\r"
    return next((text for text in (plain, waited) if text.startswith(keys)), None)


def _skip_to(first: str, waiting: deque[str]) -> None:
    """Pass over sendings that this terminal never saw: they went to another session, or before the recording."""
    for number, text in enumerate(waiting):
        if text.startswith(first) or (text.removesuffix("\r") + _DONE + "\r").startswith(first):
            for _ in range(number):
                waiting.popleft()
            return


def _step(burst: _cast.Burst, cast: _cast.Cast, renderer: Renderer, until: int, *, installed: bool) -> ImportedStep:
    """Make a transition; the harness's own input and the launch of an installed agent are the harness's actions."""
    made = _cast.step(burst, cast, renderer, until)
    keys = burst.keys.replace(_DONE, "")
    actor = "harness" if installed or _HARNESS.match(keys.strip("\r\n")) else "agent"
    made.action = _cast.keys_action(burst, made.action.wait_s or 0.0, actor=actor, keys=keys)
    return made
