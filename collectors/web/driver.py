"""Acts, waits and looks: one step of a browser after the other."""

from __future__ import annotations

import asyncio
import hashlib
import time
from collections.abc import Coroutine
from typing import TYPE_CHECKING, Any

from worldtape.collectors.web._line import line_of
from worldtape.collectors.web.calls import Call, call_of
from worldtape.collectors.web.capture import capture
from worldtape.collectors.web.faults import ABORTED, ActionError, fault_of
from worldtape.collectors.web.found import Found, outcome_of, tree_of
from worldtape.collectors.web.perform import Doing, goto
from worldtape.collectors.web.settle import settle
from worldtape.collectors.web.tab import Tab
from worldtape.collectors.web.tree import read_tree
from worldtape.errors import ComponentError, InputError
from worldtape.schemas import (
    Action,
    Observation,
    Part,
    Rendering,
    SettledBy,
    Sink,
    Status,
    StepResult,
    Timing,
)

if TYPE_CHECKING:
    from worldtape.collectors.web.session import Session

_LOOK_S = 10.0
_INLINE = 64 * 1024
_MEDIA = {"html": "text/html", "png": "image/png", "jpeg": "image/jpeg"}


class Driver:
    """Steps a `Session`; runs in the engine's thread.

    Attributes:
        state: what the newest look found, beside what is shown.
        tree: the newest tree.
    """

    def __init__(self, session: Session) -> None:
        self.session = session
        self.state: dict[str, Any] | None = None
        self.tree: dict[str, Any] = {}
        self._renderer = _make(session.config.renderer)
        self._digest: str | None = None
        self._pending: asyncio.Future[None] | None = None
        self._ended = False

    async def start(self, sink: Sink) -> Observation:
        """Open the start page and look at it.

        Raises:
            ComponentError: the browser died.
            InputError: the start page does not answer.
        """
        session = self.session
        session.attach(sink)
        found = Found()
        url = session.start_url
        try:
            deadline = _now() + session.config.timeout_s
            await self._act_and_look(Call("goto", {"url": url}, "goto", {}) if url else None, found, deadline)
            if session.dead:
                raise ComponentError("the browser died before the first look")
            if found.fault is not None and url is not None:
                raise InputError(f"the start page cannot be opened: {found.fault.message}", where=url)
            return self._observe(found)
        finally:
            session.attach(None)

    async def step(self, action: Action, sink: Sink, until: float | None) -> StepResult:
        """Carry out one action; `until` as in `Web`."""
        session = self.session
        started, mono = time.time_ns() // 1000, time.monotonic_ns()
        session.attach(sink)
        session.network.mark = session.network.began
        tab = session.active
        answers = -1 if tab is None else tab.answers
        found = Found()
        try:
            deadline = _now() + (action.timeout_s or session.config.timeout_s)
            if until is not None:
                deadline = min(deadline, _now() + until - time.monotonic())
            await self._carry_out(action, found, deadline)
            observation = self._observe(found)
            outcome = outcome_of(session, found, tab, answers)
            self._ended = self._ended or session.gone.is_set()
        finally:
            session.attach(None)
        took = time.monotonic_ns() - mono
        first = session.first_mono
        timing = Timing(
            started_at=started,
            first_output_at=None if first is None else started + (first - mono) // 1000,
            ended_at=started + took // 1000,
            duration_ms=took / 1e6,
        )
        return StepResult(
            observation=observation,
            outcome=outcome,
            timing=timing,
            state_after=None if session.dead else self.state,
            done=self._ended,
        )

    async def _carry_out(self, action: Action, found: Found, deadline: float) -> None:
        if self._ended:
            found.fault = ActionError(Status.NOT_EXECUTED, "over", "the browser is gone")
            return
        try:
            call = call_of(action)
        except InputError as error:
            found.fault = ActionError(Status.REJECTED, "invalid_action", error.what)
            call = None
        if self.session.dialogs.open is not None and (call is None or call.name != "handle_dialog"):
            found.fault = found.fault or ActionError(
                Status.TOOL_ERROR,
                "dialog_open",
                f"{call.said if call else 'action'}: a dialog is open: answer it first",
            )
            return
        await self._act_and_look(call, found, deadline)

    async def _act_and_look(self, call: Call | None, found: Found, deadline: float) -> None:
        if call is not None:
            await self._guarded(self._act(call, found, deadline), keep=True)
        if not self.session.gone.is_set() and self.session.dialogs.open is None:
            await self._guarded(self._look(found, deadline), keep=False)

    async def _guarded(self, work: Coroutine[Any, Any, None], *, keep: bool) -> None:
        """Do `work` until it is done, a dialog wants an answer, or the page or browser dies.

        With `keep`, work that a dialog holds up goes on when that is answered; otherwise it is given up.
        """
        session = self.session
        doing: asyncio.Future[None] = asyncio.ensure_future(work)
        watching: list[asyncio.Future[Any]] = [
            asyncio.ensure_future(event.wait()) for event in (session.gone, session.dialogs.opened)
        ]
        try:
            await asyncio.wait([doing, *watching], return_when=asyncio.FIRST_COMPLETED)
            if doing.done() and not session.gone.is_set():
                await doing
            elif keep and not session.gone.is_set():
                self._pending, doing = doing, _nothing()
        finally:
            for one in (doing, *watching):
                one.cancel()
            await asyncio.gather(doing, *watching, return_exceptions=True)

    async def _look(self, found: Found, deadline: float) -> None:
        from playwright.async_api import Error

        session = self.session
        try:
            if found.fault is None or found.fault.status is not Status.REJECTED:
                found.settled = await settle(session, deadline)
            await session.network.collected(max(0.0, deadline - _now()))
            tab = session.tab
            found.captured = await asyncio.wait_for(capture(tab, session.config), max(_LOOK_S, deadline - _now()))
            tab.seen, tab.title = found.captured.merged, found.captured.title
            await self._titles(tab)
        except (Error, ActionError, TimeoutError) as error:
            if session.gone.is_set():
                return
            if found.fault is None:
                found.fault = error if isinstance(error, ActionError) else _unseen(error)

    async def _act(self, call: Call, found: Found, deadline: float) -> None:
        from playwright.async_api import Error
        from playwright.async_api import TimeoutError as TooLateError

        session = self.session
        pending, self._pending = self._pending, None
        downloads = len(session.events)
        try:
            if call.said == "goto" and not call.arguments:
                await goto(session, session.tab, str(call.given["url"]), max(1.0, (deadline - _now()) * 1000))
            else:
                await Doing(session, session.tab, deadline).do(call)
            if pending is not None:
                await asyncio.wait([pending], timeout=session.config.action_s)
                pending.cancel()
        except ActionError as error:
            found.fault = error
        except Error as error:
            fault = fault_of(error, call.said, timed_out=isinstance(error, TooLateError))
            downloading = session.downloads or any(one["kind"] == "download" for one in session.events[downloads:])
            superseded = fault is not None and fault.kind == ABORTED and downloading
            found.fault = None if superseded or "Download is starting" in str(error) else fault

    async def _titles(self, front: Tab) -> None:
        """Read the titles of the tabs behind; one that does not answer keeps its last."""
        from playwright.async_api import Error

        for tab in self.session.tabs:
            if tab is not front and not tab.crashed:
                try:
                    tab.title = await asyncio.wait_for(tab.page.title(), 1.0)
                except (Error, TimeoutError):
                    continue

    def _observe(self, found: Found) -> Observation:
        session = self.session
        tree = tree_of(session, found)
        line = line_of(tree)
        tree = read_tree(line)
        session.write("tree", line)
        self._renderer.feed("tree", line)
        parts = [Part(channel="tree", media_type="application/json", bytes=len(line), blob=_blob(line))]
        if found.captured is not None:
            pages = [text.encode("utf-8", "backslashreplace") for text in found.captured.html]
            parts.extend(self._keep("html", page, _MEDIA["html"]) for page in pages)
            if found.captured.picture:
                parts.append(self._keep("screenshot", found.captured.picture, _MEDIA[session.config.screenshot]))
        self.tree = tree
        self._remember(tree, found)
        return Observation(
            text=self._renderer.render(),
            renderer=self._renderer.rendering,
            parts=tuple(parts),
            settled_by=self._settled_by(found),
            received={channel: count for channel, count in session.received.items() if count},
        )

    def _settled_by(self, found: Found) -> SettledBy | None:
        if self.session.gone.is_set() or self.session.dialogs.open is not None:
            return SettledBy.EVENT
        return None if found.settled is None else found.settled.by

    def _keep(self, channel: str, data: bytes, media_type: str) -> Part:
        self.session.write(channel, data)
        return Part(channel=channel, media_type=media_type, bytes=len(data), blob=_blob(data))

    def _remember(self, tree: dict[str, Any], found: Found) -> None:
        session = self.session
        digest = hashlib.sha256(line_of([tree.get("url"), tree["tabs"], tree.get("scroll"), tree["nodes"]])).hexdigest()
        tab = session.active
        focused = next((node for node in tree["nodes"] if "n" in node and node.get("props", {}).get("focused")), None)
        self.state = {
            "url": tree.get("url"),
            "title": tree.get("title"),
            "tabs": len(session.tabs),
            "active_tab": session.tabs.index(tab) if tab in session.tabs else None,
            "http_status": None if tab is None else tab.status,
            "viewport": tree["viewport"],
            "scroll": tree.get("scroll"),
            "focused": None if focused is None else {"role": focused["role"], "name": focused["name"]},
            "tree": f"sha256:{digest}",
            "changed": digest != self._digest,
            "open_requests": session.network.waiting,
            "settled": found.settled is not None and found.settled.by is SettledBy.REST,
        }
        self._digest = digest


def _make(name: str) -> Any:
    from worldtape.collectors.renderers import make_renderer

    return make_renderer(Rendering(name=name, version="1"))


def _unseen(error: Exception) -> ActionError:
    said = str(error).partition("\n")[0] or type(error).__name__
    return ActionError(Status.INFRA_ERROR, "not_seen", f"the page could not be looked at: {said}")


def _blob(data: bytes) -> str | None:
    return f"sha256:{hashlib.sha256(data).hexdigest()}" if len(data) > _INLINE else None


def _now() -> float:
    return asyncio.get_running_loop().time()


def _nothing() -> asyncio.Future[None]:
    done: asyncio.Future[None] = asyncio.get_running_loop().create_future()
    done.set_result(None)
    return done


__all__ = ["Driver"]
