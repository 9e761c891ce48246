"""Placeholders: `@file@`, `@n@`, `@new:csv@`, … become something that fits the world."""

from __future__ import annotations

import posixpath
import re
from collections.abc import Callable

from worldtape.collectors.policies.explore.content import body, sentence
from worldtape.collectors.policies.explore.world import READABLE, World

_HOLE = re.compile(r"@([A-Za-z]+|(?=\d@))(\d*)(?::(\w+))?@")
_NUMBERS = {"n": (2, 9), "nn": (10, 60), "nnn": (100, 999), "step": (1, 4), "year": (2019, 2031), "col": (1, 3)}
_PATHS = {
    "file": READABLE, "text": ("txt",), "csv": ("csv",), "log": ("log",), "json": ("json",), "py": ("py",),
    "sh": ("sh",), "ini": ("ini",), "dir": ("dir",), "tgz": ("tgz",), "gz": ("gz",),
}  # fmt: skip
_MODES = ("600", "640", "644", "700", "750", "755", "400", "664")


class UnfitError(LookupError):
    """The world has nothing to put into a placeholder."""


class Filler:
    """Fills the placeholders of one episode; the same placeholder always gets the same value.

    Args:
        world: what there is.
        given: values that are already known, by placeholder.
    """

    def __init__(self, world: World, given: dict[str, str] | None = None) -> None:
        self.world = world
        self.bound = dict(given or {})

    def fill(self, text: str) -> str:
        """Return `text` with every placeholder filled.

        Raises:
            UnfitError: one cannot be.
            KeyError: one is not known.
        """
        return _HOLE.sub(self._value, text)

    def _value(self, match: re.Match[str]) -> str:
        whole = match[0].strip("@")
        if whole not in self.bound:
            name, kind = match[1], match[3]
            taken = {value for key, value in self.bound.items() if key.rstrip("0123456789") == name}
            self.bound[whole] = self._make(name, kind, taken)
        return self.bound[whole]

    def _make(self, name: str, kind: str | None, taken: set[str]) -> str:
        if name == "new":
            return self.world.fresh(f".{kind}")
        if name == "body":
            return body(str(kind), self.world.theme, self.world.rng)
        for _ in range(20):
            value = self._draw(name)
            if value not in taken:
                break
        else:
            raise UnfitError(name)
        return value

    def _draw(self, name: str) -> str:
        rng = self.world.rng
        if name in _NUMBERS:
            return str(rng.randint(*_NUMBERS[name]))
        if name in _PATHS:
            return self._path(_PATHS[name])
        return _DRAWS[name](self.world)

    def _path(self, kinds: tuple[str, ...]) -> str:
        """Draw a path; what stands on the screen is three times as likely."""
        paths = self.world.paths(*kinds)
        if not paths:
            raise UnfitError(kinds[0])
        weights = [3 if posixpath.basename(path) in self.world.screen else 1 for path in paths]
        return self.world.rng.choices(paths, weights)[0]


def _word(world: World) -> str:
    return world.rng.choice(world.theme.words)


def _missing(world: World) -> str:
    stem, number = world.rng.choice(world.theme.stems), world.rng.randint(2, 99)
    return f"{stem}-{number}.{world.rng.choice(READABLE)}"


def _extension(world: World) -> str:
    kinds = world.kinds()
    if not kinds:
        raise UnfitError("ext")
    return world.rng.choice(kinds)


_DRAWS: dict[str, Callable[[World], str]] = {
    "VAR": lambda world: world.rng.choice(world.theme.variables),
    "WORD": lambda world: _word(world).upper(),
    "Word": lambda world: _word(world).title(),
    "ext": _extension,
    "fn": lambda world: world.rng.choice(world.theme.functions),
    "gittypo": lambda world: world.rng.choice(world.theme.git_typos),
    "level": lambda world: world.rng.choice(world.theme.levels),
    "missing": _missing,
    "mode": lambda world: world.rng.choice(_MODES),
    "newdir": lambda world: world.fresh(),
    "project": lambda world: f"{world.theme.name}-{world.rng.randint(1, 99)}",
    "sentence": lambda world: sentence(world.theme, world.rng),
    "themedir": lambda world: world.rng.choice(world.theme.dirs),
    "typo": lambda world: world.rng.choice(world.theme.typos),
    "word": _word,
}
