"""Two processes share an import, and change no byte of it."""

from __future__ import annotations

import json
from pathlib import Path

from tests.pipelines.lakes import files
from worldtape import import_files, project
from worldtape.storage import find_tapes

SOURCES = 24
ROWS = 40


def chat(source: int, row: int) -> dict[str, object]:
    """Return a row of about 16 kB with two calls, one of them with an answer large enough for a blob now and then."""
    talk: list[dict[str, object]] = [{"role": "user", "content": f"{source}.{row}"}]
    for turn in range(2):
        call = {"name": "bash", "arguments": json.dumps({"command": f"echo {source} {row} {turn}"})}
        talk.append({"role": "assistant", "tool_calls": [{"id": f"c{turn}", "type": "function", "function": call}]})
        lines = 4000 if row == turn == 0 else 400
        text = "".join(f"{source} {row} {turn} {line}\n" for line in range(lines))
        talk.append({"role": "tool", "tool_call_id": f"c{turn}", "content": text})
    return {"messages": talk}


def write(folder: Path) -> None:
    folder.mkdir()
    for source in range(SOURCES):
        rows = [json.dumps(chat(source, row)) for row in range(ROWS)] + ["{cut"]
        (folder / f"{source:02}.jsonl").write_text("\n".join(rows))
    (folder / "alone.jsonl").write_text(json.dumps(chat(SOURCES, 1)) + "\n")
    (folder / "nothing.jsonl").write_text('{"messages": [{"role": "user", "content": "a prompt"}]}\n')


def test_each_worker_has_its_share_and_no_byte_depends_on_them(tmp_path: Path) -> None:
    write(tmp_path / "in")
    two = import_files([tmp_path / "in"], tmp_path / "two", workers=2)
    none = import_files([tmp_path / "in"], tmp_path / "none", workers=0)
    assert two.total.trajectories == SOURCES * ROWS + 1
    assert two.total.transitions == 2 * two.total.trajectories
    assert two.to_dict() | {"workers": None} == none.to_dict() | {"workers": None}
    assert len(two.workers) == 2
    assert two.workers.total() >= SOURCES
    assert min(two.workers.values()) >= 0.3 * two.workers.total()
    assert len(list(find_tapes(tmp_path / "two"))) == two.total.trajectories
    assert {path.suffix for path in (tmp_path / "two" / "tapes").rglob("*") if path.is_file()} == {".pack", ".zst"}
    project(tmp_path / "two", part_size=64, workers=2)
    project(tmp_path / "none", part_size=64, workers=0)
    written = files(tmp_path / "two", ".")
    assert len(written) > 3 * SOURCES
    assert written == files(tmp_path / "none", ".")
