"""A container that is worked in from outside: commands with their two streams, and files as bytes."""

from __future__ import annotations

import asyncio
import json
import os
import time
from collections.abc import Mapping, Sequence
from types import TracebackType
from typing import Any, Self

from worldtape.collectors.swe.box._link import Heard, Link, LinkLostError, Reply
from worldtape.collectors.swe.box.container import Container
from worldtape.collectors.swe.box.entry import Entry
from worldtape.collectors.swe.box.ran import Ran
from worldtape.collectors.terminal.sandbox import SandboxConfig
from worldtape.errors import ComponentError
from worldtape.schemas import EnvironmentSpec

Entries = list[Entry]
_SLACK_S = 30.0
"""So much longer than its deadline a command may keep silent before the container counts as stuck."""
_FILE_S = 120.0
_KILLED = 9
_DYING_S, _PAUSE_S = 30.0, 0.05


class Box:
    """Whatever is in the container is reached by one runner inside it, which costs about a millisecond a request.

    An async context manager: leaving it removes the container with all that runs in it. Requests follow each other.
    Paths are absolute, or relative to `workdir`; file requests raise the `OSError` that the system gave inside
    (`FileNotFoundError`, `IsADirectoryError`, …, with `errno` and `strerror`); everything raises `ComponentError` where
    the container is gone. Links are followed by `read` and `write` only.

    Args:
        config: of the container; its image must hold sh and python3 (3.8 or later; whole, not Debian's
            python3-minimal); none: the one of `image.py`.
        workdir: where commands start, and where relative paths are.
    """

    def __init__(self, config: SandboxConfig | None = None, *, workdir: str = "/workspace") -> None:
        self.config = config or SandboxConfig(kind="docker")
        self.workdir = workdir
        self.shell = "sh"
        self._container = Container(self.config.model_copy(update={"user": None}))  # root may give folders away
        self._link: Link | None = None
        self._opened = False
        self._turn = asyncio.Lock()

    @property
    def spec(self) -> EnvironmentSpec:
        """What was asked for; after the start, what was found: image digest, versions."""
        return self._container.spec

    async def __aenter__(self) -> Self:
        try:
            await self._container.up()
            self._link = await self._open()
            await self._make_workdir()
            bash = await self.run(["sh", "-c", "command -v bash"], cwd="/")
            self.shell = "bash" if bash.code == 0 else "sh"
        except BaseException:
            await self.close()
            raise
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        await self.close()

    async def close(self) -> None:
        """Remove the container; a second call does nothing."""
        link, self._link = self._link, None
        if link is not None:
            link.close()
        await self._container.close()

    async def alive(self) -> bool:
        """Whether the container runs."""
        return await self._container.running()

    def reason(self) -> str | None:
        """Say which of our limits ended the container, if one did."""
        return self._container.reason()

    async def run(
        self,
        command: str | Sequence[str],
        *,
        cwd: str | None = None,
        timeout_s: float = 60,
        stdin: bytes = b"",
        env: Mapping[str, str] | None = None,
        heard: Heard | None = None,
    ) -> Ran:
        """Run a command in a session of its own, and wait for its end; what it leaves in the background runs on.

        Args:
            command: words, or a text for the container's shell (bash where there is one).
            cwd: where it starts.
            timeout_s: then its session is killed.
            stdin: all that it can read.
            env: further variables.
            heard: takes `out` or `err` and each piece of output the moment it has come.

        A command that ends our own runner (as `kill -9 -1` does) counts as ended by that signal.
        """
        argv = [self.shell, "-c", command] if isinstance(command, str) else list(command)
        request = {"op": "run", "argv": argv, **_plainly(self._at(cwd or "."), timeout_s, env)}
        try:
            reply = await self._ask(request, stdin, heard=heard, within=timeout_s + _SLACK_S)
        except LinkLostError as lost:
            so_far: Reply = lost.args[0]
            return Ran(bytes(so_far.out), bytes(so_far.err), signal=_KILLED)
        end = reply.head
        if end["t"] == "error":
            raise ComponentError(f"a command could not be followed: {end['strerror']}", where=self._container.name)
        return Ran(
            bytes(reply.out),
            bytes(reply.err),
            code=end["code"],
            signal=end["signal"],
            timed_out=end.get("timed_out", False),
            background=tuple(end.get("background", ())),
        )

    async def read(self, path: str, *, limit: int | None = None) -> bytes:
        """Return the bytes of a regular file, the first `limit` where that is given."""
        return (await self._file("read", path, limit=limit)).data

    async def write(self, path: str, data: bytes, *, parents: bool = True, mode: int | None = None) -> None:
        """Make or replace a file, with its folders; one that stands there keeps its mode unless one is given."""
        await self._file("write", path, data, parents=parents, mode=mode)

    async def list(self, path: str = ".") -> Entries:
        """Return what lies in a folder, by name."""
        return _entries((await self._file("list", path)).data)

    async def walk(self, path: str = ".", *, skip: Sequence[str] = (".git",)) -> Entries:
        """Return everything below a folder, by path; names in `skip` are left out with all below them."""
        return _entries((await self._file("walk", path, skip=list(skip))).data)

    async def stat(self, path: str, *, follow: bool = True) -> Entry:
        """Return what is there; a link counts as what it points to unless `follow` is false."""
        return Entry(*(await self._file("stat", path, follow=follow)).head["entry"])

    async def exists(self, path: str) -> bool:
        """Whether anything is there; a broken link is not."""
        try:
            await self.stat(path)
        except OSError as error:
            if isinstance(error, ComponentError):
                raise
            return False
        return True

    async def tree(self, path: str = ".", *, skip: Sequence[str] = (".git",)) -> str:
        """Return SHA-256 (hex) over the paths, kinds, execute bits and contents of all below a folder."""
        return str((await self._file("tree", path, skip=list(skip))).head["sha256"])

    async def pack(self, path: str = ".") -> bytes:
        """Return a folder as a tar archive, nothing left out."""
        return (await self._file("pack", path)).data

    async def unpack(self, path: str, archive: bytes, *, strip: int = 0, empty: bool = False) -> int:
        """Fill a folder from a tar archive (compressed or not); return how many files and folders it held.

        Args:
            path: the folder; it is made where it is missing.
            archive: names that lead out of the folder, devices and hard links are passed over.
            strip: so many leading parts of each name are left out.
            empty: whether what stands there is removed first.
        """
        return int((await self._file("unpack", path, archive, strip=strip, empty=empty)).head["files"])

    def _at(self, path: str) -> str:
        return os.path.normpath(os.path.join(self.workdir, path))  # noqa: PTH118

    async def _make_workdir(self) -> None:
        """Make it, and give it to who works there."""
        if self.config.user is not None:
            give = 'mkdir -p "$1" && chown "$2" "$1"'
            await self._container.run(["sh", "-c", give, "sh", self.workdir, self.config.user], user="0")
        made = await self.run(["mkdir", "-p", self.workdir], cwd="/")
        if made.code != 0:
            said = made.err.decode(errors="replace").strip()
            raise ComponentError(f"the folder cannot be made: {said}", where=self.workdir, fix="choose another workdir")

    async def _file(self, op: str, path: str, data: bytes = b"", **how: Any) -> Reply:
        """Ask about a file; a runner that is lost meanwhile was ended by something in the background: ask again."""
        request = {"op": op, "path": self._at(path), **how}
        try:
            reply = await self._ask(request, data)
        except LinkLostError:
            reply = await self._again(request, data)
        if reply.head["t"] == "error":
            raise OSError(reply.head["errno"], reply.head["strerror"], path)
        return reply

    async def _again(self, request: Mapping[str, Any], data: bytes) -> Reply:
        try:
            return await self._ask(request, data)
        except LinkLostError as error:
            raise ComponentError("the runner inside does not stay alive", where=self._container.name) from error

    async def _ask(
        self, request: Mapping[str, Any], data: bytes = b"", *, heard: Heard | None = None, within: float = _FILE_S
    ) -> Reply:
        async with self._turn:
            if self._link is None:
                self._link = await self._open()
            try:
                async with asyncio.timeout(within):
                    return await self._link.ask(request, data, heard=heard)
            except LinkLostError:
                self._drop()
                self._link = await self._open()  # where the container has died, this tells
                raise
            except TimeoutError as error:
                self._drop()
                raise self._gone("the container does not answer") from error
            except BaseException:
                self._drop()
                raise

    async def _open(self) -> Link:
        """Start a runner; a container that is dying looks alive for a while, so a later one is tried for some time."""
        until = time.monotonic() + (_DYING_S if self._opened else 0.0)
        while True:
            try:
                link = await self._container.link(self.config.user)
            except (LinkLostError, ComponentError) as error:
                if not await self.alive():
                    raise self._gone("the container is gone") from error
                if time.monotonic() >= until:
                    what = "no runner starts any more" if self._opened else "no python3 starts in the container"
                    fix = None if self._opened else "choose an image that holds sh and python3"
                    raise ComponentError(what, where=self.spec.image, fix=fix) from error
                await asyncio.sleep(_PAUSE_S)
            else:
                self._opened = True
                return link

    def _drop(self) -> None:
        link, self._link = self._link, None
        if link is not None:
            link.close()

    def _gone(self, what: str) -> ComponentError:
        reason = self.reason()
        return ComponentError(what if reason is None else f"{what}: {reason}", where=self._container.name)


def _plainly(cwd: str, timeout_s: float, env: Mapping[str, str] | None = None) -> dict[str, Any]:
    return {"cwd": cwd, "timeout": timeout_s, "env": dict(env or {})}


def _entries(data: bytes) -> Entries:
    return [Entry(*fields) for fields in json.loads(data)]


__all__ = ["Box"]
