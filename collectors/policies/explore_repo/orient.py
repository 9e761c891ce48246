"""Getting to know a repository."""

from __future__ import annotations

from posixpath import basename, dirname

from worldtape.collectors.policies.explore_repo.desk import Desk
from worldtape.collectors.policies.explore_repo.mutate import functions
from worldtape.collectors.policies.explore_repo.step import Routine

_FRONT = ("readme", "setup.cfg", "setup.py", "pyproject.toml", "changes", "history", "tox.ini")
_LOOKS = (
    "git log --oneline | head -n 5",
    "git status --short",
    "git log -1 --stat | tail -n 12",
    "git branch -a",
    "git ls-files | wc -l",
    "wc -l $(git ls-files '*.py') | sort -n | tail -n 8",
    "python3 --version",
    "pwd && ls",
    "git remote -v",
    "find . -name '*.py' -not -path './.git/*' | head -n 20",
    "du -sh . && df -h . | tail -n 1",
)


def orient(desk: Desk) -> Routine[None]:
    """Look around: what is here, and do its tests pass?"""
    rng, voice, root = desk.rng, desk.voice, desk.notes.root
    if rng.random() < 0.7:  # noqa: PLR2004
        yield from desk.do(voice.folder(root), "look around")
    yield from desk.do(voice.find("**/*.py"), "look around")
    for command in rng.sample(_LOOKS, rng.randint(0, 2)):
        yield from desk.run(command, "look around")
    if rng.random() < 0.4:  # noqa: PLR2004
        yield from front_page(desk)
    if rng.random() < 0.7:  # noqa: PLR2004
        yield from desk.test("do they pass?")


def front_page(desk: Desk) -> Routine[None]:
    """Read what introduces the repository."""
    heard = yield from desk.do(desk.voice.find("*"), "look for the introduction")
    del heard
    near = [path for path in desk.notes.paths if dirname(path) == desk.notes.root]
    front = [path for path in near if basename(path).lower().startswith(_FRONT)]
    if front:
        path = desk.rng.choice(front)
        yield from desk.do(desk.voice.read(path, 1, desk.rng.choice((20, 40, 80))), "read the introduction")


def look(desk: Desk) -> Routine[None]:
    """Ask git or the system."""
    yield from desk.run(desk.rng.choice(_LOOKS), "look")


def listing(desk: Desk) -> Routine[None]:
    """List a folder, or find files by name."""
    folders = sorted({dirname(path) for path in desk.notes.paths})
    if folders and desk.rng.random() < 0.6:  # noqa: PLR2004
        yield from desk.do(desk.voice.folder(desk.rng.choice(folders)), "list")
    else:
        pattern = desk.rng.choice(
            ("**/*.rst", "**/*.md", "**/*.toml", "**/test*.py", "*.cfg", "**/__init__.py", "**/*.txt")
        )
        yield from desk.do(desk.voice.find(pattern), "find files")


def read_source(desk: Desk) -> Routine[None]:
    """Read a source that was not read yet, or a part of one that was."""
    fresh = desk.unread()
    if fresh:
        yield from desk.read(desk.rng.choice(fresh), "read a source")
        return
    found = desk.ground()
    if found:
        path, function = desk.rng.choice(found)
        count = min(60, function.last - function.line + 3)
        yield from desk.do(desk.voice.read(path, max(1, function.line - 1), count), f"read {function.name}")


def read_test(desk: Desk) -> Routine[None]:
    """Read a file of tests."""
    tests = desk.notes.tests
    if tests:
        path = min(desk.rng.sample(tests, len(tests)), key=lambda one: desk.notes.uses[one])
        yield from desk.read(path, "read tests", whole=False)


def search(desk: Desk) -> Routine[None]:
    """Search for a function that was seen: its definition, its uses."""
    names = sorted({one.node.name for _, one in desk.ground() if not one.node.name.startswith("__")})
    if not names:
        yield from desk.do(desk.voice.search(r"^def \w+", include="*.py"), "search")
        return
    name = min(desk.rng.sample(names, min(3, len(names))), key=lambda one: desk.notes.uses[f"search {one}"])
    desk.notes.uses[f"search {name}"] += 1
    pattern = desk.rng.choice((rf"def {name}\b", rf"\b{name}\(", name, rf"import .*\b{name}\b"))
    include = desk.rng.choice((None, "*.py", "test_*.py"))
    mode = desk.rng.choice((None, "content", "count", "files_with_matches"))
    yield from desk.do(desk.voice.search(pattern, include=include, mode=mode), f"search for {name}")


def todo(desk: Desk) -> Routine[None]:
    """Write or go on with a list of what is to do."""
    names = [one.node.name for path in desk.notes.files for one in functions(desk.notes.files[path].text)]
    if names:
        about = desk.rng.choice(names)
        items = ("Run the tests", f"Read {about}", f"Change {about}", "Run the tests again", "Clean up")
        step = desk.voice.todo(items[: desk.rng.randint(3, 5)], desk.rng.randint(0, 3))
        if step is not None:
            yield from desk.do(step, "plan")
