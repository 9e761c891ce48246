"""Waiting for a child process without threads, and files that hold what it says."""

import asyncio
import os
import subprocess
import sys
import tempfile
from collections.abc import Callable
from typing import Any, BinaryIO, TypeVar

Result = TypeVar("Result")


def spool(name: str, data: bytes = b"") -> BinaryIO:
    """Return an anonymous file that holds `data`, at its start.

    A child writes into it instead of a pipe: nothing blocks, and a background process that keeps it open delays nobody.
    """
    if sys.platform == "linux":
        file: BinaryIO = os.fdopen(os.memfd_create(name), "w+b", buffering=0)
    else:
        file = tempfile.TemporaryFile(buffering=0)  # noqa: SIM115 - the caller closes it
    file.write(data)
    file.seek(0)
    return file


def contents(file: BinaryIO) -> bytes:
    """Return everything in `file`, wherever a child left its offset."""
    return os.pread(file.fileno(), os.fstat(file.fileno()).st_size, 0)


async def in_thread(work: Callable[..., Result], *args: Any) -> Result:
    """Run `work` in a thread; when cancelled, wait for its end first, so that it makes nothing behind a clean-up."""
    task = asyncio.ensure_future(asyncio.to_thread(work, *args))
    try:
        return await asyncio.shield(task)
    except asyncio.CancelledError:
        await asyncio.wait([task])
        task.exception()
        raise


def _settle(future: asyncio.Future[None]) -> None:
    if not future.done():
        future.set_result(None)


async def _ended(process: subprocess.Popen[bytes]) -> None:
    if not hasattr(os, "pidfd_open"):
        await asyncio.to_thread(process.wait)
        return
    loop = asyncio.get_running_loop()
    pidfd = os.pidfd_open(process.pid)
    over: asyncio.Future[None] = loop.create_future()
    loop.add_reader(pidfd, _settle, over)
    try:
        await over
    finally:
        loop.remove_reader(pidfd)
        os.close(pidfd)
    process.wait()


async def finish(process: subprocess.Popen[bytes], timeout_s: float, kill: Callable[[], None]) -> int | None:
    """Wait for `process`; at the deadline, or when cancelled, `kill` must end it.

    Returns:
        Its exit code, 128 + the signal that ended it, or null at the deadline.
    """
    try:
        async with asyncio.timeout(timeout_s):
            await _ended(process)
    except TimeoutError:
        return None
    finally:
        if process.poll() is None:
            kill()
            process.wait()
    return process.returncode if process.returncode >= 0 else 128 - process.returncode
