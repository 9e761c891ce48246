"""Where nobody can look at the shell's processes, rest and marks tell, and the recording says so."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Awaitable, Callable

import pytest

from tests.collectors.terminal._needs import needs
from worldtape.collectors.terminal._inside import Inside
from worldtape.collectors.terminal._session import Session
from worldtape.collectors.terminal.marks import prompt_command
from worldtape.collectors.terminal.sandbox import SandboxConfig, make_sandbox
from worldtape.schemas import SettledBy


def in_session(body: Callable[[Session], Awaitable[None]]) -> None:
    async def run() -> None:
        sandbox = make_sandbox(SandboxConfig(kind="unsafe-local", env={"PROMPT_COMMAND": prompt_command("n")}))
        await sandbox.start(cols=80, rows=24)
        session = Session(sandbox.fd, None, (80, 24), "n")
        try:
            session.begin(lambda channel, data, mono_ns: None)
            assert await session.settle(time.monotonic() + 10) is SettledBy.REST
            session.started()
            await body(session)
        finally:
            session.close()
            await sandbox.close()

    asyncio.run(run())


async def enter(session: Session, line: str) -> SettledBy | None:
    session.begin(lambda channel, data, mono_ns: None)
    await session.type(line.encode() + b"\n", time.monotonic() + 1)
    return await session.settle(time.monotonic() + 10)


def test_a_mark_ends_the_wait() -> None:
    async def body(session: Session) -> None:
        assert await enter(session, "false") is SettledBy.PROMPT
        assert session.marks.take() == (1,)
        assert not session.seen

    in_session(body)


def test_rest_ends_it_where_no_mark_comes() -> None:
    async def body(session: Session) -> None:
        assert await enter(session, "cat") is SettledBy.REST
        assert await enter(session, "exit-me") is SettledBy.REST
        assert session.marks.take() == ()

    in_session(body)


def test_the_end_is_seen_by_the_closed_terminal() -> None:
    async def body(session: Session) -> None:
        assert await enter(session, "exit") is None

    in_session(body)


@pytest.mark.docker
def test_a_look_from_inside_where_the_processes_cannot_be_seen() -> None:
    needs("docker")

    async def run() -> list[tuple[SettledBy | None, str | None]]:
        env = {"PROMPT_COMMAND": prompt_command("n")}
        sandbox = make_sandbox(SandboxConfig(kind="docker", env=env))
        await sandbox.start(cols=80, rows=24)
        session = Session(sandbox.fd, None, (80, 24), "n")
        session.inside = Inside(sandbox)
        found = []
        try:
            session.begin(lambda channel, data, mono_ns: None)
            assert await session.settle(time.monotonic() + 20) is SettledBy.PROMPT
            for line in ("true", "sleep 1.2; echo late", "cat", "x"):
                settled = await enter(session, line)
                found.append((settled, session.inside.cwd))
                if line.startswith("sleep"):
                    assert "\nlate\n" in session.screen.render()
        finally:
            session.close()
            await sandbox.close()
        return found

    found = asyncio.run(run())
    assert [settled for settled, _ in found] == [SettledBy.PROMPT, SettledBy.PROMPT, SettledBy.INPUT, SettledBy.INPUT]
    assert found[-1][1] == "/"
