"""Somebody's own MCP client and server, recorded from in between."""

from __future__ import annotations

import asyncio
import os
from collections.abc import Callable, Sequence
from pathlib import Path

from worldtape.collectors.mcp._secrets import address
from worldtape.collectors.mcp.proxy import HttpProxy, Keeper, StdioProxy
from worldtape.collectors.recorder import make_header
from worldtape.errors import InputError
from worldtape.pipelines.record.where import local_lake
from worldtape.schemas import Domain, EnvironmentSpec, Header, PolicySpec
from worldtape.storage import Lake, TapeWriter

COLLECTOR = "mcp-proxy"
DURABILITY = ("none", "action", "event")


class _Asked:
    """The environment of a header: what was asked for."""

    domain = Domain.MCP

    def __init__(self, spec: EnvironmentSpec) -> None:
        self.spec = spec


def proxy_header(spec: EnvironmentSpec) -> Header:
    """Return the header of a connection that a proxy records."""
    header = make_header(_Asked(spec), PolicySpec(kind="proxy"))  # type: ignore[arg-type]
    return header.model_copy(update={"recorder": header.recorder | {"collector": COLLECTOR}})


def keeper(lake: Path, spec: EnvironmentSpec, durability: str) -> tuple[Keeper, str]:
    """Start the tape of a connection, and return what writes it, and its id."""
    tape = TapeWriter.create(lake, proxy_header(spec), durability=durability)
    return Keeper(tape, sync=_FileSync(tape.path) if durability == "action" else None), tape.trajectory_id


def proxy(
    lake: str | os.PathLike[str],
    argv: Sequence[str],
    *,
    durability: str = "action",
    complain: Callable[[str], None] = lambda _: None,
) -> int:
    """Start the MCP server `argv` and stand between it and the client at our standard streams until it ends.

    Nothing is changed: frames both ways, stderr, signals and the exit pass as they are. Bytes are written to the tape
    before they are passed on; where the disk stands still they are passed on after at most 0.15 s.

    Args:
        lake: a local folder, made where there is none.
        argv: the server and its arguments.
        durability: what a crash of the machine leaves: `none`: nothing is forced to disk before the end; `action`: all
            but the newest moment, nobody waits for the disk; `event`: everything that was passed on.
        complain: is told where something could not be recorded.

    Returns:
        The server's exit code or, negative, the signal that ended it.

    Raises:
        ComponentError: the server cannot be started.
        InputError: the lake is no local folder, or nothing is to be started.
        StorageError: the tape cannot be begun.
    """
    if not argv:
        raise InputError("no server is named", fix="worldtape proxy --lake lake -- SERVER ARGS…")
    folder = local_lake(lake)
    Lake.open(folder, create=True)
    parameters = {"command": argv[0], "args": list(argv[1:]), "cwd": str(Path.cwd())}
    spec = EnvironmentSpec(kind="mcp", backend="stdio", network="host", parameters=parameters)
    kept, _ = keeper(folder, spec, durability)
    status = StdioProxy(argv, kept).run()
    if kept.failed is not None:
        complain(f"not everything was recorded: {kept.failed}")
    return status


def http_proxy(
    lake: str | os.PathLike[str],
    url: str,
    *,
    port: int = 0,
    durability: str = "action",
    say: Callable[[str], None] = lambda _: None,
) -> None:
    """Listen on this machine's loopback, pass everything on to the MCP server at `url`, until SIGINT or SIGTERM.

    Each session is a recording of its own.

    Args:
        lake: a local folder, made where there is none.
        url: of the server's endpoint.
        port: to listen at; 0: any that is free.
        durability: as in `proxy`.
        say: is told the address for clients, and where something could not be recorded.

    Raises:
        ComponentError: the port is taken.
        InputError: the lake is no local folder, or `url` is no address.
        StorageError: a tape cannot be begun.
    """
    if not url.startswith(("http://", "https://")):
        raise InputError("this is no address", where=url, fix="--http https://HOST/PATH")
    folder = local_lake(lake)
    Lake.open(folder, create=True)
    spec = EnvironmentSpec(kind="mcp", backend="http", network="host", parameters={"url": address(url)})
    found = HttpProxy(url, lambda: keeper(folder, spec, durability)[0], port=port)
    asyncio.run(found.serve(lambda where: say(f"clients reach {address(url)} at {where}")))
    if found.failed is not None:
        say(f"not everything was recorded: {found.failed}")


class _FileSync:
    """Forces a tape to disk through a descriptor of its own, so that its writer goes on meanwhile."""

    def __init__(self, path: Path) -> None:
        self._fd = os.open(path, os.O_RDONLY | os.O_CLOEXEC)

    def __call__(self) -> None:
        os.fsync(self._fd)

    def close(self) -> None:
        os.close(self._fd)
