"""The parts of a lake as the only file system that DuckDB has, and it cannot write."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from fsspec import AbstractFileSystem

from worldtape.storage.lake._layout import SCHEME
from worldtape.storage.lake._local_file import LocalFile
from worldtape.storage.lake._part import Part
from worldtape.storage.lake._store import Store


class Window(AbstractFileSystem):  # type: ignore[misc]
    """Shows exactly the given parts, read-only, as `lake://<name>`.

    Args:
        store: where they lie.
        parts: what may be read; everything else does not exist.
    """

    protocol = SCHEME
    cachable = False

    def __init__(self, store: Store, parts: Iterable[Part]) -> None:
        super().__init__(skip_instance_cache=True)
        self.store = store
        self.names = frozenset(part.name for part in parts)

    def _name(self, path: str) -> str:
        name = str(path).removeprefix(f"{SCHEME}://").lstrip("/")
        if name not in self.names:
            raise FileNotFoundError(path)
        return name

    def _open(self, path: str, mode: str = "rb", **_: Any) -> Any:
        if mode != "rb":
            raise PermissionError(f"{path}: a lake is read-only in SQL")
        name = self._name(path)
        if self.store.local:
            return LocalFile(self.store.full(name))
        return self.store.fs.open(self.store.full(name), "rb")

    def info(self, path: str, **_: Any) -> dict[str, Any]:
        """Return the size and type of one part."""
        name = self._name(path)
        return {"name": path, "size": self.store.size(name), "type": "file"}

    def exists(self, path: str, **_: Any) -> bool:
        """Tell whether `path` is one of the parts."""
        return str(path).removeprefix(f"{SCHEME}://").lstrip("/") in self.names

    def glob(self, path: str, **_: Any) -> list[str]:
        """Return the part called `path`: there are no patterns here."""
        return [path] if self.exists(path) else []

    def modified(self, path: str) -> Any:
        """Return when the part was last written."""
        return self.store.fs.modified(self.store.full(self._name(path)))

    def ls(self, path: str, detail: bool = True, **_: Any) -> list[Any]:
        """Return nothing: nobody lists this file system."""
        del path, detail
        return []
