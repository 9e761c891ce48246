"""Putting the tapes of one source away."""

from __future__ import annotations

import os
from collections.abc import Collection
from contextlib import suppress
from functools import partial
from pathlib import Path
from types import TracebackType
from typing import IO, Self

from worldtape.errors import ComponentError, FormatError, NotFoundError, StorageError, boundary
from worldtape.storage.blobs import Blobs
from worldtape.storage.tapes.pack import PackWriter, pack_at, packs_of
from worldtape.storage.tapes.paths import tape_name, tape_path
from worldtape.storage.tapes.whole import WholeTape, begun, named, published

_PACK = 64 << 20
"""Bytes of a pack from which another one is begun."""


class Shelf:
    """Where the tapes of one source go: one alone into its own file, several into packs, very long ones alone again.

    A context manager: at its end everything has its name, also where the source turned out to be damaged further on.
    The same tapes always give the same files. Where two import a source at once, the second adds nothing. What stood in
    a pack that cannot be read any more is written again, beside it.

    Args:
        lake: its folder.
        key: 32 hexadecimal digits for the source and its format: names the packs.
        blobs: where payloads too large for a line are kept.
    """

    def __init__(self, lake: Path, key: str, blobs: Blobs) -> None:
        self._lake = lake
        self._folder = lake / "tapes"
        self._key = key
        self._blobs = blobs
        self._known = {name for path in packs_of(self._folder, key) for name in _names(path)}
        self._count = len(self._known)
        self._alone: tuple[str, str, bytes] | None = None
        self._pack: _Open | None = None

    def __contains__(self, trajectory_id: str) -> bool:
        """Tell whether the lake has this tape, or will have it at the end."""
        held = self._alone is not None and self._alone[0] == trajectory_id
        if held or trajectory_id in self._known or (self._pack is not None and trajectory_id in self._pack.ids):
            return True
        path = f"{self._lake}/{tape_name(trajectory_id)}"
        return os.path.exists(f"{path}.zst") or os.path.exists(path)  # noqa: PTH110

    def tape(self, trajectory_id: str, domain: str) -> WholeTape:
        """Return a new tape."""
        return WholeTape(self._lake, trajectory_id, self._blobs, keep=partial(self._keep, trajectory_id, domain))

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if error is None or (isinstance(error, Exception) and not isinstance(error, (StorageError, ComponentError))):
            self._publish()
        elif self._pack is not None:
            with suppress(OSError):  # what a full disk did not take is tried once more here
                self._pack.close()

    def _keep(self, trajectory_id: str, domain: str, plain: bytes) -> bool:
        if self._alone is None and self._pack is None:
            self._alone = trajectory_id, domain, plain
            return True
        with boundary(self._folder):
            if self._pack is None:
                self._pack = _Open(self._folder / self._key[:2])
            if self._alone is not None:
                self._pack.add(*self._alone)
                self._alone = None
            self._pack.add(trajectory_id, domain, plain)
            if self._pack.writer.bytes >= _PACK:
                self._publish()
        return True

    def _publish(self) -> None:
        """Give what is held its name."""
        alone, self._alone = self._alone, None
        pack, self._pack = self._pack, None
        with boundary(self._folder):
            if alone is not None:
                published(tape_path(self._lake, alone[0], sealed=True), alone[2])
            if pack is not None:
                pack.publish(self._key, self._count)
                self._count += len(pack.ids)


class _Open:
    """A pack that is being written."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._temporary, fd = begun(folder / "pack")
        self._file: IO[bytes] = os.fdopen(fd, "wb")
        self.writer = PackWriter(self._file)
        self.ids: set[str] = set()

    def add(self, trajectory_id: str, domain: str, plain: bytes) -> None:
        self.writer.add(trajectory_id, domain, plain)
        self.ids.add(trajectory_id)

    def publish(self, key: str, number: int) -> None:
        """Give it the first free name from `number` on, unless somebody else has written these tapes meanwhile."""
        try:
            self.writer.finish()
            self._file.flush()
            while not named(self._temporary, path := self._folder / f"{key}-{number}.pack"):
                if self.ids.issubset(_names(path)):
                    return
                number += 1
        finally:
            self.close()

    def close(self) -> None:
        try:
            self._file.close()
        finally:
            self._temporary.unlink(missing_ok=True)


def _names(path: Path) -> Collection[str]:
    """Return the tapes of a pack; of one without an index none."""
    with suppress(FormatError, NotFoundError):
        return pack_at(path).tapes.keys()
    return ()
