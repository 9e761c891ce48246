"""Terminal recordings of asciinema."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from worldtape.collectors.importers.asciicast import Asciicast
from worldtape.collectors.renderers import make_renderer
from worldtape.errors import FormatError, InputError, VersionError
from worldtape.schemas import Imported, ImportedStep, Lossiness, Orphan

from ._files import Bytes, jsonl
from ._fuzz import fuzz

V2 = {"version": 2, "width": 40, "height": 6, "timestamp": 1764583200, "title": "t", "env": {"TERM": "xterm"}}
V3 = {"version": 3, "term": {"cols": 40, "rows": 6}, "timestamp": 1764583200}
EVENTS: list[list[Any]] = [
    [0.5, "o", "$ "],
    [1.0, "i", "l"],
    [1.1, "o", "l"],
    [1.2, "i", "s"],
    [1.3, "o", "s"],
    [1.4, "i", "\r"],
    [1.5, "o", "\r\na.py"],
    [1.6, "o", "\r\n$ "],
    [9.0, "i", "pwd\r"],
    [9.1, "o", "pwd\r\n"],
    [9.2, "o", "/srv\r\n$ "],
]


def read(source: Bytes) -> Imported:
    assert Asciicast().sniff(source)
    made = next(Asciicast().read(source))
    assert isinstance(made, Imported)
    return made


def parts(source: Bytes) -> tuple[list[ImportedStep], list[Orphan]]:
    items = list(read(source).steps)
    return [item for item in items if isinstance(item, ImportedStep)], [i for i in items if isinstance(i, Orphan)]


def keys(step: ImportedStep) -> str:
    return "".join(stroke["keystrokes"] for stroke in json.loads(step.action.arguments or "[]"))


def test_input_bursts_and_the_screen_before_the_next_one():
    made = read(Bytes(jsonl(V2, *EVENTS)))
    assert made.initial == "$"
    assert made.started_at == 1764583200_000_000
    assert made.environment.parameters == {"cols": 40, "rows": 6, "term": "xterm"}
    steps = [step for step in made.steps if isinstance(step, ImportedStep)]
    assert [keys(step) for step in steps] == ["ls\r", "pwd\r"]
    assert [step.observation for step in steps] == ["$ ls\na.py\n$", "$ ls\na.py\n$ pwd\n/srv\n$"]
    assert [step.action.wait_s for step in steps] == [8.0, 0.2]
    assert steps[0].timing.started_at == 1764583201_000_000
    assert steps[0].timing.first_output_at == 1764583201_100_000


def test_the_renderer_of_the_terminal_gives_the_same_text():
    made = read(Bytes(jsonl(V2, *EVENTS)))
    assert made.rendering is not None
    renderer = make_renderer(made.rendering)
    for channel, data in made.initial_data:
        renderer.feed(channel, data)
    assert renderer.render() == made.initial
    for step in made.steps:
        assert isinstance(step, ImportedStep)
        for channel, data in step.data:
            renderer.feed(channel, data)
        assert renderer.render() == step.observation


def test_version_3_has_intervals_comments_and_an_exit_status():
    intervals, now = [], 0.0
    for at, code, data in EVENTS:
        intervals.append([round(at - now, 6), code, data])
        now = at
    lines = jsonl(V3, *intervals, [0.1, "x", "0"]).replace(b"\n[1.0", b"\n# said\n\n[1.0")
    steps, orphans = parts(Bytes(lines))
    assert [keys(step) for step in steps] == ["ls\r", "pwd\r"]
    assert steps[0].timing.duration_ms == 8000
    assert steps[1].extra == {"session_exit": "0"}
    assert orphans == []


def test_version_1_has_no_input():
    with pytest.raises(InputError, match="no input events"):
        read(Bytes(json.dumps({"version": 1, "width": 80, "height": 24, "stdout": [[1.0, "x"]]}, indent=1)))


def test_times_that_run_backwards_are_held_and_told():
    events = [[2.0, "i", "a\r"], [1.5, "o", "x"], [1.75, "i", "b\r"], [3.0, "o", "y"]]
    steps, orphans = parts(Bytes(jsonl(V2, *events)))
    assert [step.timing.duration_ms for step in steps] == [0, 1000]
    assert [orphan.code for orphan in orphans] == ["time_backwards", "time_backwards"]


def test_sizes_markers_and_bad_events():
    events = [
        [0.1, "i", "x"],
        [0.2, "r", "10x2"],
        [0.3, "r", "-1x0"],
        [0.35, "r", "99999x99999"],
        [0.4, "m", "here"],
        [0.5, "z", "?"],
        [0.6, "o", True],
        ["now", "o", "x"],
        [0.7, "o", "0123456789abc\u0000\u001b[31m"],
    ]
    source = Bytes(jsonl(V2, *events) + b'lol!\n[0.8, "o", "d"]\n[0.9, "o')
    steps, orphans = parts(source)
    assert steps[0].observation == "0123456789\nabcd"
    codes = [orphan.code for orphan in orphans]
    assert codes == [
        "bad_event", "bad_event", "marker", "unknown_record", "bad_event", "bad_event", "bad_line", "truncated_source",
    ]  # fmt: skip


def test_sequences_and_characters_cut_anywhere_render_whole():
    events = [[1.0, "i", "x\r"], [1.1, "o", "\u001b[3"], [1.2, "o", "1mred\u001b"], [1.3, "o", "[0m ż"]]
    assert parts(Bytes(jsonl(V2, *events)))[0][0].observation == "red ż"


def test_bytes_that_were_lost_are_marked():
    source = Bytes(jsonl(V2, [1.0, "i", "a\r"], [1.1, "o", "\ud8c5"], [3.0, "i", "b\r"], [3.1, "o", "fine"]))
    assert [step.lossiness for step in parts(source)[0]] == [(Lossiness.LOSSY_UTF8,), ()]


def test_keys_typed_ahead_are_one_action_and_full_screen_programs_split():
    ahead = [
        [1.0, "i", "a\r"],
        [1.1, "i", "b\r"],
        [1.2, "o", "a\r\nb\r\n"],
        [1.3, "i", "q"],
        [1.4, "o", "\u001b[?1049l"],
    ]
    steps, _ = parts(Bytes(jsonl(V2, *ahead, [1.5, "i", "ls\r"], [1.6, "o", "f"])))
    assert [keys(step) for step in steps] == ["a\rb\r", "q", "ls\r"]


def test_our_own_markers_tell_where_actions_begin():
    text = '[{"keystrokes": "ls\\r", "duration": 1.5}]'
    events = [
        [0.1, "o", "$ "],
        [1.0, "m", text],
        [1.0, "i", "ls"],
        [1.1, "o", "ls\r\n"],
        [1.2, "i", "\r"],
        [2.0, "m", "[]"],
    ]
    steps, _ = parts(Bytes(jsonl(V2 | {"worldtape": {}}, *events, [2.1, "o", "end"])))
    assert [step.action.text for step in steps] == [text, "[]"]


@pytest.mark.parametrize(
    ("head", "error"),
    [
        ({"version": 4, "width": 1, "height": 1}, VersionError),
        (V2 | {"width": 0}, FormatError),
        (V2 | {"width": 10**9, "height": 10**9}, FormatError),
        ({"version": 3, "term": {"cols": "80", "rows": 24}}, FormatError),
    ],
)
def test_heads_that_are_refused(head: dict[str, Any], error: type[Exception]):
    with pytest.raises(error):
        read(Bytes(jsonl(head, *EVENTS)))


def test_a_recording_of_terminal_bench_comes_with_its_results():
    results = json.dumps({"task_id": "t", "is_resolved": True, "failure_mode": "unset"}).encode()
    with pytest.raises(InputError, match="Terminal-Bench"):
        read(Bytes(jsonl(V2, *EVENTS), "run/sessions/agent.cast", **{"../results.json": results}))


def test_broken_versions():
    fuzz(Asciicast, jsonl(V2, *EVENTS))
    fuzz(Asciicast, jsonl(V3, *EVENTS))


# grep -c '"i",' FILE for the input events; by eye for the bursts: each is answered by a new line
COUNTS = {"pl_markers-input.cast": 2, "srv_2_full.cast": 1, "srv_3_full.cast": 1}


@pytest.mark.shared
def test_real_files(shared_data: Path):
    files = sorted((shared_data / "cast").iterdir())
    assert len(files) == 14
    for path in files:
        source = Bytes(path.read_bytes(), path.name)
        if path.name in COUNTS:
            assert len(parts(source)[0]) == COUNTS[path.name]
        else:
            with pytest.raises(InputError, match="no input events"):
                read(source)
