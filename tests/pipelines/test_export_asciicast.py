"""A terminal's tape as a recording of asciinema."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from tests.collectors.importers._files import Bytes, jsonl
from tests.collectors.importers._fuzz import survives
from tests.pipelines.lakes import Written
from worldtape import export, import_files, project, query
from worldtape.collectors.importers.asciicast import Asciicast
from worldtape.collectors.renderers import make_renderer
from worldtape.errors import VersionError
from worldtape.schemas import Action, EventKind, Imported, ImportedStep, Rendering

SIZE = b'{"cols":20,"rows":5}\n'
LS = '[{"keystrokes": "ls\\n", "duration": 0.5}]'


class Tape(Written):
    """Bytes as they come, observed by a real screen."""

    def __init__(self, lake: Path, **fields: Any) -> None:
        super().__init__(lake, "one", **fields)
        self.rendering = Rendering(name="terminal.screen", version="1", parameters={"cols": 20, "rows": 5})
        self.renderer = make_renderer(self.rendering)
        self.bytes("pty.size", SIZE)

    def bytes(self, channel: str, data: bytes, *, observed: bool = True) -> None:
        self.tape(channel, data, 0)
        if observed:
            self.received[channel] = self.received.get(channel, 0) + len(data)
            self.renderer.feed(channel, data)

    def sees(self, step: int | None) -> str:
        text = self.renderer.render()
        fields = {"received": dict(self.received), "renderer": self.rendering.to_dict(), "sha256": None}
        self.tape.append(EventKind.CAPTURED, fields | {"settled_by": "prompt"}, step=step)
        return text

    def begins(self) -> None:
        self.tape.append(EventKind.READY, {"environment": {"kind": "terminal"}})
        self.sees(None)

    def acts(self, step: int, text: str = LS, **fields: Any) -> None:
        action = Action(**{"kind": "keystrokes", "text": text} | fields)
        self.tape.append(EventKind.ACTION, action.to_dict(), step=step)

    def over(self, step: int, **outcome: Any) -> None:
        result = {"outcome": {"status": "ok"} | outcome, "timing": {"duration_ms": 1.25}, "lossiness": []}
        self.tape.append(EventKind.RESULT, result, step=step)


def exported(lake: Path) -> list[Any]:
    project(lake, workers=0)
    report = export(lake, lake.parent / "out", format="asciicast", workers=0)
    assert report.ok
    assert report.trajectories == 1, report.left_out
    (path,) = (lake.parent / "out").glob("*.cast")
    head, *events = map(json.loads, path.read_text().splitlines())
    times = [at for at, _, _ in events]
    assert times == sorted(times)
    return [head, *([code, data] for _, code, data in events)]


def back(folder: Path) -> list[dict[str, Any]]:
    report = import_files([folder / "out"], folder / "back")
    assert (report.total.trajectories, report.total.rejected) == (1, 0)
    project(folder / "back", workers=0)
    return rows(folder / "back")


def rows(lake: Path) -> list[dict[str, Any]]:
    names = "* EXCLUDE (trajectory_id, transition_id, extra, parts)"
    return list(query(lake, f"SELECT {names} FROM transitions ORDER BY step").to_pylist())


def test_events_stand_in_the_order_of_actions_and_observations(tmp_path: Path) -> None:
    tape = Tape(tmp_path / "lake")
    tape.bytes("pty", b"$ ")
    tape.begins()
    tape.acts(0)
    tape.bytes("pty.in", b"ls\n")
    tape.bytes("pty", "ls\r\nżółw\r\n$ ".encode())
    tape.sees(0)
    tape.over(0, exit_code=0)
    tape.seal()
    head, *events = exported(tmp_path / "lake")
    assert (head["version"], head["width"], head["height"]) == (2, 20, 5)
    assert isinstance(head["timestamp"], int)
    assert head["worldtape"]["trajectory"]["environment"]["kind"] == "terminal"
    assert [code for code, _ in events] == ["o", "m", "i", "o", "w"]
    assert [data for code, data in events if code != "w"] == ["$ ", LS, "ls\n", "ls\r\nżółw\r\n$ "]
    assert back(tmp_path) == rows(tmp_path / "lake")


def test_characters_cut_between_reads_are_joined_and_bad_bytes_replaced(tmp_path: Path) -> None:
    whole = "ż🐢".encode()
    tape = Tape(tmp_path / "lake")
    tape.begins()
    tape.acts(0)
    for number in range(len(whole)):
        tape.bytes("pty", whole[number : number + 1])
    tape.bytes("pty", b"\xff!" + whole[:1])
    tape.sees(0)
    tape.over(0)
    tape.acts(1)
    tape.bytes("pty", whole[1:])
    tape.sees(1)
    tape.over(1)
    tape.seal()
    _, *events = exported(tmp_path / "lake")
    assert [data for code, data in events if code == "o"] == ["ż", "🐢", "\ufffd!", "ż🐢"]
    read = back(tmp_path)
    assert [row["observation_text"] for row in read] == ["ż🐢\ufffd!", "ż🐢\ufffd!ż🐢"]
    assert [row["lossiness"] for row in read] == [["lossy_utf8"], []]


def test_output_that_no_observation_shows_stands_behind_the_next_marker(tmp_path: Path) -> None:
    tape = Tape(tmp_path / "lake")
    tape.begins()
    tape.acts(0)
    tape.bytes("pty", b"seen")
    tape.bytes("pty", b" late", observed=False)
    tape.sees(0)
    tape.received["pty"] += 5
    tape.renderer.feed("pty", b" late")
    tape.over(0)
    tape.acts(1)
    tape.bytes("pty", b" more")
    tape.sees(1)
    tape.over(1)
    tape.bytes("pty", b" nobody saw this", observed=False)
    tape.seal()
    _, *events = exported(tmp_path / "lake")
    assert [data if code != "w" else "" for code, data in events] == [LS, "seen", "", LS, " late", " more", ""]
    assert [row["observation_text"] for row in back(tmp_path)] == ["seen", "seen late more"]


def test_sizes_and_actions_that_are_no_keys(tmp_path: Path) -> None:
    tape = Tape(tmp_path / "lake")
    tape.bytes("pty", b"0123456789abcde")
    tape.begins()
    tape.acts(0, '{"cols": 10, "rows": 5}', kind="resize", name="resize", actor="harness", wait_s=2.5, timeout_s=9)
    tape.bytes("pty.size", b'{"cols":10,')
    tape.bytes("pty.size", b'"rows":5}\n{"cols":10,"rows":5}\n')
    tape.sees(0)
    tape.over(0, status="tool_error", exit_codes=[1, 2], error={"type": "exit", "message": "no"})
    tape.seal()
    _, *events = exported(tmp_path / "lake")
    assert [event for event in events if event[0] == "r"] == [["r", "10x5"]]
    (row,) = rows(tmp_path / "lake")
    assert (row["action_kind"], row["wait_s"], row["exit_codes"]) == ("resize", 2.5, [1, 2])
    assert back(tmp_path) == [row]


def test_a_step_without_an_observation_stays_without_one(tmp_path: Path) -> None:
    tape = Tape(tmp_path / "lake")
    tape.begins()
    tape.acts(0)
    tape.bytes("pty", b"lost", observed=False)
    tape.over(0, status="infra_error")
    tape.received["pty"] = 4
    tape.renderer.feed("pty", b"lost")
    tape.acts(1)
    tape.bytes("pty", b" found")
    tape.sees(1)
    tape.tape.close()
    exported(tmp_path / "lake")
    read = back(tmp_path)
    assert [row["observation_text"] for row in read] == [None, "lost found"]
    assert [row["status"] for row in read] == ["infra_error", "unknown"]
    assert read == rows(tmp_path / "lake")


def test_what_is_no_screen_is_left_out(tmp_path: Path) -> None:
    tape = Written(tmp_path / "lake")
    tape.ready()
    tape.tape.append(EventKind.ACTION, {"kind": "message", "text": "hello"}, step=0)
    tape.tape("text", b'"hi"\n', 0)
    renderer = {"name": "text.newest", "version": "1", "parameters": {"channel": "text"}}
    tape.tape.append(EventKind.CAPTURED, {"renderer": renderer, "received": {"text": 5}}, step=0)
    tape.seal()
    project(tmp_path / "lake", workers=0)
    report = export(tmp_path / "lake", tmp_path / "out", format="asciicast", workers=0)
    assert dict(report.left_out) == {"its observations are no screens of a terminal": 1}


def test_broken_versions_of_an_export_end_in_errors_of_ours(tmp_path: Path) -> None:
    tape = Tape(tmp_path / "lake")
    tape.begins()
    for step in range(3):
        tape.acts(step, f'[{{"keystrokes": "run {step}\\n"}}]')
        tape.bytes("pty.in", b"run\n")
        tape.bytes("pty", b"\x1b[2Jout %d\r\n" % step)
        tape.sees(step)
        tape.over(step, exit_code=step)
    tape.seal()
    exported(tmp_path / "lake")
    (path,) = (tmp_path / "out").glob("*.cast")
    survives(Asciicast, path.read_bytes())


def test_an_export_without_what_is_ours_is_read_as_anybodys(tmp_path: Path) -> None:
    tape = Tape(tmp_path / "lake")
    tape.begins()
    tape.acts(0, '[{"keystrokes": "q"}]')
    tape.bytes("pty.in", b"q")
    tape.bytes("pty", b"bye")
    tape.sees(0)
    tape.over(0, exit_code=3)
    tape.seal()
    head, *events = exported(tmp_path / "lake")
    bare: dict[str, Any] = {}
    for ours in (bare, head["worldtape"]):
        lines = [head | {"worldtape": ours}, *([1.0, code, data] for code, data in events if code != "w")]
        made = next(Asciicast().read(Bytes(jsonl(*lines))))
        assert isinstance(made, Imported)
        (step,) = (item for item in made.steps if isinstance(item, ImportedStep))
        assert (step.action.text, step.observation, step.outcome.exit_code) == ('[{"keystrokes": "q"}]', "bye", None)
    with pytest.raises(VersionError, match="version 2"):
        next(Asciicast().read(Bytes(jsonl(head | {"worldtape": head["worldtape"] | {"version": 2}}))))
