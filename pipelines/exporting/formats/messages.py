"""Chat rows with tools, as OpenAI's API has them: a line for each trajectory."""

from __future__ import annotations

from typing import Any, BinaryIO, ClassVar

from worldtape.collectors.importers._ours import MEMBER, act, say
from worldtape.pipelines.exporting import _ours as ours
from worldtape.pipelines.exporting._json import dump
from worldtape.pipelines.exporting._tools import definitions
from worldtape.schemas import Domain, Episode, canonical_json

Row = ours.Row


class Messages:
    """Writes `messages`, `tools` and, as a text, `worldtape`: Arrow would pad an object of varying shape."""

    name: ClassVar[str] = "messages"
    title: ClassVar[str] = "Chat rows with tools"
    version: ClassVar[str] = "OpenAI chat completions"
    domains: ClassVar[tuple[Domain, ...]] = tuple(Domain)
    suffix: ClassVar[str] = ".jsonl"
    lines: ClassVar[bool] = True
    loses: ClassVar[tuple[str, ...]] = ours.LOSES

    def unfit(self, episode: Episode) -> str | None:
        """Refuse what nothing was answered in: such a row is a prompt."""
        if not episode.transitions:
            return "no transition"
        return None if any(ours.answer(row) is not None for row in episode.transitions) else "no observation"

    def write(self, episode: Episode, out: BinaryIO) -> None:
        """Write the row."""
        row = episode.trajectory
        messages: list[dict[str, Any]] = []
        beside: list[dict[str, Any]] = []
        if row["instruction"]:
            messages.append({"role": "user", "content": row["instruction"]})
        for turn in ours.batches(episode.transitions):
            messages += _said(turn[0], beside) if turn[0]["action_kind"] == "message" else _called(turn, beside)
        told = ours.head(row) | {"transitions": beside}
        line = {"id": row["trajectory_id"], "messages": messages, "tools": definitions(row)}
        out.write(dump(line | {MEMBER: canonical_json(told)}) + b"\n")


def _said(row: Row, beside: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """Return words to somebody, and what they answered."""
    content = ours.answer(row)
    beside.append(ours.beside(row, say(row["action_text"]), content))
    answer = [] if content is None else [{"role": "user", "content": content}]
    return [{"role": "assistant", "content": row["action_text"]}, *answer]


def _called(rows: list[Row], beside: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """Return the calls of one model turn, and an answer for each call that has one."""
    calls: list[dict[str, Any]] = []
    answers: list[dict[str, Any]] = []
    for row in rows:
        name, arguments = ours.call(row)
        content = ours.answer(row)
        beside.append(ours.beside(row, act(name, arguments), content))
        key = ours.key(row)
        function = {"name": name, "arguments": dump(arguments).decode()}
        calls.append({"id": key, "type": "function", "function": function})
        if content is not None:
            answers.append({"role": "tool", "tool_call_id": key, "content": content})
    return [{"role": "assistant", "content": None, "tool_calls": calls}, *answers]
