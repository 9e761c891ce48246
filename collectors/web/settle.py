"""Waits until a page rests: by events, and never by the clock alone."""

from __future__ import annotations

import asyncio
from contextlib import suppress
from dataclasses import dataclass
from typing import TYPE_CHECKING

from worldtape.collectors.web._quiet import REST
from worldtape.schemas import SettledBy

if TYPE_CHECKING:
    from playwright.async_api import Frame, Page

    from worldtape.collectors.web.session import Session
    from worldtape.collectors.web.tab import Tab

_LEAST_CAP_MS = 1.0
_MOST_ROUNDS = 100
_GRACE_S = 2.0


@dataclass(frozen=True, slots=True)
class Settled:
    """How a wait ended.

    Attributes:
        by: `rest` where all came to rest, else `deadline`.
        loaded: the document was whole.
    """

    by: SettledBy
    loaded: bool


_LATE = Settled(SettledBy.DEADLINE, loaded=False)


async def settle(session: Session, deadline: float) -> Settled:
    """Wait until the tab in front is loaded, its requests have ended and its documents do not change.

    What is loaded and goes on moving is observed when the patience of the configuration is over. A page that goes
    elsewhere meanwhile starts it again; a navigation that is not answered by the deadline is stopped.

    Args:
        session: whose tab in front is waited for.
        deadline: the moment (of the loop's clock, seconds) after which nothing is waited for.
    """
    from playwright.async_api import Error

    loop = asyncio.get_running_loop()
    until, loads = _patience(session, deadline), -1
    for _ in range(_MOST_ROUNDS):
        await session.settled_tabs()
        tab = session.tab
        if tab.loads != loads:
            loads, until = tab.loads, _patience(session, deadline)
        try:
            rests = await _round(session, tab, until, deadline)
        except TimeoutError:
            return await _stopped(session, tab)
        except Error:
            if session.gone.is_set() or loop.time() >= deadline:
                return _LATE
            continue
        if session.network.travelling(tab.page) and loop.time() >= deadline:
            return await _stopped(session, tab)
        waiting = session.network.waiting or bool(session.downloads)
        if loop.time() >= until or (tab is session.active and tab.loads == loads and not waiting):
            return Settled(SettledBy.REST if rests and not waiting else SettledBy.DEADLINE, loaded=True)
    return _LATE


async def _round(session: Session, tab: Tab, until: float, deadline: float) -> bool:
    """Wait for the load, the requests and the rest of a tab, and say whether it came to rest.

    Raises:
        TimeoutError: it is not loaded by the deadline, or does not answer.
        playwright.async_api.Error: it went elsewhere, or is gone.
    """
    from playwright.async_api import TimeoutError as TooLateError

    left = deadline - asyncio.get_running_loop().time()
    if left <= 0:
        raise TimeoutError
    try:
        await tab.page.wait_for_load_state("load", timeout=left * 1000)
    except TooLateError:
        raise TimeoutError from None
    await _requests(session, until, deadline)
    left = deadline - asyncio.get_running_loop().time()
    return await asyncio.wait_for(_rest(session, tab.page, until), max(0.0, left) + _GRACE_S)


async def _stopped(session: Session, tab: Tab) -> Settled:
    from playwright.async_api import Error

    if session.network.travelling(tab.page):
        with suppress(Error, TimeoutError):
            await asyncio.wait_for(tab.cdp.send("Page.stopLoading"), _GRACE_S)
            session.stopped = True
    return _LATE


def _patience(session: Session, deadline: float) -> float:
    return min(deadline, asyncio.get_running_loop().time() + session.config.patience_ms / 1000)


async def _requests(session: Session, until: float, deadline: float) -> None:
    """Wait for the open requests as long as patience lasts, and for the answer to a navigation until the deadline."""
    network, loop = session.network, asyncio.get_running_loop()
    while network.waiting:
        left = (deadline if network.travelling(session.tab.page) else until) - loop.time()
        if left <= 0:
            return
        network.moved.clear()
        try:
            await asyncio.wait_for(network.moved.wait(), left)
        except TimeoutError:
            return
    if session.downloads and (left := until - loop.time()) > 0:
        await asyncio.wait(session.downloads, timeout=left)


async def _rest(session: Session, page: Page, until: float) -> bool:
    """Say whether every frame came to rest in time."""
    cap = max(_LEAST_CAP_MS, (until - asyncio.get_running_loop().time()) * 1000)
    given = [session.config.quiet_ms, cap]
    rests = await asyncio.gather(*(_frame(frame, given, main=frame is page.main_frame) for frame in page.frames))
    return all(rests)


async def _frame(frame: Frame, given: list[float], *, main: bool) -> bool:
    from playwright.async_api import Error

    try:
        rests, _ = await frame.evaluate(REST, given)
    except Error:
        if main:
            raise
        return True  # a frame that went away is at rest
    return bool(rests)


__all__ = ["settle"]
