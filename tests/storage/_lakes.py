"""Rows, tapes and lakes for the tests of this room."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

import pyarrow as pa

from worldtape.schemas import Domain, End, EndStatus, EnvironmentSpec, EventKind, Header, PolicySpec
from worldtape.schemas.columns import NOTE_KEY, TRAJECTORIES, TRANSITIONS, arrow_table
from worldtape.storage import Lake, TapeWriter, part_id


def trajectory(trajectory_id: str, steps: int = 3, *, domain: str = "terminal", **more: Any) -> dict[str, Any]:
    """Return a nested row of `trajectories`."""
    row = {
        "trajectory_id": trajectory_id,
        "schema_version": "1.0",
        "domain": domain,
        "environment": {"kind": domain, "backend": "local", "tools": []},
        "task": {"id": "files/count", "instruction": "Count the files.", "tags": ["files"]},
        "policy": {"kind": "script", "parameters": {}},
        "source": {"kind": "recorded"},
        "initial": {"text": "$ ", "renderer": {"name": "terminal.screen"}},
        "transitions": steps,
        "end_status": "completed",
        "started_at": 1_764_583_200_000_000,
    }
    return row | more


def transition(trajectory_id: str, step: int, *, domain: str = "terminal", text: str | None = None) -> dict[str, Any]:
    """Return a nested row of `transitions`; every third step fails."""
    failed = step % 3 == 2
    return {
        "transition_id": f"{trajectory_id}:{step}",
        "trajectory_id": trajectory_id,
        "step": step,
        "domain": domain,
        "action": {"kind": "keystrokes", "text": f"step {step}\n", "actor": "agent"},
        "observation": {
            "text": f"{trajectory_id} saw {step}\n$ " if text is None else text,
            "renderer": {"name": "terminal.screen", "version": "1", "parameters": {"cols": 80}},
            "parts": [{"channel": "pty", "media_type": "text/plain", "text": f"{step}", "bytes": 1}],
            "settled_by": "prompt",
        },
        "outcome": {"status": "tool_error" if failed else "ok", "exit_code": int(failed), "exit_codes": [int(failed)]},
        "timing": {"started_at": 1_764_583_200_000_000 + step, "duration_ms": 1.5},
        "state_after": {"cwd": "/"},
        "lossiness": ["merged_streams"],
    }


def tables(ids: Iterable[str], steps: int = 3, *, domain: str = "terminal") -> tuple[pa.Table, pa.Table]:
    """Return both tables of some trajectories."""
    ids = list(ids)
    return (
        arrow_table(TRAJECTORIES, [trajectory(i, steps, domain=domain) for i in ids]),
        arrow_table(TRANSITIONS, [transition(i, step, domain=domain) for i in ids for step in range(steps)]),
    )


def write(lake: Lake, ids: Sequence[str], steps: int = 3, *, domain: str = "terminal") -> str:
    """Write one part and return its id."""
    name = part_id(ids)
    lake.write_part(domain, name, *tables(ids, steps, domain=domain))
    return name


def note(ids: Iterable[str], *, evidence: str | None = None, keep: bool = True) -> pa.Table:
    """Return a note with one row per trajectory."""
    rows = [{"trajectory_id": i, "step": None} for i in ids]
    table = arrow_table(NOTE_KEY, rows)
    table = table.append_column("keep", pa.array([keep] * len(rows)))
    return table.append_column("evidence", pa.array([evidence] * len(rows), type=pa.large_string()))


def tape(lake: Lake, trajectory_id: str, *, blob: bytes | None = None, sealed: bool = True) -> None:
    """Write a short tape."""
    header = Header(
        trajectory_id=trajectory_id,
        domain=Domain.TERMINAL,
        environment=EnvironmentSpec(kind="terminal"),
        policy=PolicySpec(kind="script"),
    )
    with TapeWriter.create(lake.store.root, header, durability="none") as writer:
        writer("pty", f"{trajectory_id}\n".encode(), 1)
        if blob is not None:
            writer.append(EventKind.DATA, {"channel": "pty", "blob": writer.blob(blob), "bytes": len(blob)})
        if sealed:
            writer.seal(End(status=EndStatus.COMPLETED))


def files(root: Path | str) -> dict[str, bytes]:
    """Return every file below `root` with its bytes."""
    root = Path(root)
    return {str(path.relative_to(root)): path.read_bytes() for path in sorted(root.rglob("*")) if path.is_file()}


def rows(lake: Lake, table: str = "transitions") -> list[tuple[str, int]]:
    """Return what the rows of a table speak of, sorted."""
    key = "step" if table == "transitions" else "transitions"
    found = [row for part in lake.parts(table) for row in lake.read(part, ["trajectory_id", key]).rows()]
    return sorted(found)
