"""What seeded files hold."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from random import Random

from worldtape.collectors.policies.explore.tables import read_yaml
from worldtape.collectors.policies.explore.theme import Theme

_HOLE = re.compile(r"@([a-z]+)@")


def body(kind: str, theme: Theme, rng: Random) -> str:
    """Return the lines of a small file of this kind, without the last line end and without tabs or backslashes."""
    return _BODIES[kind](theme, rng)


def sentence(theme: Theme, rng: Random) -> str:
    """Return a few plain words; safe between any quotes."""
    a, b = rng.sample(theme.words, 2)
    return f"{rng.choice(theme.fillers)} {a} {rng.choice(theme.verbs)} {rng.choice(theme.fillers)} {b}"


def _text(theme: Theme, rng: Random) -> str:
    return "\n".join(sentence(theme, rng) for _ in range(rng.randint(3, 9)))


def _table(theme: Theme, rng: Random) -> str:
    rows = [
        f"{rng.choice(theme.words)}-{index},{rng.choice(theme.words)},{rng.randint(1, 400)}"
        for index in range(rng.randint(4, 9))
    ]
    return "\n".join([",".join(theme.columns), *rows])


def _log(theme: Theme, rng: Random) -> str:
    minute = rng.randint(0, 20)
    lines = []
    for _ in range(rng.randint(5, 11)):
        minute += rng.randint(1, 3)
        level = rng.choices(theme.levels, (5, 3, 2, 2))[0]
        lines.append(f"2024-03-{rng.randint(1, 3):02d} 07:{minute:02d}:00 {level} {rng.choice(theme.events)}")
    return "\n".join(lines)


def _json(theme: Theme, rng: Random) -> str:
    items = [{"name": word, "n": rng.randint(1, 90)} for word in rng.sample(theme.words, 3)]
    return json.dumps({"name": theme.name, "version": rng.randint(1, 9), "items": items}, indent=rng.choice((1, 2)))


def _ini(theme: Theme, rng: Random) -> str:
    lines = [f"[{theme.name}]"]
    lines += [f"{word} = {rng.randint(1, 99)}" for word in rng.sample(theme.words, 3)]
    lines += ["[paths]", f"root = /srv/{rng.choice(theme.dirs)}", f"debug = {rng.choice(('true', 'false'))}"]
    return "\n".join(lines)


def _code(kind: str) -> Callable[[Theme, Random], str]:
    def write(theme: Theme, rng: Random) -> str:
        values = dict(zip("abc", rng.sample(theme.words, 3), strict=True))
        values |= {"fn": rng.choice(theme.functions), "n": str(rng.randint(3, 9)), "m": str(rng.randint(10, 60))}
        sample: str = rng.choice(read_yaml("samples.yaml")[kind])
        return _HOLE.sub(lambda hole: values[hole[1]], sample)

    return write


_BODIES: dict[str, Callable[[Theme, Random], str]] = {
    "csv": _table,
    "ini": _ini,
    "json": _json,
    "log": _log,
    "py": _code("py"),
    "sh": _code("sh"),
    "txt": _text,
}
