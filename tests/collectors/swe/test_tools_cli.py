"""The command-line family of tools in a real repository."""

from __future__ import annotations

import codecs

import pytest

from tests.collectors.swe._box import Held
from tests.collectors.swe._hand import Hand, repository
from worldtape.collectors.swe.render.fold import STDERR, STDOUT
from worldtape.collectors.swe.tools import shell
from worldtape.schemas import Status

pytestmark = pytest.mark.docker
W = "/workspace"


FILES = {
    "src/calc.py": "def add(a, b):\n    return a + b\n\n\ndef twice(a):\n    return add(a, a)\n",
    "docs/guide.md": "# Guide\n\nUse add.\n",
    ".gitignore": "*.log\nbuild/\n",
    "README.md": "Adds numbers.\n",
    "run.log": "noise add\n",
}


@pytest.fixture
def hand(held: Held) -> Hand:
    """Return the tools over a small repository."""
    repository(held, FILES)
    return Hand(held, "cli")


@pytest.fixture
def still(held: Held) -> Hand:
    """Return the same for a test that changes nothing."""
    repository(held, FILES, kept=True)
    return Hand(held, "cli")


@pytest.mark.parametrize(
    "content",
    [
        "",
        "no end",
        "unix\nlines\n",
        "dos\r\nlines\r\n",
        "mixed\r\nlines\n",
        "\n\n",
        "tab\tünïcödé 日本 😀\n",
        "old mac\rline\r",
    ],
)
def test_what_was_written_is_read(hand: Hand, content: str) -> None:
    assert hand("write_file", file_path=f"{W}/new/deep.txt", content=content) == (
        f"Successfully created and wrote to new file: {W}/new/deep.txt."
    )
    assert hand.bytes_of("new/deep.txt") == content.encode()
    assert hand("read_file", absolute_path=f"{W}/new/deep.txt") == content
    assert hand.outcome.status is Status.OK


@pytest.mark.parametrize(
    ("bom", "encoding"),
    [(codecs.BOM_UTF8, "utf-8"), (codecs.BOM_UTF16_LE, "utf-16-le"), (codecs.BOM_UTF16_BE, "utf-16-be")],
)
def test_a_file_keeps_its_encoding(hand: Hand, bom: bytes, encoding: str) -> None:
    path = hand.put("wide.txt", bom + "eins\r\nzwei\r\n".encode(encoding))
    assert hand("read_file", absolute_path=path) == "eins\r\nzwei\r\n"
    hand("edit", file_path=path, old_string="zwei\n", new_string="€\ndrei\n")
    assert hand.bytes_of(path) == bom + "eins\r\n€\r\ndrei\r\n".encode(encoding)
    assert hand("write_file", file_path=path, content="neu\n") == f"Successfully overwrote file: {path}."
    assert hand.bytes_of(path) == bom + "neu\n".encode(encoding)
    assert hand("read_file", absolute_path=path) == "neu\n"


def test_binary_is_refused_and_unknown_bytes_survive_an_edit(hand: Hand) -> None:
    path = hand.put("logo.png", b"\x89PNG\r\n\x1a\n\0\0")
    assert hand("read_file", absolute_path=path) == "Cannot display content of binary file: logo.png"
    assert hand.error == "binary_file"
    assert hand("edit", file_path=path, old_string="PNG", new_string="GIF").startswith("Failed to read content")
    old = hand.put("old.txt", "Größe der alten Datei: 3\n".encode("latin-1"))
    hand("edit", file_path=old, old_string="3", new_string="4")
    assert hand.bytes_of("old.txt") == "Größe der alten Datei: 4\n".encode("latin-1")


def test_an_edit_shows_what_it_made(hand: Hand) -> None:
    path = f"{W}/src/calc.py"
    text = hand("edit", file_path=path, old_string="a + b", new_string="a - b")
    head = f"The file: {path} has been updated. Showing lines 1-6 of 7 from the edited file:\n\n---\n\ndef add(a, b):\n"
    assert text.startswith(head)
    assert hand.bytes_of("src/calc.py").startswith(b"def add(a, b):\n    return a - b\n")
    made = hand("edit", file_path=f"{W}/x/new.py", old_string="", new_string="x = 1\n")
    assert made == f"Created new file: {W}/x/new.py with provided content."
    assert hand.bytes_of("x/new.py") == b"x = 1\n"
    hand("edit", file_path=path, old_string="a", new_string="z", replace_all=True)
    assert b"a" not in hand.bytes_of("src/calc.py").replace(b"zdd", b"")


@pytest.mark.parametrize(
    ("arguments", "kind", "text"),
    [
        ({"old_string": "return c", "new_string": "x"}, "no_occurrence", "Failed to edit, 0 occurrences found for old"),
        (
            {"old_string": "def ", "new_string": "x"},
            "many_occurrences",
            "Failed to edit. Found 2 occurrences for old_s",
        ),
        (
            {"old_string": "add", "new_string": "add"},
            "same_strings",
            "No changes to apply. The old_string and new_strin",
        ),
        ({"old_string": "", "new_string": "x"}, "file_exists", "File already exists, cannot create: "),
        (
            {"file_path": f"{W}/no.py", "old_string": "a", "new_string": "x"},
            "file_not_found",
            f"File not found: {W}/no",
        ),
        ({"file_path": f"{W}/src", "old_string": "a", "new_string": "x"}, "is_directory", "Path is a directory, not a"),
        (
            {"file_path": "src/calc.py", "old_string": "a", "new_string": "x"},
            "relative_path",
            "File path must be absolut",
        ),
        (
            {"file_path": "/etc/passwd", "old_string": "a", "new_string": "x"},
            "outside",
            "File path must be within one o",
        ),
        (
            {"file_path": f"{W}/../etc/x", "old_string": "a", "new_string": "x"},
            "outside",
            "File path must be within on",
        ),
    ],
)
def test_edits_that_fail(still: Hand, arguments: dict[str, str], kind: str, text: str) -> None:
    before = still.bytes_of("src/calc.py")
    said = still("edit", **({"file_path": f"{W}/src/calc.py"} | arguments))
    assert said.startswith(text)
    assert still.error == kind
    assert still.outcome.error is not None
    assert still.outcome.error.message == said
    assert still.bytes_of("src/calc.py") == before
    refused = kind in ("relative_path", "outside")
    assert still.outcome.status is (Status.REJECTED if refused else Status.TOOL_ERROR)


@pytest.mark.parametrize(
    ("tool", "arguments", "text"),
    [
        ("read_file", {"absolute_path": f"{W}/no.py"}, f"File not found: {W}/no.py"),
        ("read_file", {"absolute_path": f"{W}/README.md/x"}, f"File not found: {W}/README.md/x"),
        ("read_file", {"absolute_path": f"{W}/src"}, f"Path is a directory, not a file: {W}/src"),
        (
            "read_file",
            {"absolute_path": "a.py"},
            "File path must be absolute, but was relative: a.py. You must provide an absolute path.",
        ),
        ("write_file", {"file_path": f"{W}/src", "content": ""}, f"Path is a directory, not a file: {W}/src"),
        ("list_directory", {"path": "."}, "Path must be absolute: ."),
        ("list_directory", {"path": f"{W}/no"}, f"Error: Directory not found or inaccessible: {W}/no"),
        ("list_directory", {"path": f"{W}/README.md"}, f"Error: Path is not a directory: {W}/README.md"),
        ("glob", {"pattern": "*", "path": "no"}, f"Search path does not exist {W}/no"),
        ("search_file_content", {"pattern": "a", "path": f"{W}/no"}, f"Path does not exist: {W}/no"),
        (
            "search_file_content",
            {"pattern": "def ("},
            "Invalid regular expression pattern provided: def (. Error: missing closing parenthesis",
        ),
        ("run_shell_command", {"command": "ls", "directory": "src"}, "Directory must be an absolute path."),
        ("run_shell_command", {"command": "ls", "directory": f"{W}/no"}, f"Directory does not exist: {W}/no"),
        (
            "run_shell_command",
            {"command": "ls", "directory": "/etc"},
            "Directory '/etc' is not within any of the registered workspace directories.",
        ),
        ("run_shell_command", {"command": ""}, "params/command must NOT have fewer than 1 characters"),
        ("run_shell_command", {"command": "a\0b"}, "Error: The argument 'command' must be a string without null bytes"),
    ],
)
def test_words_of_what_cannot_be_done(still: Hand, tool: str, arguments: dict[str, str], text: str) -> None:
    assert still(tool, **arguments) == text
    assert still.outcome.status in (Status.TOOL_ERROR, Status.REJECTED)
    assert not still.answer.commands


def test_an_odd_path_is_answered_by_the_system(hand: Hand) -> None:
    long = f"{W}/{'x' * 300}"
    assert hand("read_file", absolute_path=long) == f"Error: ENAMETOOLONG: file name too long, open '{long}'"
    below = hand("write_file", file_path=f"{W}/README.md/x", content="")
    assert hand.outcome.status is Status.TOOL_ERROR
    assert below.startswith(("Error: ENOTDIR: ", "Error: EEXIST: "))
    hand("run_shell_command", command="mkfifo pipe")
    pipe = f"{W}/pipe"
    assert hand("read_file", absolute_path=pipe) == f"Error: EINVAL: not a regular file, read '{pipe}'"
    assert hand("write_file", file_path=pipe, content="") == f"Error: EINVAL: not a regular file, open '{pipe}'"
    assert "pipe" not in hand("search_file_content", pattern=".", path=pipe).partition("\n")[2]
    lone = hand("write_file", file_path=f"{W}/a\ud800", content="b\udfff")
    assert lone == f"Successfully created and wrote to new file: {W}/a\ufffd."
    assert hand.bytes_of("a\ufffd") == "b\ufffd".encode()


def test_an_unknown_tool_is_refused(still: Hand) -> None:
    assert still("Read").startswith('Tool "Read" not found in registry.')
    assert still.outcome.status is Status.REJECTED


def test_directories_and_paths(hand: Hand) -> None:
    assert hand("list_directory", path=W).split("\n") == [
        f"Directory listing for {W}:",
        "[DIR] docs",
        "[DIR] src",
        ".gitignore",
        "README.md",
        "",
        "(1 git-ignored)",
    ]
    assert "README.md" not in hand("list_directory", path=W, ignore=["*.md"])
    hand("run_shell_command", command="mkdir empty && touch -d @0 src/calc.py")
    assert hand("list_directory", path=f"{W}/empty") == f"Directory {W}/empty is empty."
    found = hand("glob", pattern="**/*.{py,md}", path=".")
    assert found.startswith('Found 3 file(s) matching "**/*.{py,md}" within')
    assert found.endswith(f"\n{W}/src/calc.py")
    assert hand("glob", pattern="*.log") == (
        f'No files found matching pattern "*.log" within {W} (1 files were git-ignored)'
    )
    assert hand("glob", pattern=f"{W}/src/*.py").endswith(f"{W}/src/calc.py")


def test_searches(still: Hand) -> None:
    assert still("search_file_content", pattern=r"\bADD\(").split("\n") == [
        r'Found 2 matches for pattern "\bADD\(" in the workspace directory:',
        "---",
        "File: src/calc.py",
        "L1: def add(a, b):",
        "L6: return add(a, a)",
        "---",
    ]
    assert "File: docs/guide.md\nL3: Use add." in still("search_file_content", pattern="add", include="*.{md,rst}")
    assert still("search_file_content", pattern="add", path=f"{W}/src", include="docs/*") == (
        f'No matches found for pattern "add" in path "{W}/src" (filter: "docs/*").'
    )
    assert "File: calc.py" in still("search_file_content", pattern="add", path="src/calc.py")
    assert still("search_file_content", pattern="-e").startswith("No matches")


def test_the_envelope_tells_how_a_command_ended(still: Hand) -> None:
    text = still("run_shell_command", command="echo out; echo err >&2; no-such-tool")
    assert text == (
        "Command: echo out; echo err >&2; no-such-tool\nDirectory: (root)\nOutput: out\nerr\n"
        "bash: line 1: no-such-tool: command not found\nError: (none)\nExit Code: 127\nSignal: (none)\n"
        "Background PIDs: (none)"
    )
    assert (still.outcome.status, still.outcome.exit_code) == (Status.TOOL_ERROR, 127)
    assert still.outcome.error is not None
    assert still.outcome.error.message == "bash: line 1: no-such-tool: command not found"
    assert still.counts()[STDERR] == 0
    assert "Output: /workspace/src\n" in still("run_shell_command", command="pwd", directory=f"{W}/src")
    assert (still.outcome.status, still.outcome.exit_code) == (Status.OK, 0)
    assert [command for command, _ in still.answer.commands] == ["pwd"]
    assert "Output: /workspace\n" in still("run_shell_command", command="cd src; cd ..; pwd; cat")
    killed = still("run_shell_command", command="echo so far; kill -9 $$")
    assert "Output: so far\n" in killed
    assert "Exit Code: (none)\nSignal: 9\n" in killed
    assert (still.outcome.exit_code, still.outcome.signal) == (None, 9)
    assert still("run_shell_command", command="printf '\\xff'").split("\n")[2] == "Output: \ufffd"


def test_a_command_is_ended_in_time_with_all_that_it_started(still: Hand) -> None:
    text = still("run_shell_command", command="echo begun; sleep 71 & sleep 72", timeout=400)
    assert text == (
        "Command timed out after 400ms before it could complete. Below is the output before it timed out:\nbegun"
    )
    assert still.outcome.status is Status.TIMEOUT_KILLED
    assert "Output: 0\n" in still("run_shell_command", command="ps -eo args | grep -c '^sleep 7[12]'")
    assert still.given("run_shell_command", {"command": "sleep 73"}, 0.2).startswith("Command timed out after 200ms")


def test_what_runs_on_is_named_and_does_not_hold_the_answer(still: Hand) -> None:
    text = still("run_shell_command", command="sleep 74 & echo $!")
    pid = text.partition("Output: ")[2].partition("\n")[0]
    assert text.endswith(f"Background PIDs: {pid}")
    assert "Exit Code: 0\n" in still("run_shell_command", command=f"kill -0 {pid}")
    started = still("run_shell_command", command="echo hello; exec sleep 75", is_background=True)
    assert "Output: Output is being written to: /tmp/tasks/bash_1.output\n" in started
    process = started.rpartition(" ")[2]
    assert process.isdigit()
    log = still("run_shell_command", command="until grep -q hello /tmp/tasks/bash_1.output; do :; done; echo seen")
    assert "Output: seen\n" in log
    assert "Exit Code: 0\n" in still("run_shell_command", command=f"kill {pid} {process}")


def test_output_without_end_is_ended(still: Hand, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(shell, "MOST_BYTES", 300_000)
    text = still("run_shell_command", command="yes")
    assert "Error: stdout maxBuffer length exceeded\nExit Code: (none)\nSignal: 13\n" in text
    assert "lines truncated] ..." in text
    assert still.error == "output_limit"
    assert still.counts()[STDOUT] == 300_000
    assert "Output: ok\n" in still("run_shell_command", command="echo ok")


def test_a_list_of_what_is_to_be_done(still: Hand) -> None:
    todos = [{"id": "1", "content": "add ünits", "status": "in_progress"}]
    said = still("todo_write", todos=todos)
    assert said.startswith("Todos have been modified successfully.")
    assert '[{"id":"1","content":"add ünits","status":"in_progress"}]' in said
    assert still.tools.state["todos"] == todos
    assert still("todo_write", todos=[]) == "Todo list has been cleared successfully."
