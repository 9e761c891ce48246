"""Names that stand for code, loaded when they are used."""

import sys
from collections.abc import Iterator, Mapping
from difflib import get_close_matches
from functools import lru_cache
from importlib import import_module
from importlib.metadata import entry_points
from typing import Any

from worldtape.errors import NotFoundError


@lru_cache(maxsize=32)
def _entry_points(group: str, _path: tuple[str, ...]) -> dict[str, str]:
    """Return what installed packages add; looking at all of them takes milliseconds."""
    return {point.name: point.value for point in entry_points(group=group)}


class Registry(Mapping[str, Any]):
    """`name -> "module:attribute"`, extended by the entry points of installed packages.

    Args:
        what: what is registered here, for messages ("renderer").
        builtin: our own.
        group: the entry-point group that other packages use to add theirs.
    """

    def __init__(self, what: str, builtin: Mapping[str, str], *, group: str) -> None:
        self.what = what
        self.group = group
        self._builtin = dict(builtin)

    def paths(self) -> dict[str, str]:
        """Return every known name with its dotted path."""
        return _entry_points(self.group, tuple(sys.path)) | self._builtin

    def __getitem__(self, name: str) -> Any:
        paths = self._builtin if name in self._builtin else self.paths()
        if name not in paths:
            near = get_close_matches(name, paths, n=1)
            hint = f"did you mean {near[0]!r}?" if near else f"known: {', '.join(sorted(paths)) or 'none'}"
            raise NotFoundError(f"no {self.what} is called {name!r}", fix=hint)
        module, _, attribute = paths[name].partition(":")
        return getattr(import_module(module), attribute)

    def __iter__(self) -> Iterator[str]:
        return iter(sorted(self.paths()))

    def __len__(self) -> int:
        return len(self.paths())
