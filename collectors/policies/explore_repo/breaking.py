"""Break a real function, see what the tests say, look for the cause, repair it."""

from __future__ import annotations

from posixpath import basename

from worldtape.collectors.policies.explore_repo.desk import Desk
from worldtape.collectors.policies.explore_repo.mutate import Function, Mutation, mutations
from worldtape.collectors.policies.explore_repo.step import Heard, Routine

_MOST_NAMED = 3
_FEW = 6
"""With fewer functions known, another file is read first."""
_ANOTHER = 0.35


def break_and_repair(desk: Desk) -> Routine[None]:
    """One mistake, from its making to its end."""
    fresh = desk.unread()
    if fresh and (len(desk.ground()) < _FEW or desk.rng.random() < _ANOTHER):
        yield from desk.read(desk.rng.choice(fresh), "read a source to change")
    chosen = _choose(desk)
    if chosen is None:
        return
    path, mutation = chosen
    if desk.voice.claude and path not in desk.read_paths:
        yield from desk.read(path, f"read before changing {mutation.function}", whole=False)
    heard = yield from desk.edit(path, mutation.old, mutation.new, f"break {mutation.function}: {mutation.kind}")
    if not heard.ok:
        yield from desk.read(path, "why was it not changed?")
        return
    desk.red.add(path)
    seen = yield from _test(desk, path)
    yield from _inquire(desk, path, mutation, seen)
    if desk.rng.random() < 0.15:  # noqa: PLR2004
        yield from _wrong_repair(desk, path, mutation)
    repaired = yield from _repair(desk, path, mutation)
    if repaired:
        desk.red.discard(path)
        if desk.rng.random() < 0.75:  # noqa: PLR2004
            yield from _again(desk, path, seen)


def _choose(desk: Desk) -> tuple[str, Mutation] | None:
    """Draw a function that was broken least often, then a kind of mistake, then a place."""
    ground = [(path, one) for path, one in desk.ground() if one.last - one.line > 1]
    desk.rng.shuffle(ground)
    ground.sort(key=lambda found: desk.notes.uses[f"break {found[1].name}"])
    for path, function in ground:
        found = _mistakes(desk, path, function)
        if found:
            desk.notes.uses[f"break {function.name}"] += 1
            kinds = sorted({one.kind for one in found})
            kind = desk.rng.choice(kinds)
            return path, desk.rng.choice([one for one in found if one.kind == kind])
    return None


def _mistakes(desk: Desk, path: str, function: Function) -> list[Mutation]:
    return mutations(desk.notes.files[path].text, function)


def _test(desk: Desk, path: str) -> Routine[Heard]:
    near = desk.tests_of(path)
    if near and desk.rng.random() < 0.6:  # noqa: PLR2004
        return (yield from desk.test("what does the mistake break?", *near[:2]))
    return (yield from desk.test("what does the mistake break?"))


def _inquire(desk: Desk, path: str, mutation: Mutation, seen: Heard) -> Routine[None]:
    """Look for the cause as one would who does not know it."""
    rng, relative = desk.rng, desk.notes.relative(path)
    named = [one for one in seen.broken if "::" in one]
    ways = ["diff", "read", "none"] + (["test", "one", "one"] if named else [])
    for way in rng.sample(ways, rng.choice((1, 1, 2))):
        if way == "diff":
            command = rng.choice((f"git diff -- {relative}", "git diff --stat", "git status --short"))
            yield from desk.run(command, "what was changed?")
        elif way == "read":
            first = max(1, mutation.line - rng.randint(2, 8))
            yield from desk.do(desk.voice.read(path, first, rng.randint(12, 30)), f"look at {mutation.function}")
        elif way == "one":
            yield from desk.test("one failing test", rng.choice(named[:_MOST_NAMED]))
        elif way == "test":
            name = rng.choice(named[:_MOST_NAMED]).rpartition("::")[2].partition("[")[0]
            yield from desk.do(
                desk.voice.search(rf"def {name}\b", include="*.py", mode="content"), "find a failing test"
            )


def _wrong_repair(desk: Desk, path: str, mutation: Mutation) -> Routine[None]:
    """A repair of the wrong place: an edit by memory that finds nothing, or another mistake."""
    lines = mutation.new.split("\n")
    guess = lines[0].strip() + "  # fixed"
    heard = yield from desk.edit(path, guess, mutation.old, "repair by memory")
    if not heard.ok:
        yield from desk.do(desk.voice.read(path, max(1, mutation.line - 2), len(lines) + 4), "look again")


def _repair(desk: Desk, path: str, mutation: Mutation) -> Routine[bool]:
    rng, known = desk.rng, desk.notes.files[path]
    way = rng.choices(("edit", "restore", "stash", "write", "sed"), (6, 3, 1, 1, 1))[0]
    if way == "write" and known.whole and len(known.before) < 20_000 and known.before.count("\n") > 1:  # noqa: PLR2004
        return (yield from desk.write(path, known.before, "write the file as it was")).ok
    if way == "stash" and not desk.red - {path}:
        return (yield from desk.stash("put the mistake aside")).ok
    if way == "restore" or known.text.count(mutation.new) != 1:
        return (yield from desk.restore(path)).ok
    if way == "sed" and "\n" not in mutation.new:
        last = mutation.line + mutation.old.count("\n")
        first = mutation.line
        yield from desk.run(f"sed -n '{first},{last}p' {desk.notes.relative(path)}", "show the line")
    heard = yield from desk.edit(path, mutation.new, mutation.old, f"repair {mutation.function}")
    return heard.ok or (yield from desk.restore(path)).ok


def _again(desk: Desk, path: str, seen: Heard) -> Routine[None]:
    named = [one for one in seen.broken if "::" in one]
    if named and desk.rng.random() < 0.4:  # noqa: PLR2004
        yield from desk.test("do they pass again?", *named[:_MOST_NAMED])
    elif (near := desk.tests_of(path)) and desk.rng.random() < 0.5:  # noqa: PLR2004
        yield from desk.test(f"is {basename(path)} right again?", *near[:2])
    else:
        yield from desk.test("do they pass again?")
