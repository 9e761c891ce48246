"""One at a time changes which parts there are."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO, TYPE_CHECKING

from worldtape.errors import LockedError, boundary
from worldtape.storage._disk import hold, is_at
from worldtape.storage.lake import _layout as layout

if TYPE_CHECKING:
    from worldtape.storage.lake._lake import Lake


@contextmanager
def alone(lake: Lake) -> Iterator[None]:
    """Keep everybody else from planning, judging or moving parts until the block ends; an object store has no locks.

    Raises:
        LockedError: somebody else is at it.
    """
    if not lake.store.local:
        yield
        return
    path = Path(lake.store.full(layout.LOCK))
    with boundary(path):
        file = _taken(path)
    with file:
        try:
            yield
        finally:
            path.unlink(missing_ok=True)  # while it is held: who waits for this one looks whether it is still there


def _taken(path: Path) -> IO[bytes]:
    while True:
        path.parent.mkdir(parents=True, exist_ok=True)
        file = path.open("ab")
        if not hold(file.fileno()):
            file.close()
            what = "somebody else is changing this lake"
            raise LockedError(what, where=path.parents[1], fix="wait until they are done and run it again")
        if is_at(file.fileno(), path):
            return file
        file.close()
