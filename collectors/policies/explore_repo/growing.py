"""Changes that are meant to stay: tests, notes, documentation, commits, branches."""

from __future__ import annotations

import doctest
import re
from posixpath import basename, dirname
from typing import NamedTuple

from worldtape.collectors.policies.explore_repo.desk import Desk
from worldtape.collectors.policies.explore_repo.step import Routine

_LOG = re.compile(r"written to: (\S+)")
_SIMPLE = re.compile(r"[^\n=]+")


class Example(NamedTuple):
    """An example of a docstring."""

    path: str
    function: str
    call: str
    result: str


def examples(desk: Desk) -> list[Example]:
    """Return the examples of one line that stand in docstrings of sources that were read."""
    found, parser = list[Example](), doctest.DocTestParser()
    for path, function in desk.ground():
        text = _docstring(function.node)
        try:
            told = parser.get_examples(text)
        except ValueError:
            continue
        for one in told:
            call, result = one.source.strip(), one.want.strip()
            if result and "\n" not in result and function.node.name in call and _SIMPLE.fullmatch(call):
                found.append(Example(path, function.node.name, call, result))
    return found


def _docstring(node: object) -> str:
    import ast

    assert isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef))
    return ast.get_docstring(node) or ""


def try_out(desk: Desk) -> Routine[None]:
    """Run an example, or ask what a function takes."""
    told, ground = examples(desk), desk.ground()
    if told and desk.rng.random() < 0.7:  # noqa: PLR2004
        one = desk.rng.choice(told)
        code = f"from {desk.notes.module(one.path)} import *\nprint(repr({one.call}))"
        yield from desk.run(f"python3 - <<'EOF'\n{code}\nEOF", f"try {one.function}")
    elif ground:
        path, function = desk.rng.choice(ground)
        module = desk.notes.module(path)
        code = f"import inspect, {module} as m; print(inspect.signature(m.{function.name}))"
        yield from desk.run(f'python3 -c "{code}"', f"what does {function.name} take?")


def new_test(desk: Desk) -> Routine[None]:
    """Write tests from examples, run them, and mend or remove them."""
    rng, told = desk.rng, examples(desk)
    if not told:
        return
    path = rng.choice(told).path
    chosen = [one for one in told if one.path == path]
    chosen = rng.sample(chosen, min(len(chosen), rng.randint(2, 4)))
    desk.notes.uses["new tests"] += 1
    number = desk.notes.uses["new tests"]
    folder = dirname(rng.choice(desk.notes.tests)) if desk.notes.tests else desk.notes.root
    target = f"{folder}/test_examples_{number}.py"
    spoiled = rng.random() < 0.4  # noqa: PLR2004
    text = _test_file(desk.notes.module(path), chosen, spoiled=spoiled)
    heard = yield from desk.write(target, text, "write tests from examples")
    if not heard.ok:
        return
    heard = yield from desk.test("do the new tests pass?", desk.notes.relative(target))
    if spoiled and not heard.ok:
        mended = _test_file(desk.notes.module(path), chosen, spoiled=False)
        yield from desk.edit(target, text.split("\n")[-2], mended.split("\n")[-2], "mend the test")
        heard = yield from desk.test("do they pass now?", desk.notes.relative(target))
    if not heard.ok or rng.random() < 0.5:  # noqa: PLR2004
        done = yield from desk.run(f"rm {desk.notes.relative(target)}", "take the new tests away")
        if done.ok:
            desk.notes.gone(target)
    else:
        yield from commit(desk)


def _test_file(module: str, chosen: list[Example], *, spoiled: bool) -> str:
    lines = [f"from {module} import *", ""]
    for number, one in enumerate(chosen, 1):
        want = f"{one.result!r} + '?'" if spoiled and number == len(chosen) else repr(one.result)
        lines += ["", f"def test_{one.function.strip('_')}_{number}():", f"    assert repr({one.call}) == {want}"]
    return "\n".join([*lines, ""])


def note(desk: Desk) -> Routine[None]:
    """Write notes, go on with them, read them again."""
    path, names = f"{desk.notes.root}/NOTES.md", sorted({one.name for _, one in desk.ground()})
    if not names:
        return
    some = desk.rng.sample(names, min(len(names), desk.rng.randint(2, 5)))
    known = desk.notes.files.get(path)
    if known is None or not known.text:
        text = "# Notes\n\n" + "".join(f"- `{name}` was looked at\n" for name in some)
        yield from desk.write(path, text, "write notes")
    elif desk.rng.random() < 0.6:  # noqa: PLR2004
        yield from desk.edit(path, "# Notes\n", f"# Notes\n\nNext: `{some[0]}`.\n", "go on with the notes")
    else:
        yield from desk.read(path, "read the notes")


def document(desk: Desk) -> Routine[None]:
    """Put a comment above a function, or above two at once where there is a tool for it."""
    ground = [(path, one) for path, one in desk.ground() if not one.node.decorator_list]
    found = [(path, one) for path, one in ground if desk.notes.files[path].text.count(_line(desk, path, one.line)) == 1]
    if not found:
        return
    path, function = desk.rng.choice(found)
    if desk.voice.claude and path not in desk.read_paths:
        yield from desk.read(path, "read before a comment", whole=False)
    others = [one for where, one in found if where == path and one.line != function.line]
    chosen = [function, desk.rng.choice(others)] if others and desk.rng.random() < 0.5 else [function]  # noqa: PLR2004
    pairs = [(line := _line(desk, path, one.line), f"{_comment(desk, line, one.node.name)}\n{line}") for one in chosen]
    step = desk.voice.edits(path, pairs) if len(pairs) > 1 else None
    if step is not None:
        heard = yield from desk.do(step, "comment two functions")
        for old, new in pairs if heard.ok else ():
            desk.notes.replaced(path, old, new)
    else:
        heard = yield from desk.edit(path, *pairs[0], f"comment {function.name}")
    if heard.ok and desk.rng.random() < 0.5:  # noqa: PLR2004
        yield from desk.run("git diff", "look at the comment")


def _comment(desk: Desk, line: str, name: str) -> str:
    says = desk.rng.choice((f"TODO: say what {name} returns", "see the tests", "kept simple on purpose"))
    return f"{line[: len(line) - len(line.lstrip())]}# {says}"


def _line(desk: Desk, path: str, number: int) -> str:
    lines = desk.notes.files[path].text.split("\n")
    return lines[number - 1] if number <= len(lines) else ""


def commit(desk: Desk) -> Routine[None]:
    """Commit what was changed, and look at it; where nothing was, git says so."""
    message = desk.rng.choice(("Add tests from the examples", "Notes", "Comments", "Work in progress"))
    way = desk.rng.choice((f"git add -A && git commit -q -m '{message}'", f"git commit -q -a -m '{message}'", ""))
    if not way:
        yield from desk.run("git add -A", "stage")
        way = f"git commit -q -m '{message}'"
    heard = yield from desk.run(way, "commit")
    if heard.ok:
        for known in desk.notes.files.values():
            known.before = known.text
        yield from desk.run("git log --oneline | head -n 3", "look at the commit")


def branch(desk: Desk) -> Routine[None]:
    """Go to a branch of one's own, and look at where one is."""
    desk.notes.uses["branches"] += 1
    name = f"try-{desk.notes.uses['branches']}"
    yield from desk.run(f"git checkout -q -b {name}", "open a branch")
    if desk.rng.random() < 0.5:  # noqa: PLR2004
        yield from desk.run("git branch", "which branch?")


def rename(desk: Desk) -> Routine[None]:
    """Rename a function in its own file only, see who misses it, and take it back."""
    ground = [(path, one) for path, one in desk.ground() if "." not in one.name and len(one.name) > 4]  # noqa: PLR2004
    if not ground:
        return
    path, function = desk.rng.choice(ground)
    name, new = function.name, f"{function.name}_v2"
    if desk.voice.claude and path not in desk.read_paths:
        yield from desk.read(path, "read before renaming", whole=False)
    heard = yield from desk.edit(path, name, new, f"rename {name}", everywhere=True)
    if not heard.ok:
        return
    desk.red.add(path)
    yield from desk.test("who misses it?")
    yield from desk.do(desk.voice.search(rf"\b{name}\b", include="*.py"), "who uses the old name?")
    heard = yield from desk.restore(path)
    if heard.ok:
        desk.red.discard(path)


def move(desk: Desk) -> Routine[None]:
    """Move a file of tests away, see what is left, and move it back."""
    tests = [desk.notes.relative(one) for one in desk.notes.tests]
    if not tests:
        return
    path = desk.rng.choice(tests)
    aside = f"{dirname(path) or '.'}/_{basename(path)}"
    heard = yield from desk.run(f"git mv {path} {aside}", "move tests aside")
    if heard.ok:
        yield from desk.test("what is left?", *([path] if desk.rng.random() < 0.5 else []))  # noqa: PLR2004
        yield from desk.run(f"git mv {aside} {path}", "move them back")


def in_background(desk: Desk) -> Routine[None]:
    """Let the tests run by themselves, and look at what they wrote so far, and a moment later."""
    step = desk.voice.run(desk.test_command, "Run the tests in the background", background=True)
    heard = yield from desk.do(step, "tests in the background")
    log = _LOG.search(heard.text)
    if log is not None:
        yield from desk.run(f"tail -n 5 {log[1]}", "are they done?")
        wait = f"for i in 1 2 3 4 5 6; do grep -q ' in ' {log[1]} && break; sleep 0.5; done"
        yield from desk.run(f"{wait}; tail -n 3 {log[1]}", "what do they say?")
