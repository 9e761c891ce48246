"""Waits until a page rests: by events, and never by the clock alone."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING

from worldtape.collectors.web._quiet import REST
from worldtape.schemas import SettledBy

if TYPE_CHECKING:
    from playwright.async_api import Frame, Page

    from worldtape.collectors.web.session import Session

_LEAST_CAP_MS = 1.0
_MOST_ROUNDS = 100


async def settle(session: Session, deadline: float) -> SettledBy:
    """Wait until the tab in front is loaded, its requests have ended and its documents do not change.

    What is loaded and goes on moving is observed when the patience of the configuration is over. Returns `rest` where
    all of it came, else `deadline`; a page that goes elsewhere meanwhile starts it again.

    Args:
        session: whose tab in front is waited for.
        deadline: the moment (of the loop's clock, seconds) after which nothing is waited for.
    """
    from playwright.async_api import Error
    from playwright.async_api import TimeoutError as TooLateError

    loop = asyncio.get_running_loop()
    until, loads = _patience(session, deadline), -1
    for _ in range(_MOST_ROUNDS):
        await session.settled_tabs()
        tab = session.tab
        if tab.loads != loads:
            loads, until = tab.loads, _patience(session, deadline)
        left_ms = (deadline - loop.time()) * 1000
        if left_ms <= 0:
            return SettledBy.DEADLINE
        try:
            await tab.page.wait_for_load_state("load", timeout=left_ms)
            await _requests(session, min(until, deadline))
            rests = await _rest(session, tab.page, min(until, deadline))
        except TooLateError:
            return SettledBy.DEADLINE
        except Error:
            if tab.page.is_closed() and not session.dead:
                continue
            if session.gone.is_set() or loop.time() >= deadline:
                return SettledBy.DEADLINE
            if tab.loads == loads:
                await tab.page.wait_for_load_state("domcontentloaded", timeout=left_ms)
            continue
        over = loop.time() >= min(until, deadline)
        if over or (
            tab is session.active and tab.loads == loads and not session.network.waiting and not session.downloads
        ):
            return SettledBy.REST if rests and not session.network.waiting else SettledBy.DEADLINE
    return SettledBy.DEADLINE


def _patience(session: Session, deadline: float) -> float:
    return min(deadline, asyncio.get_running_loop().time() + session.config.patience_ms / 1000)


async def _requests(session: Session, until: float) -> None:
    network, loop = session.network, asyncio.get_running_loop()
    while network.waiting and (left := until - loop.time()) > 0:
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
