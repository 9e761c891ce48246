"""What the explorer believes about the machine, from what worked so far."""

from __future__ import annotations

import posixpath
from collections.abc import Mapping
from random import Random
from typing import Any

from worldtape.collectors.policies.explore.theme import Theme

READABLE = ("txt", "csv", "log", "json", "py", "sh", "ini")
"""Kinds of files that text tools can be tried on."""

_LOOKED_FOR = {"git", "jq", "less", "nano", "python3", "sqlite3"}
"""Tools that an environment names among its versions where it has them."""


class World:
    """Files, flags and missing tools. Paths are relative to the session's own folder.

    Args:
        theme: where names come from.
        rng: the policy's only source of chance.
    """

    def __init__(self, theme: Theme, rng: Random) -> None:
        self.theme = theme
        self.rng = rng
        self.files: dict[str, str] = {}
        self.flags: set[str] = set()
        self.absent: set[str] = set()
        self.cwd = "."
        self.screen = ""
        self._root: str | None = None
        self._names: set[str] = set()

    def start(self, versions: Mapping[str, str]) -> None:
        """Take over which tools the environment lacks, where it looked for them."""
        if "bash" in versions:
            self.absent |= _LOOKED_FOR - versions.keys()

    def settle_here(self, state: dict[str, Any] | None) -> None:
        """The directory reached now is the session's own folder."""
        self._root = (state or {}).get("cwd")
        self.cwd = "."

    def move(self, path: str | None, state: dict[str, Any] | None) -> None:
        """Follow the shell: by the probe where there is one, else by what was typed."""
        found = (state or {}).get("cwd")
        if isinstance(found, str) and self._root:
            self.cwd = posixpath.relpath(found, self._root)
        elif path is not None:
            self.cwd = posixpath.normpath(posixpath.join(self.cwd, path))
        (self.flags.discard if self.cwd == "." else self.flags.add)("inside")

    def add(self, shown: str, kind: str) -> None:
        """A file or directory is there now; `shown` is relative to the working directory."""
        self.files[self._whole(shown)] = kind

    def drop(self, shown: str) -> None:
        """It is gone, and what was below it too."""
        whole = self._whole(shown)
        self.files = {
            path: kind for path, kind in self.files.items() if path != whole and not path.startswith(whole + "/")
        }

    def paths(self, *kinds: str) -> list[str]:
        """Return what there is of these kinds, relative to the working directory, in order of making."""
        found = [posixpath.relpath(path, self.cwd) for path, kind in self.files.items() if kind in kinds]
        return [path for path in found if path != "."]

    def kinds(self) -> list[str]:
        """Return the readable kinds that there are."""
        return [kind for kind in READABLE if kind in self.files.values()]

    def fresh(self, suffix: str = "") -> str:
        """Return a name that is not in use."""
        stem = self.rng.choice(self.theme.stems)
        for number in range(1, 1000):
            name = stem if number == 1 else f"{stem}{number}"
            if name not in self._names:
                self._names.add(name)
                return name + suffix
        raise AssertionError(stem)

    def has(self, need: str) -> bool:
        """Say whether a need holds: a flag, or `tool NAME`."""
        if need.startswith("tool "):
            return need.removeprefix("tool ") not in self.absent
        return need in self.flags

    def _whole(self, shown: str) -> str:
        return posixpath.normpath(posixpath.join(self.cwd, shown))
