"""One trajectory's browser context: tabs, and everything that happens in them."""

from __future__ import annotations

import asyncio
import hashlib
import time
from collections import Counter
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any

from worldtape.collectors.web._line import line_of
from worldtape.collectors.web._quiet import WATCH
from worldtape.collectors.web.dialogs import Dialogs
from worldtape.collectors.web.engine import Running
from worldtape.collectors.web.faults import ActionError
from worldtape.collectors.web.network import Network
from worldtape.collectors.web.tab import Tab
from worldtape.schemas import Sink, Status

if TYPE_CHECKING:
    from playwright.async_api import BrowserContext, ConsoleMessage, Download, Page, Response

    from worldtape.collectors.web.config import WebConfig

_CLOSE_S = 10.0
_MOST_CONSOLE = 1_000
"""So many lines of a console are kept per step; pages can print without end."""
_MOST_EVENTS = 100
"""So many events of a kind are kept per observation; pages can ask without end."""


class Session:
    """A browser context, followed. All of it runs in the engine's thread.

    Args:
        config: what was asked for.
        running: the browser.
        start_url: where it starts.
        proxy: what all requests go through; None: nothing.
    """

    def __init__(self, config: WebConfig, running: Running, start_url: str | None, proxy: str | None) -> None:
        self.config, self.running, self.start_url = config, running, start_url
        self._proxy = proxy
        self.received: Counter[str] = Counter()
        self.first_mono: int | None = None
        self._sink: Sink | None = None
        self._early: list[tuple[str, bytes, int]] = []
        self.tabs: list[Tab] = []
        self.active: Tab | None = None
        self.events: list[dict[str, Any]] = []
        self._noted: Counter[str] = Counter()
        self.network = Network(config, self.write)
        self.dialogs = Dialogs(config.dialogs, self.note)
        self.gone = asyncio.Event()
        """Set when the browser or the active page has died."""
        self.stopped = False
        """A navigation of the present action was stopped, since it was not answered in time."""
        self.lost = False
        """The driver between us and the browser has died."""
        self.dead = False
        """The browser has died."""
        self.downloads: set[asyncio.Task[None]] = set()
        self._opening: set[asyncio.Task[Tab | None]] = set()
        self._by_page: dict[Page, Tab] = {}
        self._console = 0
        self._context: BrowserContext | None = None

    async def open(self) -> None:
        """Make the context and its first tab."""
        browser = self.running.browser
        browser.on("disconnected", self._on_disconnected)
        self.running.on_lost.add(self._on_lost)
        options = self.config.context_options()
        if self._proxy is not None:
            options["proxy"] = {"server": self._proxy, "bypass": "<-loopback>"}
        context = self._context = await browser.new_context(**options)
        await context.add_init_script(WATCH)
        self.network.watch(context)
        context.on("page", self._on_page)
        context.on("dialog", self.dialogs.on_dialog)
        context.on("console", self._on_console)
        context.on("weberror", self._on_error)
        context.on("response", self._on_response)
        await context.new_page()
        await self.settled_tabs()

    async def close(self) -> None:
        """Close the context and what is in it."""
        from playwright.async_api import Error

        self._sink = None
        self.network.close()
        for job in [*self.downloads, *self._opening]:
            job.cancel()
        self.running.on_lost.discard(self._on_lost)
        self.running.browser.remove_listener("disconnected", self._on_disconnected)
        if self._context is not None and not self.dead:
            with suppress(Error, TimeoutError):
                await asyncio.wait_for(self._context.close(), _CLOSE_S)
        self.tabs.clear()
        self._by_page.clear()

    def attach(self, sink: Sink | None) -> None:
        """Write to `sink` from now on, what came before first; None: keep it for the next one."""
        self._sink = sink
        self._console, self.stopped = 0, False
        if sink is not None:
            self.first_mono = None
            early, self._early = self._early, []
            for channel, data, mono_ns in early:
                sink(channel, data, mono_ns)
                self.received[channel] += len(data)

    def write(self, channel: str, data: bytes) -> None:
        """Take bytes that were read; they go to the tape at once while an action runs, else before the next."""
        now = time.monotonic_ns()
        if self._sink is None:
            self._early.append((channel, data, now))
            return
        if self.first_mono is None:
            self.first_mono = now
        self._sink(channel, data, now)
        self.received[channel] += len(data)

    def note(self, kind: str, **facts: Any) -> None:
        """Keep something that happened for the next observation, and on the channel `event`."""
        self._noted[kind] += 1
        if self._noted[kind] > _MOST_EVENTS + 1:
            return
        event = {"kind": kind} | facts if self._noted[kind] <= _MOST_EVENTS else {"kind": "truncated", "of": kind}
        self.events.append(event)
        self.write("event", line_of(event))

    def take_events(self) -> list[dict[str, Any]]:
        """Return what happened since this was last asked."""
        events, self.events = self.events, []
        self._noted.clear()
        return events

    @property
    def tab(self) -> Tab:
        """The tab in front.

        Raises:
            ActionError: the browser is gone.
        """
        if self.active is None:
            raise ActionError(Status.ENV_ERROR, "browser_crashed", "the browser is gone")
        return self.active

    async def open_tab(self) -> None:
        """Open an empty tab and go there."""
        assert self._context is not None
        page = await self._context.new_page()
        await self.settled_tabs()
        self.active = self._by_page.get(page, self.active)

    async def close_tab(self, index: int | None) -> None:
        """Close a tab; where it was the only one, an empty one follows it."""
        tab = self.tab if index is None else self._at(index)
        await tab.page.close()
        await self.settled_tabs()

    async def focus_tab(self, index: int) -> None:
        """Go to another tab."""
        tab = self._at(index)
        await tab.page.bring_to_front()
        self.active = tab

    def _at(self, index: int) -> Tab:
        if not 0 <= index < len(self.tabs):
            raise ActionError(Status.TOOL_ERROR, "no_tab", f"there is no tab {index}: there are {len(self.tabs)}")
        return self.tabs[index]

    async def settled_tabs(self) -> None:
        """Wait until every page that was opened is a tab; there is always one."""
        while self._opening:
            await asyncio.wait(self._opening)
        if not self.tabs and self._context is not None and not self.dead:
            await self._context.new_page()
            if self._opening:
                await asyncio.wait(self._opening)

    def _on_page(self, page: Page) -> None:
        job = asyncio.get_running_loop().create_task(self._take(page))
        self._opening.add(job)
        job.add_done_callback(self._taken)

    def _taken(self, job: asyncio.Task[Tab | None]) -> None:
        self._opening.discard(job)
        if not job.cancelled():
            job.exception()

    async def _take(self, page: Page) -> Tab | None:
        from playwright.async_api import Error

        assert self._context is not None
        page.on("crash", self._on_crash)
        page.on("close", self._on_close)
        page.on("download", self._on_download)
        page.on("framenavigated", lambda frame: self._on_navigated(page, frame))
        page.on("requestfailed", lambda request: self._on_failed(page, request))
        try:
            cdp = await self._context.new_cdp_session(page)
            await asyncio.gather(cdp.send("Accessibility.enable"), cdp.send("DOM.enable"))
        except Error:
            return None
        if page.is_closed():
            return None
        tab = self._by_page[page] = Tab(page, cdp)
        if self.tabs:
            self.note("tab_opened", index=len(self.tabs))
        self.tabs.append(tab)
        self.active = tab
        return tab

    def _on_close(self, page: Page) -> None:
        self.network.forget(page)
        tab = self._by_page.pop(page, None)
        if tab is None or self.dead:
            return
        index = self.tabs.index(tab)
        self.tabs.remove(tab)
        self.note("tab_closed", index=index)
        if self.active is tab:
            self.active = self.tabs[min(index, len(self.tabs) - 1)] if self.tabs else None

    def _on_crash(self, page: Page) -> None:
        tab = self._by_page.get(page)
        if tab is not None:
            tab.crashed = True
            self.note("page_crashed", index=self.tabs.index(tab))
            if tab is self.active:
                self.gone.set()

    def _on_lost(self) -> None:
        self.lost = self.dead = True
        self.gone.set()

    def _on_disconnected(self, _: object) -> None:
        self.dead = True
        self.gone.set()

    def _on_navigated(self, page: Page, frame: Any) -> None:
        tab = self._by_page.get(page)
        if tab is not None and frame == page.main_frame:
            tab.loads += 1
            answered, tab.answered = tab.answered, None
            if answered is not None:
                tab.status = answered[1]
            elif frame.url.partition("#")[0] != tab.url.partition("#")[0]:
                tab.status = None
            tab.url = frame.url
            self.network.moved.set()

    def _on_response(self, response: Response) -> None:
        from playwright.async_api import Error

        try:
            request = response.request
            if request.is_navigation_request() and request.frame.parent_frame is None:
                tab = self._by_page.get(request.frame.page)
                if tab is not None:
                    tab.answered, tab.failure = (response.url, response.status), None
                    tab.answers += 1
        except Error:
            return  # its frame is not known any more

    def _on_failed(self, page: Page, request: Any) -> None:
        from playwright.async_api import Error

        tab = self._by_page.get(page)
        try:
            if tab is not None and request.is_navigation_request() and request.frame == page.main_frame:
                tab.status, tab.failure = None, request.failure
                tab.answers += 1
        except Error:
            return  # its frame is not known any more

    def _on_console(self, message: ConsoleMessage) -> None:
        self._said({"type": message.type, "text": message.text, "location": dict(message.location)})

    def _on_error(self, error: Any) -> None:
        self._said({"type": "pageerror", "text": str(error.error)})

    def _said(self, line: dict[str, Any]) -> None:
        self._console += 1
        if self._console <= _MOST_CONSOLE:
            self.write("console", line_of(line))
        elif self._console == _MOST_CONSOLE + 1:
            self.write("console", line_of({"type": "truncated", "text": "the page went on printing"}))

    def _on_download(self, download: Download) -> None:
        job = asyncio.get_running_loop().create_task(self._fetch(download))
        self.downloads.add(job)
        job.add_done_callback(self._fetched)

    def _fetched(self, job: asyncio.Task[None]) -> None:
        self.downloads.discard(job)
        if not job.cancelled():
            job.exception()

    async def _fetch(self, download: Download) -> None:
        from playwright.async_api import Error

        name, url = download.suggested_filename, download.url
        try:
            data = await asyncio.to_thread(Path(await download.path()).read_bytes)
        except Error as error:
            self.note("download_failed", name=name, url=url, why=str(error).partition("\n")[0])
            return
        digest = hashlib.sha256(data).hexdigest()
        if data:
            self.write("download", data)
        self.note("download", name=name, url=url, bytes=len(data), sha256=digest)
        await download.delete()


__all__ = ["Session"]
