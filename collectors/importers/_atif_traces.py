"""Harbor's `traces.json`: conversations of which each contains the ones before it."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from worldtape.collectors.importers._atif_steps import Steps
from worldtape.collectors.importers._terminus import opening
from worldtape.collectors.importers._values import as_list, as_str, kept, text_of
from worldtape.schemas import (
    Domain,
    End,
    EndStatus,
    EnvironmentSpec,
    Imported,
    Lossiness,
    Orphan,
    PolicySpec,
    SourceFile,
    Task,
)

_KEY = ("agent", "model", "task", "run_id", "trial_name")
_MEMBERS = {"conversations", "agent", "episode", "trial_name", "task"}


def is_trace(value: dict[str, Any]) -> bool:
    """Tell a record of `traces.json`."""
    return value.keys() >= _MEMBERS and isinstance(value["conversations"], list)


class Traces:
    """Holds the conversations of one trial until the next trial begins, and gives the longest of them."""

    def __init__(self, source: SourceFile) -> None:
        self._source = source
        self._key: tuple[Any, ...] | None = None
        self._held: list[tuple[str, dict[str, Any]]] = []

    def add(self, locator: str, value: dict[str, Any]) -> Iterator[Imported]:
        """Take one record; give what is complete."""
        key = tuple(str(value.get(name)) for name in _KEY)
        if key != self._key:
            yield from self.rest()
            self._key = key
        kept_ones = []
        for place, other in self._held:
            if _prefix(value["conversations"], other["conversations"]):
                other.setdefault("\x00copies", []).append(locator)
                return
            if _prefix(other["conversations"], value["conversations"]):
                value.setdefault("\x00copies", []).extend([*other.get("\x00copies", []), place])
            else:
                kept_ones.append((place, other))
        self._held = [*kept_ones, (locator, value)]

    def rest(self) -> Iterator[Imported]:
        """Give what is held."""
        held, self._held = self._held, []
        for locator, value in held:
            yield _imported(locator, value)


def _prefix(short: list[Any], long: list[Any]) -> bool:
    return len(short) <= len(long) and long[: len(short)] == short


def _imported(locator: str, value: dict[str, Any]) -> Imported:
    turns = [turn for turn in as_list(value.get("conversations")) if isinstance(turn, dict)]
    copies = value.get("\x00copies", [])
    users = [text_of(turn.get("content")) for turn in turns if turn.get("role") == "user"]
    first = users[0] if users else None
    instruction, initial, rendering = opening(first or "")
    task = as_str(value.get("task"))
    extra = kept(value, "conversations", "\x00copies") | ({"initial_rendering": rendering} if rendering else {})
    codes = [Lossiness.NO_ENV_IMAGE, Lossiness.NO_EXIT_CODE, Lossiness.NO_PROBES, Lossiness.NO_TOOL_SCHEMAS]
    codes += [Lossiness.MERGED_STREAMS] + ([] if initial is not None else [Lossiness.NO_INITIAL_STATE])
    return Imported(
        locator=locator,
        domain=Domain.TERMINAL,
        environment=EnvironmentSpec(kind="terminal"),
        policy=PolicySpec(kind="imported", model=as_str(value.get("model"))),
        steps=_steps(turns, copies),
        task=Task(id=task or "unknown", instruction=instruction or first or ""),
        initial=initial,
        lossiness=tuple(codes),
        end=End(status=EndStatus.COMPLETED, reason=as_str(value.get("result"))),
        extra=extra,
    )


def _steps(turns: list[dict[str, Any]], copies: list[str]) -> Iterator[Any]:
    """Read a reply and the text after it as one step of an ATIF document that has no calls of its own."""
    steps: list[dict[str, Any]] = []
    for turn in turns:
        text = text_of(turn.get("content"))
        last = steps[-1] if steps else None
        if turn.get("role") == "assistant":
            steps.append({"source": "agent", "message": text})
        elif last and last["source"] == "agent" and "observation" not in last and turn.get("role") == "user":
            last["observation"] = {"results": [{"content": text}]}
        else:
            steps.append({"source": str(turn.get("role")), "message": text})
    yield from Steps([("", {"steps": steps})], "", terminal=True)
    if copies:
        yield Orphan("copied_context", {"conversations": copies})


__all__ = ["Traces", "is_trace"]
