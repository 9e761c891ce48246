"""Renderers of tool answers: pure folds over what is kept, however it is split."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from worldtape.collectors.renderers import make_renderer
from worldtape.collectors.swe.render import ClaudeResult, CliResult
from worldtape.collectors.swe.render.fold import ANSWER, CALL, FILE, STDERR, STDOUT, Fold
from worldtape.collectors.swe.render.output import shorten, span

Piece = tuple[str, bytes]


def line(channel: str, value: dict[str, Any]) -> Piece:
    """Return one line of a channel."""
    return channel, json.dumps(value).encode() + b"\n"


def call(tool: str, facts: dict[str, Any], *, arguments: dict[str, Any] | None = None, **kept: bytes) -> list[Piece]:
    """Return what a call leaves on its channels."""
    names = {"file": FILE, "out": STDOUT, "err": STDERR}
    said = [(names[name], data) for name, data in kept.items()]
    return [
        line(CALL, {"name": tool, "arguments": arguments or {}}),
        *said,
        line(ANSWER, {"tool": tool} | facts),
    ]


def shown(screen: Fold, pieces: list[Piece]) -> str:
    """Return what a renderer makes of pieces."""
    for channel, data in pieces:
        screen.feed(channel, data)
    return screen.render()


def ran(**facts: Any) -> dict[str, Any]:
    """Return the facts of a command."""
    known = {"op": "shell", "command": "make", "exit_code": 0, "signal": None, "timed_out": False, "timeout_ms": 1000}
    return known | {"background": [], "failure": None, "log": None, "directory": None} | facts


STORY = [
    *call(
        "read_file",
        {"op": "read", "path": "/w/a", "offset": 0, "limit": None},
        file=b"a\xe2\x82\xac\r\nb\xff",
    ),
    *call("run_shell_command", ran(exit_code=2), out="läuft\n".encode()),
    *call("glob", {"op": "glob", "path": "/w", "pattern": "*", "files": ["/w/a", "/w/b"], "ignored": 1}),
    *call("edit", {"error": "file_not_found", "path": "/w/x"}),
]


@given(st.data())
def test_bytes_may_be_split_anywhere(data: st.DataObject) -> None:
    whole, split = CliResult(), CliResult()
    for channel, piece in STORY:
        whole.feed(channel, piece)
        cuts = sorted(data.draw(st.lists(st.integers(0, len(piece)), max_size=4)))
        for start, end in zip([0, *cuts], [*cuts, len(piece)], strict=True):
            split.feed(channel, piece[start:end])
        assert split.render() == whole.render()


@pytest.mark.parametrize(
    "screen", [CliResult(), ClaudeResult(), CliResult(lines=5, page_chars=9, output_chars=99, files=2)]
)
def test_a_projection_makes_the_same_renderer(screen: Fold) -> None:
    assert make_renderer(screen.rendering).rendering == screen.rendering


def test_nothing_is_shown_before_an_answer_and_nothing_of_the_last_call() -> None:
    screen = CliResult()
    assert screen.render() == ""
    screen.feed("swe.other", b"x")
    shown(screen, STORY[:3])
    screen.feed(*line(CALL, {"name": "read_file", "arguments": {}}))
    assert screen.render() == ""
    facts = {"op": "read", "path": "/w/b", "offset": 0, "limit": None}
    assert shown(screen, [(FILE, b"new"), line(ANSWER, facts)]) == "new"


def test_lines_that_are_no_json_are_passed_over() -> None:
    screen = CliResult()
    screen.feed(ANSWER, b"nonsense\n[1]\n")
    assert screen.render() == ""


def read(screen: Fold, data: bytes, offset: int = 0, limit: int | None = None) -> str:
    """Return how a file is shown."""
    return shown(screen, call("read", {"op": "read", "path": "/w/a", "offset": offset, "limit": limit}, file=data))


@pytest.mark.parametrize("data", [b"", b"a", b"a\n", b"a\r\nb\r\n", "\ufeffa\n".encode(), "a€\n".encode("utf-16")])
def test_a_whole_file_is_shown_as_it_is(data: bytes) -> None:
    encoding = "utf-16" if data[:1] in (b"\xff", b"\xfe") else "utf-8-sig"
    assert read(CliResult(), data) == data.decode(encoding)


def test_a_part_says_what_it_is() -> None:
    data = b"a\nb\nc\nd"
    assert read(CliResult(), data, 1, 2) == "Showing lines 2-3 of 4 total lines.\n\n---\n\nb\nc"
    assert read(CliResult(), data, 9) == "Showing lines 4-4 of 4 total lines.\n\n---\n\n"
    assert read(CliResult(lines=3), data).startswith("Showing lines 1-3 of 4 total lines.")
    assert read(CliResult(page_chars=4), data).startswith("Showing lines 1-2 of 4 total lines.")
    assert read(CliResult(), b"x" * 3000).endswith("x... [truncated]")


def test_a_numbered_file() -> None:
    assert read(ClaudeResult(), b"a\r\n\r\nb\n") == "     1→a\n     2→\n     3→b\n     4→"
    assert read(ClaudeResult(), b"a\nb\nc", 1, 1) == "     2→b"
    assert "the contents are empty" in read(ClaudeResult(), b"")
    assert "shorter than the provided offset (8). The file has 1 lines." in read(ClaudeResult(), b"a", 7)
    assert read(ClaudeResult(), b"x" * 2001) == f"     1→{'x' * 2000}... [truncated]"


def test_the_envelope_of_a_command() -> None:
    text = shown(CliResult(), call("run_shell_command", ran(exit_code=1, background=[7, 9]), out=b"a\nb\n"))
    assert text.split("\n") == [
        "Command: make",
        "Directory: (root)",
        "Output: a",
        "b",
        "Error: (none)",
        "Exit Code: 1",
        "Signal: (none)",
        "Background PIDs: 7, 9",
    ]
    silent = shown(CliResult(), call("run_shell_command", ran(exit_code=None, signal=9, directory="/w/a")))
    assert "Directory: /w/a\nOutput: (empty)\n" in silent
    assert "Exit Code: (none)\nSignal: 9\n" in silent


def test_a_command_that_took_too_long() -> None:
    late = ran(exit_code=None, signal=9, timed_out=True, timeout_ms=120_000)
    head = "Command timed out after 120000ms before it could complete."
    assert shown(CliResult(), call("s", late)) == f"{head} There was no output before it timed out."
    said = f"{head} Below is the output before it timed out:\nhalf"
    assert shown(CliResult(), call("s", late, out=b"half\n")) == said
    assert shown(ClaudeResult(), call("s", late, out=b"half\n")) == "Command timed out after 2m 0s\nhalf"


def test_what_a_command_wrote_is_shortened_in_whole_lines() -> None:
    text = "".join(f"line {number}\n" for number in range(1000))
    short = shorten(text, 200)
    assert short.startswith("line 0\n")
    assert short.endswith("line 999\n")
    left = int(short.partition("... [")[2].partition(" ")[0])
    assert short.count("line ") + left == 1000
    assert shorten("x" * 1000, 100).count("x") == 100
    assert "[900 characters truncated]" in shorten("x" * 1000, 100)
    assert shorten("short", 5) == "short"


def test_binary_output_is_named() -> None:
    assert "[Command produced binary output, which is not shown.]" in shown(CliResult(), call("s", ran(), out=b"a\0b"))


@pytest.mark.parametrize(("seconds", "text"), [(0.5, "0.5s"), (45, "45s"), (120, "2m 0s"), (90.5, "1m 30.5s")])
def test_time_limits_as_people_say_them(seconds: float, text: str) -> None:
    assert span(seconds) == text


GREP = b"a.py\x001\x001\x00import os\r\n--\nb c.py\x003\x00before\nb c.py\x004\x002\x00 import sys\n"


def grep(**facts: Any) -> dict[str, Any]:
    """Return the facts of a search."""
    known: dict[str, Any] = {
        "op": "grep",
        "pattern": "import",
        "path": "/w",
        "single": False,
        "prefix": "",
        "mode": "content",
    }
    return known | {"numbers": True, "head": None, "skip": 0, "where": None, "include": None} | facts


def test_matches_of_the_command_line_family() -> None:
    data = b"a.py\x001\x001\x00import os\nb.py\x004\x001\x00  import sys\n"
    text = shown(CliResult(), call("search_file_content", grep(where="/w", include="*.py"), out=data))
    assert text.split("\n") == [
        'Found 2 matches for pattern "import" in path "/w" (filter: "*.py"):',
        "---",
        "File: a.py",
        "L1: import os",
        "---",
        "File: b.py",
        "L4: import sys",
        "---",
    ]
    none = shown(CliResult(), call("search_file_content", grep()))
    assert none == 'No matches found for pattern "import" in the workspace directory.'
    cut = shown(CliResult(page_chars=40), call("search_file_content", grep(), out=data))
    assert cut.endswith("---\n[1 match truncated] ...")


def test_matches_of_the_claude_like_family() -> None:
    def found(**facts: Any) -> str:
        return shown(ClaudeResult(), call("Grep", grep(**facts), out=GREP))

    assert found() == "a.py:1:import os\n--\nb c.py-3-before\nb c.py:4: import sys"
    assert found(numbers=False, single=True) == "import os\n--\nbefore\n import sys"
    assert found(prefix="src/", head=1) == "src/a.py:1:import os\n\n[Showing results with pagination = limit: 1]"
    assert found(skip=3) == "b c.py:4: import sys\n\n[Showing results with pagination = offset: 3]"
    assert found(mode="files_with_matches") == "Found 2 files\na.py\nb c.py"
    assert found(mode="count") == "a.py:1\nb c.py:1\n\nFound 2 total occurrences across 2 files."
    assert shown(ClaudeResult(), call("Grep", grep())) == "No matches found"
    assert shown(ClaudeResult(), call("Grep", grep(mode="files_with_matches"))) == "No files found"


def test_long_lists_of_files_are_cut() -> None:
    facts = {"op": "glob", "path": "/w", "pattern": "*", "files": [f"/w/{n}" for n in range(5)], "ignored": 0}
    assert shown(CliResult(files=2), call("glob", facts)).endswith("\n/w/1\n---\n[3 files truncated] ...")
    assert shown(ClaudeResult(files=2), call("Glob", facts)).split("\n")[2].startswith("(Results are truncated.")


@pytest.mark.parametrize("screen", [CliResult(), ClaudeResult()])
def test_every_error_has_words(screen: Fold) -> None:
    words = {"path": "/w/a", "relative": "a", "root": "/w", "name": "x", "known": "y", "message": "why", "count": 2}
    words |= {"old": "o", "pattern": "p", "shown": "1MB", "limit": "2KB", "mb": "1", "limit_mb": "2"}
    words |= {"suffix": ".zip", "verb": "read"}
    for tool in ("read_file", "edit", "list_directory", "glob", "search_file_content", "run_shell_command", "Read"):
        for kind in (*screen.faults(), "never heard of"):
            text = shown(screen, call(tool, {"error": kind} | words))
            assert text
            assert "{" not in text
