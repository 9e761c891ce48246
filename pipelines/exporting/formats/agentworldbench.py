"""AgentWorldBench rows (recipe 8): a line for each turn that is asked for, with all turns up to it."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, BinaryIO, ClassVar

from worldtape.collectors.importers._ours import MEMBER, typed
from worldtape.pipelines.build import _templates as templates
from worldtape.pipelines.build._text import action_block, asked, observation_text, predictable, user_text
from worldtape.pipelines.exporting import _ours as ours
from worldtape.pipelines.exporting._json import dump
from worldtape.schemas import Domain, Episode, Status, canonical_json

Row = ours.Row


class AgentWorldBench:
    """Writes the benchmark's fields and, as a text, `worldtape`; the system prompt is one of our SFT templates."""

    name: ClassVar[str] = "agentworldbench"
    title: ClassVar[str] = "AgentWorldBench rows"
    version: ClassVar[str] = "2026"
    domains: ClassVar[tuple[Domain, ...]] = tuple(Domain)
    suffix: ClassVar[str] = ".jsonl"
    lines: ClassVar[bool] = True
    loses: ClassVar[tuple[str, ...]] = ours.LOSES

    def unfit(self, episode: Episode) -> str | None:
        """Refuse what has no turn that could be asked for."""
        return None if _standing(episode) else "no observation"

    def write(self, episode: Episode, out: BinaryIO) -> int:
        """Write a line for each turn that can be asked for, and return how many turns stand in the last of them."""
        head, rows = episode.trajectory, _standing(episode)
        prompts, responses = list(_prompts(episode)), [observation_text(row["observation_text"]) for row in rows]
        system = _system(head, rows)
        unasked: list[dict[str, Any]] = []
        for number, row in enumerate(rows):
            if not predictable(row["observation_text"]):
                unasked.append(_beside(row))
                continue
            told = ours.head(head) | {"transition": _beside(row)} | ({"unasked": unasked} if unasked else {})
            unasked = []
            line = {
                "task": head["domain"],
                "id": head["trajectory_id"],
                "prompt": [*prompts[:number], asked(prompts[number])],
                "response": responses[: number + 1],
                "current_prompt": prompts[number],
                "system_str": system,
                "turn_idx": number + 1,
                "total_turns": len(rows),
                MEMBER: canonical_json(told),
            }
            out.write(dump(line) + b"\n")
        return len(rows)


def _standing(episode: Episode) -> list[Row]:
    """Return the turns that have a place: those that can be shown, up to the last that can be asked for."""
    rows = [row for row in episode.transitions if _usable(row)]
    while rows and not predictable(rows[-1]["observation_text"]):
        rows.pop()
    return rows


def _usable(row: Row) -> bool:
    answered = row["observation_text"] is not None and row["status"] != Status.INFRA_ERROR
    return bool(answered and row["action_text"])


def _beside(row: Row) -> dict[str, Any]:
    """Return the columns that the row's texts do not tell; these hold the observation, not what was shown."""
    bare = {**row, "shown_text": None}
    shown = {} if row["shown_text"] is None else {"shown_text": row["shown_text"]}
    return ours.beside(bare, typed(row["action_text"]), row["observation_text"]) | shown


def _prompts(episode: Episode) -> Iterator[str]:
    """Yield the user turns; the first carries the state before it, and so does one behind a turn that was left out."""
    state, number, broken = episode.trajectory["initial_text"], 0, True
    steady = _steady(_standing(episode))
    for row in episode.transitions:
        if _usable(row):
            number += 1
            fault = None if steady else (ours.column(row, "fault") or {}).get("instruction")
            block = action_block(row["action_kind"], row["action_text"])
            yield user_text(number, block, control=fault, state=state if broken else None)
        broken = not _usable(row)
        state = None if row["status"] == Status.INFRA_ERROR else row["observation_text"]


def _steady(rows: list[Row]) -> str | None:
    """Return the control instruction that holds for every turn, or null."""
    told = {(ours.column(row, "fault") or {}).get("instruction") for row in rows}
    return told.pop() if len(told) == 1 else None


def _system(head: Row, rows: list[Row]) -> str:
    """Return the system prompt; every row of a domain has the same template."""
    parameters = (ours.column(head, "environment") or {}).get("parameters")
    renderers = dict.fromkeys(f"{row['renderer']}@{row['renderer_version']}" for row in rows)
    return templates.render(
        templates.variants(head["domain"], "sft")[0],
        initial_state=head["initial_state"],
        simulation_instruction=_steady(rows),
        parameters=parameters or {},
        renderer=",".join(renderers),
        tools=ours.column(head, "tools") or (),
    )
