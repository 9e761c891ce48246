"""Test results are read from what real frameworks wrote: outputs/*.txt, judged by hand in outputs/expected.yaml."""

from __future__ import annotations

import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
import yaml
from hypothesis import given
from hypothesis import strategies as st

from worldtape.collectors.swe.results import read_results, runner
from worldtape.collectors.swe.results.read import FRAMEWORKS, parser

OUTPUTS = Path(__file__).parent / "outputs"
EXPECTED: dict[str, dict[str, Any]] = yaml.safe_load((OUTPUTS / "expected.yaml").read_text("utf-8"))
COMMANDS = {
    "pytest": "python3 -m pytest",
    "unittest": "python3 -m unittest",
    "go": "go test ./...",
    "cargo": "cargo test",
    "node": "npm test",
    "jest": "npx jest",
    "vitest": "npx vitest run",
    "mocha": "npx mocha",
}
LISTS = ("passed", "failed", "errors", "skipped")


@dataclass
class Ended:
    out: bytes = b""
    err: bytes = b""
    code: int | None = 0
    signal: int | None = None
    timed_out: bool = False


def read(name: str, **more: Any) -> dict[str, Any]:
    data = (OUTPUTS / f"{name}.txt").read_bytes()
    given: dict[str, Any] = {"out": data, "code": 1} | more
    found = read_results(COMMANDS[name.partition("_")[0]], Ended(**given))
    assert found is not None
    return found


def test_every_output_is_judged() -> None:
    assert set(EXPECTED) == {path.stem for path in OUTPUTS.glob("*.txt")}
    assert {name.partition("_")[0] for name in EXPECTED} == set(FRAMEWORKS)


@pytest.mark.parametrize("name", EXPECTED)
def test_lists_are_those_of_the_framework(name: str) -> None:
    found, wanted = read(name), EXPECTED[name]
    assert {key: found[key] for key in LISTS} == {key: wanted.get(key, []) for key in LISTS}
    assert list(found["counts"].values()) == wanted["counts"]
    assert (found["framework"], found["ended"]) == (wanted["framework"], wanted["ended"])


@pytest.mark.parametrize("name", [name for name in EXPECTED if EXPECTED[name]["ended"] != "not_started"])
def test_a_framework_is_known_by_its_words(name: str) -> None:
    data = (OUTPUTS / f"{name}.txt").read_bytes()
    found = read_results("make test", Ended(err=data, code=2))
    assert found is not None
    assert found["framework"] == EXPECTED[name]["framework"]


@pytest.mark.parametrize("name", ["unittest_hang", "pytest_hang"])
def test_a_run_that_was_ended_for_its_time(name: str) -> None:
    found = read(name, timed_out=True, code=None, signal=9)
    assert found["ended"] == "timed_out"
    assert len(found["passed"]) == len(found["errors"]) == 1


def test_a_signal_is_a_crash_whatever_was_printed() -> None:
    assert read("pytest_pass", code=None, signal=11)["ended"] == "crashed"
    assert read_results("pytest", Ended(code=139)) == {
        "framework": "pytest",
        "passed": [],
        "failed": [],
        "errors": [],
        "skipped": [],
        "counts": {"passed": 0, "failed": 0, "errors": 0, "skipped": 0},
        "ended": "crashed",
    }


@pytest.mark.parametrize(
    ("command", "framework"),
    [
        ("pytest", "pytest"),
        ("cd src && python3 -m pytest -q tests/test_a.py::test_b 2>&1 | tail -20", "pytest"),
        ("PYTHONPATH=. timeout 60 python -X dev -m pytest", "pytest"),
        ("timeout -s KILL 5 python3 -bb -m unittest discover -s tests", "unittest"),
        ("uv run --frozen pytest -k 'a or b'", "pytest"),
        ("coverage run -m pytest", "pytest"),
        ("python -m coverage run -m unittest", "unittest"),
        ("python3 -Bm unittest tests.test_box", "unittest"),
        ("python3 tests/test_box.py", "any"),
        ("bash -c 'cd x; go test ./...'", "go"),
        ("cargo +nightly test --lib", "cargo"),
        ("cargo build && cargo test", "cargo"),
        ("npx --yes vitest run", "vitest"),
        ("yarn jest", "jest"),
        ("npm run test:unit -- --bail", "any"),
        ("npm t", "any"),
        ("node --test node", "node"),
        ("make -j2 check", "any"),
        ("./run_tests.sh", "any"),
        ("go vet ./...; go test -json ./...", "go"),
        ("pytest && go test", "any"),
        ("pytest 'unclosed", "pytest"),
    ],
)
def test_commands_that_run_tests(command: str, framework: str) -> None:
    assert runner(command) == framework


@pytest.mark.parametrize(
    "command",
    ["cat pytest.log", "grep -rn pytest .", "pip install pytest", "echo 'go test'", "vim tests/test_a.py", "",
     "cargo build", "npm install jest", "python3 setup.py build", "ls tests", "make", "git log --grep=pytest",
     "python3 -c 'import pytest'", "go build ./test", "find . -name 'test*'", "test -f x && echo y"],
)  # fmt: skip
def test_commands_that_run_none(command: str) -> None:
    assert runner(command) is None
    assert read_results(command, Ended((OUTPUTS / "pytest_verbose.txt").read_bytes())) is None


def test_the_repositorys_own_command_runs_tests() -> None:
    done = Ended(err=(OUTPUTS / "unittest_dots.txt").read_bytes(), code=1)
    found = read_results("cd /workspace && ./ci/all --fast", done, "./ci/all")
    assert found is not None
    assert found["framework"] == "unittest"
    assert read_results("make test", Ended(b"nothing to be done")) is None


def test_colours_and_carriage_returns_do_not_matter() -> None:
    text = (
        "\x1b[32mtests/test_a.py::test_x \x1b[1mPASSED\x1b[0m [100%]\r\n\x1b[32m==== 1 passed in 0.01s ====\x1b[0m\r\n"
    )
    found = read_results("pytest", Ended(text.encode()))
    assert found is not None
    assert found["passed"] == ["tests/test_a.py::test_x"]


BOX = """import unittest
class T(unittest.TestCase):
    def test_a(self):
        print("noise", end="")
    def test_b(self):
        self.assertEqual(1, 2)
"""


@pytest.mark.parametrize("words", [["-m", "unittest", "-v"], ["-m", "pytest", "-v", "-p", "no:cacheprovider"]])
def test_what_is_installed_here_writes_the_same(words: list[str], tmp_path: Path) -> None:
    (tmp_path / "test_box.py").write_text(BOX, encoding="utf-8")
    done = subprocess.run([sys.executable, *words], cwd=tmp_path, capture_output=True, check=False)
    found = read_results(" ".join(["python3", *words]), Ended(done.stdout, done.stderr, done.returncode))
    assert found is not None
    assert [len(found[key]) for key in LISTS] == [1, 1, 0, 0]
    assert found["passed"][0].endswith("test_a")
    assert found["ended"] == "finished"


@given(st.lists(st.text(max_size=40) | st.sampled_from((OUTPUTS / "jest_verbose.txt").read_text("utf-8").split("\n"))))
def test_whatever_is_printed_is_read(lines: list[str]) -> None:
    for framework in FRAMEWORKS:
        run = parser(framework)(lines)
        assert all(isinstance(name, str) for key in LISTS for name in getattr(run, key))
