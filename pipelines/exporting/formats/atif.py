"""ATIF 1.7: one document for each trajectory, one step for each model turn."""

from __future__ import annotations

from typing import Any, BinaryIO, ClassVar

from worldtape.collectors.importers._ours import MEMBER, act, say
from worldtape.pipelines.exporting import _ours as ours
from worldtape.pipelines.exporting._json import dump
from worldtape.pipelines.exporting._times import iso
from worldtape.pipelines.exporting._tools import definitions
from worldtape.schemas import Domain, Episode

Row = ours.Row
_NO_MODEL = frozenset({"script", "explore", "human", "replay"})
"""Policies that ask no model."""


class Atif:
    """Writes what Harbor's tools read; the columns that ATIF has no field for stand under `extra.worldtape`."""

    name: ClassVar[str] = "atif"
    title: ClassVar[str] = "ATIF trajectories"
    version: ClassVar[str] = "1.7"
    domains: ClassVar[tuple[Domain, ...]] = tuple(Domain)
    suffix: ClassVar[str] = ".json"
    lines: ClassVar[bool] = False
    loses: ClassVar[tuple[str, ...]] = ours.LOSES

    def unfit(self, episode: Episode) -> str | None:
        """Refuse what has no transition: a document has at least one step."""
        return None if episode.transitions else "no transition"

    def write(self, episode: Episode, out: BinaryIO) -> None:
        """Write the document."""
        row = episode.trajectory
        steps = [_turn(turn) for turn in ours.batches(episode.transitions)]
        if row["instruction"]:
            steps.insert(0, {"source": "user", "message": row["instruction"]})
        if row["policy_kind"] in _NO_MODEL:
            steps = [step | ({"llm_call_count": 0} if step["source"] == "agent" else {}) for step in steps]
        document = {
            "schema_version": f"ATIF-v{self.version}",
            "session_id": row["trajectory_id"],
            "trajectory_id": row["trajectory_id"],
            "agent": _agent(row),
            "steps": [{"step_id": number, **step} for number, step in enumerate(steps, 1)],
            "final_metrics": {"total_steps": len(steps)},
            "extra": {MEMBER: ours.head(row)},
        }
        out.write(dump(document))


def _agent(row: Row) -> dict[str, Any]:
    parameters = (ours.column(row, "policy") or {}).get("parameters") or {}
    agent = {
        "name": str(parameters.get("agent") or row["policy_kind"] or "unknown"),
        "version": str(parameters.get("agent_version") or "unknown"),
        "model_name": row["policy_model"],
        "tool_definitions": definitions(row) or None,
    }
    return {key: value for key, value in agent.items() if value is not None}


def _turn(rows: list[Row]) -> dict[str, Any]:
    """Return the step of one model turn: its calls, and their answers by the calls' ids."""
    words = rows[0]["action_kind"] == "message"
    calls, results, beside = [], [], []
    for row in rows:
        content = ours.answer(row)
        if words:
            action, source = say(row["action_text"]), {}
        else:
            function, arguments = ours.call(row)
            source = {"source_call_id": ours.key(row)}
            calls.append({"tool_call_id": ours.key(row), "function_name": function, "arguments": arguments})
            action = act(function, arguments)
        beside.append(ours.beside(row, action, content))
        if content is not None:
            results.append({**source, "content": content})
    started = rows[0]["started_at"]
    return {
        **({} if started is None else {"timestamp": iso(started)}),
        "source": "agent",
        "message": rows[0]["action_text"] if words else "",
        **({"tool_calls": calls} if calls else {}),
        **({"observation": {"results": results}} if results else {}),
        "extra": {MEMBER: beside},
    }
