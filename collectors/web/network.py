"""The network log: every request with its response and body."""

from __future__ import annotations

import asyncio
import base64
import hashlib
import time
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from worldtape.collectors.web._line import line_of

if TYPE_CHECKING:
    from playwright.async_api import Request

    from worldtape.collectors.web.config import WebConfig

_ENDLESS = {"websocket", "eventsource", "ping", "media", "cspviolationreport"}
_TEXTS = {"document", "script", "stylesheet", "xhr", "fetch", "manifest", "texttrack"}
_REDIRECTS = range(300, 400)
_LEAST_ERROR = 400


class Network:
    """Follows the requests of one trajectory.

    Each that ended is one JSON line of the channel `network`; its body is on the channel `body`, once for each content,
    and named by its SHA-256. A body that is not known is null and `why` says it, never empty.

    Args:
        config: which bodies are kept.
        write: takes channel and bytes.
    """

    def __init__(self, config: WebConfig, write: Callable[[str, bytes], None]) -> None:
        self._config = config
        self._write = write
        self._open: dict[Request, int] = {}
        self._asked: dict[Request, int] = {}
        """When each began: microseconds since 1970 UTC."""
        self._jobs: set[asyncio.Task[None]] = set()
        self._bodies: set[str] = set()
        self.moved = asyncio.Event()
        """Set whenever a request begins or ends."""
        self.began = 0
        """How many requests there were."""
        self.failed = 0
        """How many of them failed or were answered with 400 or more."""
        self.mark = 0
        """Requests that began before this one are not waited for."""

    def watch(self, context: Any) -> None:
        """Follow the requests of a browser context."""
        context.on("request", self._on_request)
        context.on("requestfinished", self._on_finished)
        context.on("requestfailed", self._on_failed)

    @property
    def waiting(self) -> bool:
        """Whether a request of the present action is open that will end."""
        return any(number > self.mark for number in self._open.values())

    def travelling(self, page: Any) -> bool:
        """Say whether a tab waits for the answer to a navigation: until then its old page cannot be looked at."""
        return any(one.is_navigation_request() and _page_of(one) is page and _on_top(one) for one in self._open)

    async def collected(self, timeout_s: float) -> None:
        """Wait until what has ended is written."""
        if self._jobs:
            await asyncio.wait(self._jobs, timeout=timeout_s)

    def close(self) -> None:
        """Write nothing more."""
        for job in self._jobs:
            job.cancel()
        self._open.clear()
        self._asked.clear()

    def forget(self, page: Any) -> None:
        """Let go of the open requests of a tab that was closed."""
        for request in [one for one in self._open if _page_of(one) in {page, None}]:
            del self._open[request]
        self._asked = {one: asked for one, asked in self._asked.items() if _page_of(one) not in {page, None}}
        self.moved.set()

    def _on_request(self, request: Request) -> None:
        self.began += 1
        self._asked[request] = time.time_ns() // 1000
        if request.resource_type not in _ENDLESS:
            self._open[request] = self.began
        self.moved.set()

    def _on_finished(self, request: Request) -> None:
        self._start(self._finish(request), request)

    def _on_failed(self, request: Request) -> None:
        self.failed += 1
        self._start(self._fail(request), request)

    def _start(self, work: Any, request: Request) -> None:
        self._open.pop(request, None)
        self.moved.set()
        job = asyncio.get_running_loop().create_task(work)
        self._jobs.add(job)
        job.add_done_callback(self._ended)

    def _ended(self, job: asyncio.Task[None]) -> None:
        self._jobs.discard(job)
        if not job.cancelled():
            job.exception()

    async def _fail(self, request: Request) -> None:
        self._line(request, {"failure": request.failure})

    async def _finish(self, request: Request) -> None:
        from playwright.async_api import Error

        why: str | None = "there was no response"
        try:
            response = await request.response()
        except Error as error:
            response, why = None, str(error).partition("\n")[0]
        if response is None:
            self._line(request, {"body": None, "why": why})
            return
        if response.status >= _LEAST_ERROR:
            self.failed += 1
        found: dict[str, Any] = {"status": response.status, "headers": dict(response.headers)}
        why = self._why_not(request, response)
        if why is None:
            try:
                body = await response.body()
            except Error as error:
                why = str(error).partition("\n")[0]
            else:
                if len(body) > self._config.body_bytes:
                    found["bytes"], why = len(body), "too large"
                else:
                    found["body"] = self._keep(body)
        if why is not None:
            found |= {"body": None, "why": why}
        self._line(request, found)

    def _why_not(self, request: Request, response: Any) -> str | None:
        if self._config.bodies == "none" or (self._config.bodies == "text" and request.resource_type not in _TEXTS):
            return "not asked for"
        if response.status in _REDIRECTS:
            return "a redirect has none"
        length = response.headers.get("content-length", "0")
        if length.isdigit() and int(length) > self._config.body_bytes:
            return "too large"
        return None

    def _keep(self, body: bytes) -> dict[str, Any]:
        digest = hashlib.sha256(body).hexdigest()
        if digest not in self._bodies:
            self._bodies.add(digest)
            if body:
                self._write("body", body)
        return {"sha256": digest, "bytes": len(body)}

    def _line(self, request: Request, found: dict[str, Any]) -> None:
        about: dict[str, Any] = {"method": request.method, "url": request.url, "type": request.resource_type}
        about["request"] = dict(request.headers)
        posted = request.post_data_buffer
        if posted:
            about["posted"] = posted.decode("utf-8", "backslashreplace")
            if about["posted"].encode() != posted:
                about["posted_b64"] = base64.b64encode(posted).decode()
        asked = self._asked.pop(request, None)
        if asked is not None:
            about["asked_us"] = asked
        timing: Any = request.timing
        if timing["startTime"] > 0:
            about["timing"] = {name: round(value, 3) for name, value in timing.items()}
        before = request.redirected_from
        if before is not None:
            about["redirected_from"] = before.url
        self._write("network", line_of(about | found))


def _on_top(request: Request) -> bool:
    from playwright.async_api import Error

    try:
        return request.frame.parent_frame is None
    except Error:
        return True


def _page_of(request: Request) -> Any:
    from playwright.async_api import Error

    try:
        return request.frame.page
    except Error:
        return None


__all__ = ["Network"]
