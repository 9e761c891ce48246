"""The Claude-Code-like family of tools in a real repository."""

from __future__ import annotations

from typing import Any

import pytest

from tests.collectors.swe._box import Held
from tests.collectors.swe._hand import Hand, repository
from worldtape.collectors.swe.render.fold import STDERR, STDOUT
from worldtape.schemas import Status

pytestmark = pytest.mark.docker
W = "/workspace"
CALC = f"{W}/src/calc.py"


FILES = {
    "src/calc.py": "def add(a, b):\n    return a + b\n\n\ndef twice(a):\n    return add(a, a)\n",
    "docs/guide.md": "# Guide\n\nUse add.\n",
    ".gitignore": "*.log\n",
    "run.log": "noise add\n",
}


@pytest.fixture
def hand(held: Held) -> Hand:
    """Return the tools over a small repository."""
    repository(held, FILES)
    return Hand(held, "claude")


def refused(text: str) -> str:
    """Return a refusal as it is shown."""
    return f"<tool_use_error>{text}</tool_use_error>"


def test_a_file_is_read_before_it_is_changed(hand: Hand) -> None:
    unread = refused("File has not been read yet. Read it first before writing to it.")
    edit = {"file_path": CALC, "old_string": "a + b", "new_string": "a - b"}
    assert hand("Edit", **edit) == unread
    assert hand("Write", file_path=CALC, content="") == unread
    assert hand("MultiEdit", file_path=CALC, edits=[{"old_string": "a", "new_string": "b"}]) == unread
    assert (hand.error, hand.outcome.status) == ("not_read", Status.TOOL_ERROR)
    assert hand("Read", file_path=CALC, offset=2, limit=1) == "     2→    return a + b"
    text = hand("Edit", **edit)
    assert text.startswith(f"The file {CALC} has been updated. Here's the result of running `cat -n` on a snippet")
    assert "\n     2→    return a - b\n" in text
    assert hand("Edit", **edit | {"old_string": "a - b", "new_string": "a * b"}).startswith("The file")
    hand("Bash", command="echo '# end' >> src/calc.py")
    modified = refused(
        "File has been modified since read, either by the user or by a linter. Read it again before attempting to "
        "write it."
    )
    assert hand("Write", file_path=CALC, content="") == modified
    assert hand.error == "modified"
    hand("Read", file_path=CALC)
    assert hand("Write", file_path=CALC, content="x\r\n") == f"The file {CALC} has been updated successfully."
    assert hand.bytes_of(CALC) == b"x\r\n"
    assert hand("Read", file_path="src/calc.py") == "     1→x\n     2→"


def test_new_files_need_no_reading(hand: Hand) -> None:
    assert hand("Write", file_path=f"{W}/a/b.py", content="x\n") == f"File created successfully at: {W}/a/b.py"
    assert hand("Edit", file_path=f"{W}/a/c.py", old_string="", new_string="y") == (
        f"File created successfully at: {W}/a/c.py"
    )
    assert hand("Edit", file_path=f"{W}/a/b.py", old_string="x", new_string="y").startswith("The file")


def test_edits_that_fail(hand: Hand) -> None:
    hand("Read", file_path=CALC)

    def edit(old: str, new: str, **more: Any) -> str:
        return hand("Edit", **({"file_path": CALC, "old_string": old, "new_string": new} | more))

    assert edit("return c", "") == refused("String to replace not found in file.\nString: return c")
    assert edit("def ", "x") == refused(
        "Found 2 matches of the string to replace, but replace_all is false. To replace all occurrences, set "
        "replace_all to true. To replace only one occurrence, please provide more context to uniquely identify the "
        "instance.\n"
        "String: def "
    )
    assert edit("a", "a") == refused("No changes to make: old_string and new_string are exactly the same.")
    assert edit("", "a") == refused("Cannot create new file - file already exists.")
    assert edit("a", "b", file_path=f"{W}/no.py") == refused("File does not exist.")
    assert hand("Read", file_path=f"{W}/no.py") == refused("File does not exist.")
    assert hand("Read", file_path=W) == "EISDIR: illegal operation on a directory, read"
    assert edit("add", "plus", replace_all=True) == (
        f"The file {CALC} has been updated. All occurrences of 'add' were successfully replaced with 'plus'."
    )
    assert hand.bytes_of(CALC).count(b"plus") == 2


def test_several_edits_are_made_together_or_not_at_all(hand: Hand) -> None:
    hand("Read", file_path=CALC)
    before = hand.bytes_of(CALC)
    edits = [{"old_string": "a + b", "new_string": "a - b"}, {"old_string": "nowhere", "new_string": ""}]
    assert hand("MultiEdit", file_path=CALC, edits=edits) == refused(
        "String to replace not found in file.\nString: nowhere"
    )
    assert hand.bytes_of(CALC) == before
    edits[1] = {"old_string": "    return a - b\n", "new_string": "    return 0  # " + "x" * 60 + "\n"}
    assert hand("MultiEdit", file_path=CALC, edits=edits).split("\n")[:2] == [
        f"Applied 2 edits to {CALC}:",
        '1. Replaced "a + b" with "a - b"',
    ]
    assert b"return 0" in hand.bytes_of(CALC)


def test_large_and_binary_files(hand: Hand) -> None:
    path = hand.put("big.txt", b"0123456789abcde\n" * 20_000)
    assert hand("Read", file_path=path).startswith("File content (312.5KB) exceeds maximum allowed size (256KB).")
    assert hand.error == "too_large"
    assert hand("Read", file_path=path, offset=19_999, limit=5).count("→") == 3
    wide = hand.put("wide.txt", (b"x" * 3000 + b"\n") * 200)
    assert hand("Read", file_path=wide, limit=2).count("... [truncated]") == 2
    assert hand("Read", file_path=wide, limit=200).startswith("File content (390.8KB) exceeds")
    picture = hand.put("logo.png", b"\x89PNG\r\n\x1a\n\0")
    assert hand("Read", file_path=picture) == refused(
        "This tool cannot read binary files. The file appears to be a binary .png file. Please use appropriate tools "
        "for binary file analysis."
    )
    empty = hand.put("empty", b"")
    assert hand("Read", file_path=empty) == (
        "<system-reminder>Warning: the file exists but the contents are empty.</system-reminder>"
    )


def test_commands_keep_their_directory_and_both_streams(hand: Hand) -> None:
    assert hand("Bash", command="cd src && echo out && echo err >&2") == "out\nerr"
    assert hand.counts()[STDOUT] == hand.counts()[STDERR] == 4
    assert hand("Bash", command="X=1; pwd; echo $# $0") == f"{W}/src\n0 bash"
    assert hand("Bash", command="echo [$X]; (exit 3)") == "Exit code 3\n[]"
    assert (hand.outcome.status, hand.outcome.exit_code) == (Status.TOOL_ERROR, 3)
    assert hand("Bash", command="true") == "(Bash completed with no output)"
    assert hand("Bash", command="no-such-tool") == "Exit code 127\nbash: line 1: no-such-tool: command not found"
    assert hand("Bash", command="echo 'open").startswith("Exit code 2\nbash: eval: line 1: unexpected EOF")
    assert hand("Bash", command="kill -9 $$") == "Command was ended by signal 9"
    assert hand("Bash", command="mkdir gone && cd gone && rmdir ../gone") == "(Bash completed with no output)"
    assert hand("Bash", command="pwd") == W
    assert hand.tools.state["cwd"] == W


def test_commands_that_take_long(hand: Hand) -> None:
    assert hand("Bash", command="echo half; sleep 81", timeout=300) == "Command timed out after 0.3s\nhalf"
    assert hand.outcome.status is Status.TIMEOUT_KILLED
    text = hand("Bash", command="echo started; exec sleep 82", run_in_background=True)
    log = "/tmp/tasks/bash_1.output"
    assert text == f"Command running in background with ID: bash_1. Output is being written to: {log}"
    assert hand("Bash", command=f"until grep -q started {log}; do :; done; pkill -f '^sleep 82'; echo ended") == "ended"
    assert hand("Read", file_path=log) == "     1→started\n     2→"


def test_paths_are_found_newest_first(hand: Hand) -> None:
    hand("Bash", command="touch -d @5 src/calc.py; touch -d @9 docs/guide.md")
    assert hand("Glob", pattern="*.{py,md}") == f"{W}/docs/guide.md\n{CALC}"
    assert hand("Glob", pattern="**/*.rs") == "No files found"
    assert hand("Glob", pattern="*", path="nowhere") == refused(f"Directory does not exist: {W}/nowhere")
    hand("Bash", command="cd /tmp && mkdir -p many && cd many && touch $(seq 150)")
    lines = hand("Glob", pattern="*", path="/tmp/many").split("\n")
    assert len(lines) == 101
    assert lines[-1].startswith("(Results are truncated.")


def test_lines_are_found(hand: Hand) -> None:
    assert hand("Grep", pattern=r"\badd\(") == "Found 1 file\nsrc/calc.py"
    assert hand("Grep", pattern="ADD", glob="*.md") == "No files found"
    assert hand.given("Grep", {"pattern": "ADD", "-i": True, "type": "md"}) == "Found 1 file\ndocs/guide.md"
    lines = hand.given("Grep", {"pattern": "a [+] b", "output_mode": "content", "-B": 1, "-A": 1, "path": "src"})
    assert lines == "src/calc.py-1-def add(a, b):\nsrc/calc.py:2:    return a + b\nsrc/calc.py-3-"
    one = hand.given("Grep", {"pattern": "^def", "output_mode": "content", "path": CALC, "-n": False, "glob": "*.md"})
    assert one == "def add(a, b):\ndef twice(a):"
    counts = hand("Grep", pattern="add", output_mode="count")
    assert counts == "docs/guide.md:1\nsrc/calc.py:2\n\nFound 3 total occurrences across 2 files."
    assert hand("Grep", pattern="(") == refused("Error: regex parse error: missing closing parenthesis")
    large = {"head_limit": 10**30, "offset": 0.5, "-A": 10**30, "output_mode": "content"}
    assert hand.given("Grep", {"pattern": "Use", **large}) == "docs/guide.md:3:Use add."
    assert hand("Read", file_path="docs/guide.md", offset=3.0, limit=10**30) == "     3→Use add.\n     4→"
    hand("Bash", command="cd src && git config grep.fullName true && git config submodule.recurse true")
    assert hand("Grep", pattern="twice") == "Found 1 file\ncalc.py"
    hand("Bash", command="echo [ > /workspace/.git/config")
    assert hand("Grep", pattern="twice").startswith("<tool_use_error>bad config line ")
    assert hand.error == "search_failed"


def test_arguments_and_tools_that_do_not_exist(hand: Hand) -> None:
    assert hand("Read") == refused(
        "InputValidationError: Read failed due to the following issue:\nThe required parameter `file_path` is missing"
    )
    assert (hand.error, hand.outcome.status) == ("invalid_arguments", Status.REJECTED)
    assert hand("read_file", absolute_path=CALC) == refused("Error: No such tool available: read_file")
    todo = {"content": "x", "status": "pending", "activeForm": "Doing x"}
    assert hand("TodoWrite", todos=[todo]).startswith("Todos have been modified successfully.")
    assert hand.tools.state["todos"] == [todo]
