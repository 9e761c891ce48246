"""Calls that fail: what agents do that remember wrongly, and what systems do to everybody."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from posixpath import basename, dirname

from worldtape.collectors.policies.explore_repo.desk import Desk
from worldtape.collectors.policies.explore_repo.step import Routine, Step

_COMMANDS = (
    "cat CONTRIBUTORS.txt",
    "pyhton3 -m pytest -q",
    "python3 -m pytest -q tests/test_nothing_here.py",
    "python3 -m pytest --no-such-option",
    "python3 -c 'import numpy; print(numpy.__version__)'",
    "python3 scripts/build.py",
    "git checkout develop",
    "git show HEAD~40",
    "git push origin HEAD",
    "cd src/lib && ls",
    "ls /workspace/build",
    "make test",
    "rg --files",
    "node --version",
    "test -f .env && echo found",
    "grep -rn 'FIXME' --include='*.py' .",
    "python3 -c 'raise SystemExit(3)'",
    "sh -c 'kill -9 $$'",
    "python3 -c 'import os; os.abort()'",
    "git commit -q -m 'Nothing'",
    "git merge origin/main",
    "diff -q setup.py setup.cfg",
    "tar xzf dist/release.tar.gz",
    "git stash pop",
)
_SLOW = ("sleep 30", "python3 -c 'import time; print(\"waiting\", flush=True); time.sleep(60)'", "tail -f /dev/null")
_PATTERNS = ("(def", "[a-", "*import", "foo(?P<x", "a{2,1}")


def err(desk: Desk) -> Routine[None]:
    """Make one call that should fail; half of the time look for what was meant."""
    makers: tuple[Callable[[Desk], Iterator[Step]], ...] = (_paths, _edits, _shell, _shell, _arguments, _patterns)
    order = desk.rng.sample(makers, len(makers))
    for maker in order:
        steps = list(maker(desk))
        if steps:
            step = desk.rng.choice(steps)
            yield from desk.do(step, "wrong")
            if step.role == "file" and desk.rng.random() < 0.4:  # noqa: PLR2004
                yield from desk.do(desk.voice.find(f"**/{_stem(step.target)}*"), "what is it called?")
            return


def _stem(path: str) -> str:
    return basename(path).partition(".")[0][:4]


def _misspelt(path: str) -> str:
    name, dot, suffix = basename(path).rpartition(".")
    spelt = f"{name[:-2]}{name[-1:]}{name[-2:-1]}" if len(name) > 2 else f"{name}_old"  # noqa: PLR2004
    return f"{dirname(path)}/{spelt if spelt != name else name + 's'}{dot}{suffix}"


def _paths(desk: Desk) -> Iterator[Step]:
    rng, voice = desk.rng, desk.voice
    paths = list(desk.notes.paths)
    if not paths:
        return
    path = rng.choice(paths)
    yield voice.read(_misspelt(path))
    yield voice.read(
        f"{desk.notes.root}/{rng.choice(('src/main.py', 'docs/api.md', 'requirements.txt', 'lib/core.py'))}"
    )
    yield voice.read(dirname(path))
    if "list_directory" in voice.names:
        yield voice.read(desk.notes.relative(path))
        yield voice.folder(f"{desk.notes.root}/{rng.choice(('build', 'dist', 'lib', 'assets'))}")
        yield voice.folder(path)
        yield voice.read(f"/etc/{rng.choice(('passwd', 'hosts'))}")


def _edits(desk: Desk) -> Iterator[Step]:
    rng, voice = desk.rng, desk.voice
    for path, known in rng.sample(list(desk.notes.files.items()), min(3, len(desk.notes.files))):
        lines = [line for line in known.text.split("\n") if len(line.strip()) > 8]  # noqa: PLR2004
        if not lines:
            continue
        line = rng.choice(lines)
        yield voice.edit(path, f"{line}  # noqa", line)
        yield voice.edit(path, line.replace(" ", "  "), line)
        yield voice.edit(path, line, line)
        often = [word for word in ("return", "self", "import", "the", "in ") if known.text.count(word) > 1]
        if often:
            yield voice.edit(path, rng.choice(often), "later")
    unread = [path for path in desk.notes.paths if path not in desk.read_paths]
    if unread:
        path = rng.choice(unread)
        yield voice.edit(_misspelt(path), "x = 1", "x = 2")
        if voice.claude:
            yield voice.edit(path, "import", "import ")
            yield voice.write(path, "# empty\n")


def _shell(desk: Desk) -> Iterator[Step]:
    for command in desk.rng.sample(_COMMANDS, 4):
        yield desk.voice.run(command)
    if desk.slow and desk.rng.random() < 0.3:  # noqa: PLR2004
        yield desk.voice.run(desk.rng.choice(_SLOW), "Wait", timeout_ms=desk.rng.choice((700, 1000, 1500)))


def _arguments(desk: Desk) -> Iterator[Step]:
    """Arguments that the schemas refuse."""
    paths = list(desk.notes.paths)
    path = desk.rng.choice(paths) if paths else desk.notes.root
    read = desk.voice.read(path)
    yield Step(read.name, {}, "arguments", read.name)
    yield Step(read.name, {**read.arguments, "offset": "ten"}, "arguments", read.name)
    yield Step(read.name, {**read.arguments, "limit": -5}, "arguments", read.name)
    edit = desk.voice.edit(path, "a", "b")
    yield Step(edit.name, {key: edit.arguments[key] for key in ("file_path", "old_string")}, "arguments", edit.name)
    run = desk.voice.run("ls")
    yield Step(run.name, {"cmd": "ls"}, "arguments", run.name)


def _patterns(desk: Desk) -> Iterator[Step]:
    yield desk.voice.search(desk.rng.choice(_PATTERNS))
    yield desk.voice.search("def", path=f"{desk.notes.root}/{desk.rng.choice(('lib', 'build', 'src/core'))}")
    if "MultiEdit" in desk.voice.names:
        for path in list(desk.notes.files)[:1]:
            step = desk.voice.edits(path, [("nothing like this", "x"), ("a", "b")])
            yield from () if step is None else (step,)
