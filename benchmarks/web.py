"""How fast is a recorded browser? Against the same Playwright script that fetches the same artefacts.

    python benchmarks/web.py [--quick]

The script visits the same pages of the same site and acts on the same elements; after each action it waits as we do
(loaded, no open request, a document that rests for 30 ms) and takes the accessibility tree, the DOM snapshot, the HTML,
a picture, and the bodies of all responses. `hasty` is that script without the wait for rest. Prints a table for people
and, last, one JSON line; exits with 1 where a bar does not hold. `--quick` does less and needs a third of each bar.
"""

from __future__ import annotations

import argparse
import asyncio
import base64
import json
import os
import platform
import resource
import shutil
import statistics
import sys
import tempfile
import time
from collections.abc import Awaitable, Callable, Iterator
from contextlib import contextmanager
from importlib.metadata import version
from pathlib import Path
from typing import Any

from worldtape.collectors.recorder import Recorder, make_header
from worldtape.collectors.web import Web, WebConfig, browser_call, close_browsers, elements
from worldtape.collectors.web.engine import find_chromium
from worldtape.collectors.web.site import start_site
from worldtape.storage import TapeWriter

WALK: tuple[tuple[str, ...], ...] = (
    ("click", "link", "Kitchen"), ("click", "link", "Cart"), ("fill", "combobox", "Search products", "lamp"),
    ("click", "button", "Search"), ("click", "link", "Help"), ("click", "button", "Departments"),
    ("click", "link", "Garden"), ("click", "link", "Stores"), ("fill", "textbox", "Newsletter", "ada@example.org"),
    ("click", "link", "Sign in"), ("click", "link", "Wish list"), ("click", "link", "Fernhill Supply"),
)  # fmt: skip
"""What to do, the role and the name of the element, a value: navigations, a menu, fields."""
REST = """quiet => new Promise(done => {
  let last = performance.now();
  const seen = new MutationObserver(() => { last = performance.now(); });
  seen.observe(document, {subtree: true, childList: true, attributes: true, characterData: true});
  const look = () => {
    const left = quiet - (performance.now() - last);
    if (left <= 0) { seen.disconnect(); done(); } else setTimeout(look, left);
  };
  setTimeout(look, quiet);
})"""
REDIRECTS = range(300, 400)
CONTEXTS = 8


def walk(steps: int) -> list[tuple[str, ...]]:
    return [WALK[step % len(WALK)] for step in range(steps)]


class Script:
    """The plain script: a page, its requests, what it fetches."""

    def __init__(self, page: Any, cdp: Any, *, rest: bool) -> None:
        self.page, self.cdp, self.rest = page, cdp, rest
        self.jobs: set[asyncio.Task[bytes | None]] = set()
        self.console: list[str] = []
        page.context.on("requestfinished", self.finished)
        page.on("console", lambda message: self.console.append(message.text))

    def finished(self, request: Any) -> None:
        job = asyncio.get_running_loop().create_task(self.body(request))
        self.jobs.add(job)
        job.add_done_callback(self.jobs.discard)

    async def body(self, request: Any) -> bytes | None:
        response = await request.response()
        return None if response is None or response.status in REDIRECTS else await response.body()

    async def step(self, what: str, role: Any, name: str, *values: str) -> int:
        found = self.page.get_by_role(role, name=name, exact=True).first
        await (found.click() if what == "click" else found.fill(*values))
        return await self.look()

    async def look(self) -> int:
        await self.page.wait_for_load_state("load")
        if self.rest:
            await self.page.evaluate(REST, 30)
        if self.jobs:
            await asyncio.wait(self.jobs)
        shape = {"computedStyles": ["cursor"]}
        picture = {"format": "png", "optimizeForSpeed": True}
        tree, dom, html, shot = await asyncio.gather(
            self.cdp.send("Accessibility.getFullAXTree"),
            self.cdp.send("DOMSnapshot.captureSnapshot", shape),
            self.page.content(),
            self.cdp.send("Page.captureScreenshot", picture),
        )
        return len(tree["nodes"]) + len(dom["documents"]) + len(html) + len(base64.b64decode(shot["data"]))


async def scripted(steps: list[tuple[str, ...]], *, rest: bool) -> tuple[float, float]:
    """Return steps per second and seconds of start-up."""
    from playwright.async_api import async_playwright

    began = time.perf_counter()
    async with start_site("shop") as site, async_playwright() as driver:
        sandbox = [] if os.getuid() else ["--no-sandbox"]
        browser = await driver.chromium.launch(executable_path=find_chromium(), args=sandbox)
        proxy: Any = {"server": site.proxy, "bypass": "<-loopback>"}
        context = await browser.new_context(viewport={"width": 1280, "height": 720}, proxy=proxy)
        page = await context.new_page()
        cdp = await context.new_cdp_session(page)
        await cdp.send("Accessibility.enable")
        script = Script(page, cdp, rest=rest)
        await page.goto(f"http://{site.host}/")
        await script.look()
        start, began = time.perf_counter() - began, time.perf_counter()
        for what, role, name, *values in steps:
            assert await script.step(what, role, name, *values)
        took = time.perf_counter() - began
        await browser.close()
        return len(steps) / took, start


async def play(recorder: Recorder, web: Web, steps: list[tuple[str, ...]]) -> None:
    for what, role, name, *values in steps:
        element = next(one for one in elements(web.tree) if one.role == role and one.name == name)
        await recorder.step(browser_call(what, *values, element=element))
        assert recorder.last.outcome.error is None, (what, name, recorder.last.outcome)


@contextmanager
def lake() -> Iterator[str]:
    folder = tempfile.mkdtemp(prefix="lake-")
    try:
        yield folder
    finally:
        shutil.rmtree(folder)


async def recorded(steps: list[tuple[str, ...]], durability: str) -> tuple[float, float]:
    """Return steps per second and seconds of start-up, of the browser too."""
    close_browsers()
    with lake() as folder:
        began = time.perf_counter()
        web = Web(WebConfig(site="shop"))
        tape = TapeWriter.create(folder, make_header(web), durability=durability)
        async with Recorder(web, tape) as recorder:
            start, began = time.perf_counter() - began, time.perf_counter()
            await play(recorder, web, steps)
            return len(steps) / (time.perf_counter() - began), start


async def trajectories(count: int, steps: int) -> tuple[float, list[float]]:
    """Record `count` trajectories, eight contexts at once; return them per minute, and the memory after each, MB."""
    memory: list[float] = []
    waiting = iter(range(count))

    async def lane(folder: str) -> None:
        for number in waiting:
            web = Web(WebConfig(site="shop", site_seed=number % 5))
            async with Recorder(web, TapeWriter.create(folder, make_header(web))) as recorder:
                await play(recorder, web, walk(steps))
            memory.append(await asyncio.to_thread(tree_mb))

    with lake() as folder:
        began = time.perf_counter()
        async with asyncio.TaskGroup() as group:
            for _ in range(CONTEXTS):
                group.create_task(lane(folder))
        return count / (time.perf_counter() - began) * 60, memory


def tree_mb() -> float:
    """Return the memory of this process and all its descendants, pages that they share counted once, MB."""
    found = [os.getpid()]
    total = 0
    for one in found:
        try:
            tasks = list(Path(f"/proc/{one}/task").iterdir())
            found += [int(child) for task in tasks for child in (task / "children").read_text().split()]
            rollup = Path(f"/proc/{one}/smaps_rollup").read_text()
        except OSError:
            continue  # it has ended
        total += next(int(line.split()[1]) for line in rollup.splitlines() if line.startswith("Pss:"))
    return total / 1e3


def growth(memory: list[float]) -> float:
    """Return the median of the last quarter over that of the second: the first one fills caches."""
    quarter = len(memory) // 4
    return statistics.median(memory[-quarter:]) / statistics.median(memory[quarter : 2 * quarter])


def interleaved(runs: dict[str, Callable[[], Awaitable[tuple[float, float]]]], rounds: int) -> dict[str, float]:
    """Return the median rate of each, measured in turns, and the seconds of its last start."""
    rates: dict[str, list[float]] = {name: [] for name in runs}
    starts: dict[str, float] = {}
    for turn in range(rounds + 1):
        for name, run in runs.items():

            async def once(run: Callable[[], Awaitable[tuple[float, float]]] = run) -> tuple[float, float]:
                return await run()

            rate, starts[f"{name} start, s"] = asyncio.run(once())
            if turn:  # the first warms caches for everyone
                rates[name].append(rate)
    return {f"{name}, steps/s": statistics.median(found) for name, found in rates.items()} | starts


def measure(*, short: bool) -> dict[str, float]:
    steps = walk(12 if short else 36)
    runs: dict[str, Callable[[], Awaitable[tuple[float, float]]]] = {
        "script": lambda: scripted(steps, rest=True),
        "recorded": lambda: recorded(steps, "action"),
    }
    if not short:
        runs["hasty script"] = lambda: scripted(steps, rest=False)
        runs["recorded, durability none"] = lambda: recorded(steps, "none")
    figures = interleaved(runs, 3)
    count, each = (24, 2) if short else (200, 4)
    figures["trajectories a minute"], memory = asyncio.run(trajectories(count, each))
    figures["memory, MB"] = memory[-1]
    figures["memory, last quarter / second"] = growth(memory)
    close_browsers()
    return figures


def bars(figures: dict[str, float], *, short: bool) -> list[dict[str, object]]:
    found: list[dict[str, object]] = []

    def bar(what: str, value: float, needed: float) -> None:
        found.append({"what": what, "value": round(value, 3), "needed": needed, "holds": value <= needed})

    slower = figures["script, steps/s"] / figures["recorded, steps/s"]
    bar("time of a recorded step / of the script's", slower, 1.25 * (3 if short else 1))
    bar("memory, last quarter / second", figures["memory, last quarter / second"], 1.1 + (0.2 if short else 0))
    return found


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--quick", action="store_true", help="a quarter of the work, a third of each bar")
    given = parser.parse_args()
    libraries = ", ".join(f"{name} {version(name)}" for name in ("worldtape", "playwright"))
    print(f"{libraries}, Python {platform.python_version()}, {os.cpu_count()} CPUs")
    figures = measure(short=given.quick)
    usage = [resource.getrusage(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)]
    figures["CPU of the process tree, s"] = sum(use.ru_utime + use.ru_stime for use in usage)
    for name, value in figures.items():
        print(f"{name:50} {value:10.2f}")
    held = bars(figures, short=given.quick)
    for bar in held:
        print(f"{'holds' if bar['holds'] else 'FAILS':6} {bar['what']:50} {bar['value']:10} needed {bar['needed']}")
    rounded = {name: round(value, 3) for name, value in figures.items()}
    print(json.dumps({"name": "web", "figures": rounded, "bars": held}))
    return 0 if all(bar["holds"] for bar in held) else 1


if __name__ == "__main__":
    sys.exit(main())
