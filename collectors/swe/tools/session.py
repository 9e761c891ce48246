"""What the tools of one trajectory share, and the form of their answers."""

from __future__ import annotations

import errno
import hashlib
import posixpath
from dataclasses import dataclass, field
from typing import Any

from worldtape.collectors.swe.box import Box, Entry, Ran
from worldtape.collectors.swe.toolset import Keep
from worldtape.schemas import Outcome, Status

Told = tuple[dict[str, Any], Outcome]
"""Facts of an answer, and how the call ended."""
_MOST_LINES = 1_000_000_000
DONE = Outcome(status=Status.OK)
_KINDS = {
    errno.ENOENT: "file_not_found",
    errno.ENOTDIR: "file_not_found",
    errno.EISDIR: "is_directory",
    errno.EACCES: "permission_denied",
    errno.EPERM: "permission_denied",
}


def _nobody(channel: str, data: bytes) -> None:
    """Before the first call there is nothing to keep."""


@dataclass
class Session:
    """State of the tools between calls.

    Attributes:
        root: the repository, absolute.
        cwd: where relative paths and commands start.
        guarded: whether a file must have been read before it is changed.
        timeout_s: how long a command may take that asks for no other time.
        seen: path to SHA-256 of the bytes that the agent knows it by.
        started: background commands so far.
        keep: of the running call: takes what is read.
        limit_s: of the running call.
        commands: of the running call.
    """

    box: Box
    root: str
    guarded: bool
    timeout_s: float
    cwd: str = ""
    seen: dict[str, str] = field(default_factory=dict)
    todos: list[dict[str, Any]] = field(default_factory=list)
    started: int = 0
    keep: Keep = _nobody
    limit_s: float | None = None
    commands: list[tuple[str, Ran]] = field(default_factory=list)

    def __post_init__(self) -> None:
        self.cwd = self.cwd or self.root

    def path(self, given: str) -> str:
        """Return a path as it is used: absolute, without `.` and `..`."""
        path = posixpath.normpath(posixpath.join(self.cwd, given))
        return path[1:] if path.startswith("//") else path

    def inside(self, path: str) -> bool:
        """Whether a path lies in the repository."""
        return path == self.root or path.startswith(self.root.rstrip("/") + "/")

    def relative(self, path: str) -> str:
        """Return a path as it is called from the repository."""
        return posixpath.relpath(path, self.root) if self.inside(path) else path

    def knows(self, path: str, data: bytes) -> None:
        """Remember what the agent has seen of a file, or written into it."""
        self.seen[path] = hashlib.sha256(data).hexdigest()

    def stale(self, path: str, data: bytes) -> str | None:
        """Return why a file may not be changed as it is now; None where it may."""
        if not self.guarded:
            return None
        known = self.seen.get(path)
        if known is None:
            return "not_read"
        return None if known == hashlib.sha256(data).hexdigest() else "modified"

    async def entry(self, path: str) -> Entry | None:
        """Return what is at a path; None where nothing is."""
        try:
            return await self.box.stat(path)
        except OSError as error:
            if error.errno in (errno.ENOENT, errno.ENOTDIR):
                return None
            raise


def whole(value: float, least: int = 0) -> int:
    """Return a number of lines as it is used: whole, and no larger than any file has."""
    return int(max(least, min(value, _MOST_LINES)))


def fault(kind: str, status: Status = Status.TOOL_ERROR, **facts: Any) -> Told:
    """Return the answer of a tool that did not do what it was asked."""
    return {"error": kind} | facts, Outcome(status=status)


def refused(kind: str, **facts: Any) -> Told:
    """Return the answer to a call that was not tried."""
    return fault(kind, Status.REJECTED, **facts)


def system_fault(error: OSError, path: str, verb: str) -> Told:
    """Return the answer where the system refused a file."""
    kind = "system" if verb == "write" and error.errno == errno.ENOTDIR else _KINDS.get(error.errno or 0, "system")
    name = errno.errorcode.get(error.errno or 0, "EIO")
    message = f"{name}: {str(error.strerror or error).lower()}, {verb} '{path}'"
    return fault(kind, path=path, relative=path, verb=verb, message=message)


__all__ = ["DONE", "Session", "Told", "fault", "refused", "system_fault", "whole"]
