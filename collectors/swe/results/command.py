"""Whether a shell command runs tests, and by which framework."""

from __future__ import annotations

import re
import shlex
from collections.abc import Sequence

ANY = "any"
"""Tests are run, by whatever is behind the command: `make test`, `npm test`, `tox`."""
_ASSIGNMENT = re.compile(r"[A-Za-z_]\w*=")
_PYTHON = re.compile(r"(python|pypy)[\d.]*t?")
_SPLIT = re.compile(r"&&|\|\||[;\n|&()]")
_REDIRECTION = re.compile(r"\d*>&?\d?|&>|2>&1")
_TAKES_VALUE = {
    "timeout": 1,
    "nice": 0,
    "env": 0,
    "time": 0,
    "sudo": 0,
    "xvfb-run": 0,
    "stdbuf": 0,
    "exec": 0,
    "nohup": 0,
}
"""Programs that run another one, to how many words of theirs stand before it."""
_RUNS = {("uv", "run"), ("poetry", "run"), ("pipenv", "run"), ("hatch", "run"), ("pdm", "run"), ("pixi", "run")}
_PACKAGE_RUNNERS = {"npx", "bunx", "pnpx"}
_BY_NAME = {"pytest": "pytest", "py.test": "pytest", "unittest": "unittest", "jest": "jest", "vitest": "vitest",
            "mocha": "mocha", "_mocha": "mocha", "tox": ANY, "nox": ANY, "gotestsum": "go"}  # fmt: skip
_MAKES = {"make", "gmake", "just", "task", "ninja"}
_PACKAGERS = {"npm", "yarn", "pnpm", "bun"}
_TESTS = re.compile(r"(run-?)?(unit-?)?(tests?|check)([:_-]\w+)*|t")
_SCRIPT = re.compile(r"(.*/)?(run[_-]?)?tests?(\.(sh|py|js|mjs|cjs))?")
_SHELLS = {"sh", "bash", "dash", "zsh"}


def runner(command: str, test_command: str | None = None) -> str | None:
    """Return the framework that a shell command runs tests by; `any`: only its output can tell; None: it runs none.

    Args:
        command: as it was given to the shell.
        test_command: the repository's own, if it has one; it runs tests whatever it looks like.
    """
    found = {name for words in _commands(command) if (name := _runner(words)) is not None}
    if found:
        return next(iter(found)) if len(found) == 1 else ANY
    return ANY if test_command and test_command.strip() in command else None


def _commands(command: str) -> list[list[str]]:
    """Return the words of each simple command; quotes hold words together where they can be read."""
    try:
        lexer = shlex.shlex(command.replace("\n", ";"), posix=True, punctuation_chars="();<>|&")
        lexer.whitespace_split = True
        words = list(lexer)
    except ValueError:
        return [piece.split() for piece in _SPLIT.split(command)]
    found: list[list[str]] = [[]]
    for word in words:
        if set(word) <= set("();|&"):
            found.append([])
        else:
            found[-1].append(word)
    return found


def _runner(words: Sequence[str]) -> str | None:
    words = _bare(words)
    if not words:
        return None
    name, rest = words[0].rsplit("/", 1)[-1], words[1:]
    if _PYTHON.fullmatch(name) or (name == "coverage" and rest[:1] == ["run"]):
        return _by_python(rest[name == "coverage" :])
    if name in _SHELLS and rest:
        return _by_shell(rest)
    return _BY_NAME.get(name) or _by_verb(name, words[0], rest)


def _by_shell(rest: Sequence[str]) -> str | None:
    if rest[0] in {"-c", "-lc", "-ec"} and len(rest) > 1:
        return runner(rest[1])
    return ANY if _SCRIPT.fullmatch(rest[0]) else None


def _by_verb(name: str, path: str, rest: Sequence[str]) -> str | None:
    verbs = [word for word in rest if not word.startswith(("-", "+"))]
    verb = verbs[0] if verbs else ""
    if name == "go":
        return "go" if verb == "test" else None
    if name == "cargo":
        return "cargo" if verb in {"test", "t", "nextest"} else None
    if name == "node":
        return "node" if "--test" in rest else ANY if _SCRIPT.fullmatch(verb) else None
    if name in _PACKAGERS:
        verb = verbs[1] if verb in {"run", "run-script"} and len(verbs) > 1 else verb
        return _BY_NAME.get(verb, ANY if _TESTS.fullmatch(verb) else None)
    if name in _MAKES:
        return ANY if any(_TESTS.fullmatch(word) for word in verbs) else None
    return ANY if "/" in path and _SCRIPT.fullmatch(path) else None


def _by_python(rest: Sequence[str]) -> str | None:
    for place, word in enumerate(rest):
        if word == "-m" or (word.startswith("-") and not word.startswith("--") and word.endswith("m")):
            module = rest[place + 1] if place + 1 < len(rest) else ""
            if module == "coverage":
                return _by_python(rest[place + 3 :]) if rest[place + 2 : place + 3] == ["run"] else None
            return ANY if module == "test" else _BY_NAME.get(module)
        if word in {"-W", "-X"}:
            continue
        if not word.startswith("-") and rest[place - 1 : place] not in (["-W"], ["-X"]):
            name = word.rsplit("/", 1)[-1]
            return ANY if name.startswith("test") or _SCRIPT.fullmatch(word) else None
        if word == "-c":
            return None
    return None


def _bare(words: Sequence[str]) -> list[str]:
    """Return the words without assignments and programs that only run another one."""
    left = list(words)
    while left:
        name = left[0].rsplit("/", 1)[-1]
        if _ASSIGNMENT.match(left[0]):
            left = left[1:]
        elif name in _TAKES_VALUE:
            left = _after_options(left[1:], _TAKES_VALUE[name])
        elif tuple(left[:2]) in _RUNS:
            left = _after_options(left[2:], 0)
        elif name in _PACKAGE_RUNNERS:
            left = _after_options(left[1:], 0)
        else:
            return left
    return left


def _after_options(words: Sequence[str], values: int) -> list[str]:
    left = list(words)
    while left and left[0].startswith("-"):
        takes = left[0] in {"-n", "-s", "-k", "-u", "--signal"} and len(left) > 1
        left = left[2:] if takes else left[1:]
    return left[values:]


__all__ = ["ANY", "runner"]
