"""A repository as it was: its files, its index, its history."""

from __future__ import annotations

import zlib

from worldtape.collectors.swe.box import Box
from worldtape.collectors.swe.probe import Look, look
from worldtape.errors import ComponentError, NotFoundError


class Snapshots:
    """Of the repository of one box, kept outside of it; they end with the trajectory.

    What lies outside of the repository, and what runs, is not part of them.
    """

    def __init__(self, box: Box) -> None:
        self._box = box
        self._kept: dict[str, bytes] = {}

    async def take(self, seen: Look | None = None) -> str:
        """Keep the repository as it is now; return the id, made of its commit and its tree.

        Args:
            seen: a look at it, where one was just taken.

        Raises:
            ComponentError: git cannot be asked, or the container is gone.
        """
        seen = seen or await look(self._box)
        if seen is None:
            raise ComponentError("the repository cannot be looked at", where=self._box.workdir)
        name = f"{(seen.head or 'initial')[:16]}-{seen.tree[:16]}"
        self._kept[name] = zlib.compress(await self._box.pack(), 1)
        return name

    async def restore(self, name: str) -> None:
        """Bring the repository back to how it was.

        Raises:
            NotFoundError: there is no such snapshot.
            ComponentError: the container is gone.
        """
        if name not in self._kept:
            raise NotFoundError(f"there is no snapshot {name!r}", fix=f"known: {', '.join(self._kept) or 'none'}")
        await self._box.unpack(".", zlib.decompress(self._kept[name]), empty=True)
        await self._box.run(["git", "update-index", "-q", "--refresh"])


__all__ = ["Snapshots"]
