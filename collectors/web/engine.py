"""The thread where Playwright lives: one browser for all trajectories of a process."""

from __future__ import annotations

import asyncio
import atexit
import os
import shutil
import sys
import threading
from collections.abc import Callable, Coroutine
from contextlib import suppress
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, TypeVar

from worldtape.collectors.web._watched import drivers, watch
from worldtape.errors import ComponentError

if TYPE_CHECKING:
    from playwright.async_api import Browser, Playwright

T = TypeVar("T")
_IDLE_S = 60.0
_CLOSE_S = 10.0
_NAMES = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable", "chrome")
_ARGS = (
    "--disable-background-networking",
    "--disable-quic",
    "--disable-site-isolation-trials",
    "--disable-component-update",
    "--disable-default-apps",
    "--no-first-run",
    "--force-color-profile=srgb",
    "--hide-scrollbars",
)
_HOW = "apt-get install chromium, or playwright install chromium"


def find_chromium() -> str | None:
    """Return the path of a Chromium on the PATH; None: Playwright's own is to be used."""
    return next((path for name in _NAMES if (path := shutil.which(name))), None)


@dataclass(slots=True)
class Running:
    """A browser and who uses it."""

    browser: Browser
    users: int = 0
    on_lost: set[Callable[[], None]] = field(default_factory=set)
    """Called when the driver between us and the browser has died."""
    idle: asyncio.TimerHandle | None = None


@dataclass(slots=True)
class Engine:
    """An event loop in a thread of its own, and the browsers that were started there.

    An environment may be driven from any event loop: its work is done here, so that browsers outlive the loops of
    batches and one browser process serves every trajectory of this process.
    """

    loop: asyncio.AbstractEventLoop = field(default_factory=asyncio.new_event_loop)
    running: dict[tuple[str | None, bool], Running] = field(default_factory=dict)
    _playwright: Playwright | None = None
    _lock: asyncio.Lock = field(default_factory=asyncio.Lock)
    _thread: threading.Thread | None = None

    def start(self) -> None:
        """Start the thread."""
        self._thread = threading.Thread(target=self._run, name="worldtape-web", daemon=True)
        self._thread.start()

    def _run(self) -> None:
        asyncio.set_event_loop(self.loop)
        self.loop.run_forever()
        self.loop.close()

    async def call(self, work: Coroutine[Any, Any, T]) -> T:
        """Do `work` in the thread; cancelling this cancels it, and waits until it has cleaned up."""
        future = asyncio.run_coroutine_threadsafe(work, self.loop)
        return await asyncio.wrap_future(future)

    async def borrow(self, executable: str | None, *, headless: bool) -> Running:
        """Return a browser that runs, started anew where the last one died; `give_back` it. Called in the thread.

        Raises:
            ComponentError: it cannot be started.
        """
        key = (executable or find_chromium(), headless)
        async with self._lock:
            found = self.running.get(key)
            if found is None or not found.browser.is_connected():
                found = self.running[key] = Running(await self._launch(*key))
        found.users += 1
        if found.idle is not None:
            found.idle.cancel()
            found.idle = None
        return found

    def give_back(self, borrowed: Running) -> None:
        """Let go of a browser; one that nobody wants for a minute is closed. Called in the thread."""
        borrowed.users -= 1
        if borrowed.users == 0:
            borrowed.idle = self.loop.call_later(_IDLE_S, self._retire, borrowed)

    def _retire(self, idle: Running) -> None:
        if idle.users == 0:
            self.running = {key: one for key, one in self.running.items() if one is not idle}
            closing = self.loop.create_task(_close(idle.browser))
            closing.add_done_callback(lambda done: done.cancelled() or done.exception())

    async def _launch(self, executable: str | None, headless: bool) -> Browser:
        from playwright.async_api import Error

        sandbox = [] if os.getuid() else ["--no-sandbox"]
        for again in (False, True):
            driver = await self._driver(anew=again)
            try:
                return await driver.chromium.launch(
                    executable_path=executable, headless=headless, args=[*_ARGS, *sandbox], handle_sigint=False
                )
            except Error as error:
                if again:
                    said = str(error).strip().partition("\n")[0]
                    raise ComponentError(f"Chromium cannot be started: {said}", where=executable, fix=_HOW) from error
        raise AssertionError

    async def _driver(self, *, anew: bool) -> Playwright:
        from playwright.async_api import async_playwright

        if anew and self._playwright is not None:
            old, self._playwright = self._playwright, None
            await _quietly(old.stop())
        if self._playwright is None:
            try:
                before = drivers()
                self._playwright = await async_playwright().start()
                for pid in drivers() - before:
                    watch(pid, self._lost)
            except OSError as error:
                fix = "pip install playwright again: its driver is missing"
                raise ComponentError(f"Playwright cannot be started: {error}", fix=fix) from error
        return self._playwright

    def _lost(self) -> None:
        """Let go of a driver that has died, and of its browsers; it ends too when it was told to."""
        running, self.running, self._playwright = self.running, {}, None
        for one in running.values():
            if one.idle is not None:
                one.idle.cancel()
            for tell in list(one.on_lost):
                tell()

    async def close(self) -> None:
        """Close every browser and the driver. Called in the thread."""
        running, self.running = self.running, {}
        for one in running.values():
            if one.idle is not None:
                one.idle.cancel()
            await _close(one.browser)
        driver, self._playwright = self._playwright, None
        if driver is not None:
            await _quietly(driver.stop())

    def end(self) -> None:
        """Close everything and stop the thread."""
        if self._thread is None or not self._thread.is_alive():
            return
        try:
            asyncio.run_coroutine_threadsafe(self.close(), self.loop).result(3 * _CLOSE_S)
        except Exception:  # noqa: BLE001 - the interpreter ends, and the driver ends with our pipe to it
            print("worldtape: the browser did not close in time", file=sys.stderr)  # noqa: T201
        self.loop.call_soon_threadsafe(self.loop.stop)
        self._thread.join(_CLOSE_S)


async def _close(browser: Browser) -> None:
    await _quietly(browser.close())


async def _quietly(work: Coroutine[Any, Any, Any]) -> None:
    from playwright.async_api import Error

    with suppress(Error, TimeoutError, OSError):
        await asyncio.wait_for(work, _CLOSE_S)


_engines: dict[int, Engine] = {}
_guard = threading.Lock()


def engine() -> Engine:
    """Return the engine of this process, started on first use and ended with the interpreter."""
    with _guard:
        found = _engines.get(os.getpid())
        if found is None:
            found = _engines[os.getpid()] = Engine()
            found.start()
            atexit.register(close_browsers)
        return found


def close_browsers() -> None:
    """Close all browsers of this process and their driver; the next trajectory starts them again."""
    with _guard:
        found = _engines.pop(os.getpid(), None)
    if found is not None:
        found.end()


__all__ = ["Engine", "Running", "close_browsers", "engine", "find_chromium"]
