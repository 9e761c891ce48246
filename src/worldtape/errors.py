"""Everything that Worldtape raises on purpose.

    WorldtapeError
    ├── InputError (ValueError)            what was given cannot be used
    │   ├── ConfigError                    a job, task or settings file is wrong
    │   └── FormatError                    bytes are not what they should be: a torn tape, a corrupt part
    │       └── VersionError               written by a newer major version of the format
    ├── NotFoundError (LookupError)        no such lake, trajectory, part, image or plugin
    ├── ComponentError (RuntimeError)      a component is missing or failed: Docker, namespaces, an endpoint, an extra
    ├── StorageError (OSError)             the disk is full, a path cannot be written
    │   └── LockedError                    somebody else is writing this tape
    └── RefusedError (PermissionError)     allowed by nobody: a statement that writes, a sandbox that would not hold

Each is also a builtin error, so that callers who do not know us can still catch it. A message is one line: what
happened, where, and what to do.
"""

from __future__ import annotations

import errno
import importlib
from collections.abc import Iterator
from contextlib import contextmanager
from types import ModuleType


class WorldtapeError(Exception):
    """The root of the tree.

    Args:
        what: what happened, without a full stop.
        where: the file, line, key or id it happened at.
        fix: what the reader can do about it.
    """

    def __init__(self, what: str, *, where: object = None, fix: str | None = None) -> None:
        self.what = what
        self.where = None if where is None else str(where)
        self.fix = fix
        super().__init__(what)

    def __str__(self) -> str:
        head = self.what if self.where is None else f"{self.where}: {self.what}"
        line = head if self.fix is None else f"{head}; {self.fix}"
        return " ".join(line.split())

    def __reduce__(self) -> tuple[object, ...]:
        return _rebuild, (type(self), self.what, self.where, self.fix)


def _rebuild(kind: type[WorldtapeError], what: str, where: str | None, fix: str | None) -> WorldtapeError:
    return kind(what, where=where, fix=fix)


class InputError(WorldtapeError, ValueError):
    """What was given cannot be used."""


class ConfigError(InputError):
    """A job, task or settings file is wrong."""


class FormatError(InputError):
    """Bytes are not what they should be."""


class VersionError(FormatError):
    """Written by a newer major version of the format."""


class NotFoundError(WorldtapeError, LookupError):
    """No such lake, trajectory, part, image or plugin."""


class ComponentError(WorldtapeError, RuntimeError):
    """A component is missing or failed."""


class StorageError(WorldtapeError, OSError):
    """The disk is full, or a path cannot be read or written."""


class LockedError(StorageError):
    """Somebody else is writing here."""


class RefusedError(WorldtapeError, PermissionError):
    """Allowed by nobody."""


_DISK_FULL = {errno.ENOSPC, errno.EDQUOT}
_FOREIGN: dict[str, type[WorldtapeError]] = {
    "docker": ComponentError,
    "httpx": ComponentError,
    "requests": ComponentError,
    "duckdb": InputError,
    "_duckdb": InputError,
    "pyarrow": FormatError,
    "polars": FormatError,
    "yaml": ConfigError,
    "jinja2": ConfigError,
}


def _translated(error: Exception, where: object) -> WorldtapeError | None:
    if isinstance(error, OSError) and error.errno in _DISK_FULL:
        fix = "free some space and run the same command again: what is recorded is kept"
        return StorageError("the disk is full", where=error.filename or where, fix=fix)
    package = type(error).__module__.partition(".")[0]
    kind = _FOREIGN.get(package)
    if kind is None and isinstance(error, OSError):
        return StorageError(error.strerror or str(error), where=error.filename or where)
    if kind is None:
        return None
    lines = str(error).strip().splitlines()
    return kind(lines[0] if lines else type(error).__name__, where=where)


@contextmanager
def boundary(where: object = None) -> Iterator[None]:
    """Turn the exceptions of the libraries we stand on into ours; let ours and true bugs pass.

    Args:
        where: named in the message: a path, a URL, an image.
    """
    try:
        yield
    except (WorldtapeError, BrokenPipeError):
        raise
    except Exception as error:
        ours = _translated(error, where)
        if ours is None:
            raise
        raise ours from error


def need(module: str, *, extra: str) -> ModuleType:
    """Import an optional module, or say which extra brings it.

    Raises:
        ComponentError: the module is not installed.
    """
    try:
        return importlib.import_module(module)
    except ModuleNotFoundError as error:
        raise ComponentError(f"{module} is not installed", fix=f"pip install 'worldtape[{extra}]'") from error


__all__ = [
    "ComponentError",
    "ConfigError",
    "FormatError",
    "InputError",
    "LockedError",
    "NotFoundError",
    "RefusedError",
    "StorageError",
    "VersionError",
    "WorldtapeError",
    "boundary",
    "need",
]
