"""A real browser that answers calls with its accessibility tree."""

from __future__ import annotations

from collections.abc import Coroutine
from contextlib import AsyncExitStack
from types import TracebackType
from typing import Any, Self, TypeVar

from worldtape.collectors.web.calls import read_call, read_text
from worldtape.collectors.web.config import WebConfig
from worldtape.collectors.web.driver import Driver
from worldtape.collectors.web.engine import Running, engine
from worldtape.collectors.web.initial import initial_text
from worldtape.collectors.web.session import Session
from worldtape.errors import ComponentError, InputError
from worldtape.schemas import Action, EnvironmentSpec, InitialState, Ready, Sink, StepResult, Target, canonical_json

T = TypeVar("T")


class Web:
    """An `Environment` of the domain `web`; see `WebConfig` for its settings.

    Actions are of kind `browser_call` (`browser_call()` makes them, `parse` reads text). An observation is the page in
    front, rendered from the line of the channel `tree` that was kept for it; `tree` is that line, read.

    Attributes:
        until: nothing is waited for longer than to this moment (monotonic s); None: no such moment.
        site: the test site of this trajectory, where the configuration names one.
    """

    domain = "web"

    def __init__(self, config: WebConfig | None = None) -> None:
        self.config = config or WebConfig()
        self.spec: EnvironmentSpec = self.config.spec()
        self.until: float | None = None
        self.site: Any = None
        self._running: Running | None = None
        self._session: Session | None = None
        self._driver: Driver | None = None
        self._stack = AsyncExitStack()

    async def __aenter__(self) -> Self:
        try:
            await self._call(self._open())
        except BaseException:
            await self.__aexit__(None, None, None)
            raise
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        await self._call(self._close())

    async def reset(self, sink: Sink) -> Ready:
        """Open the start page and say what was found.

        Raises:
            ComponentError: the browser died before it could be looked at.
        """
        return await self._call(self._reset(sink))

    async def step(self, action: Action, sink: Sink) -> StepResult:
        """Carry out `action` and observe; one that cannot be read is `rejected`, and nothing is done."""
        return await self._call(self._driving.step(action, sink, self.until))

    async def probe(self) -> dict[str, Any] | None:
        """Return the state as it was last seen."""
        return None if self._driver is None else self._driver.state

    @property
    def tree(self) -> dict[str, Any]:
        """The newest tree, as `elements` takes it; {} before the first."""
        return {} if self._driver is None else self._driver.tree

    def parse(self, given: Any) -> Action | None:
        """Return what `given` asks for: text such as `click("12")`, or a mapping with `name` and `arguments`.

        The element it is aimed at is looked up in the newest tree, and kept as the action's target. What cannot be read
        becomes an action that is rejected; None ends a recording.
        """
        if given is None:
            return None
        if not isinstance(given, dict):
            text = str(given)
            try:
                call = read_text(text)
            except InputError:
                return Action(kind="browser_call", text=text)
        else:
            text = canonical_json(given)
            try:
                call = read_call(str(given.get("name")), given.get("arguments") or {})
            except InputError:
                return Action(kind="browser_call", text=text)
        return Action(
            kind="browser_call",
            text=text,
            name=call.said,
            arguments=canonical_json(call.arguments),
            target=self.target(call.ids[0]) if call.ids else None,
        )

    def target(self, ref: str) -> Target | None:
        """Return what the newest tree knows of an element by its id or reference; None where it has no such element."""
        session = self._session
        node = None if session is None or session.active is None else session.active.about(ref)
        if node is None:
            return None
        box = tuple(node["box"]) if "box" in node else None
        return Target(id=ref, role=node["role"], name=node["name"], box=box, selector=node.get("selector"))

    @property
    def _driving(self) -> Driver:
        if self._driver is None:
            raise ComponentError("the browser was not started", fix="use it with `async with`")
        return self._driver

    async def _call(self, work: Coroutine[Any, Any, T]) -> T:
        return await engine().call(work)

    async def _open(self) -> None:
        url, proxy = self.config.url, None
        if self.config.site is not None:
            from worldtape.collectors.web.site import start_site

            self.site = await self._stack.enter_async_context(start_site(self.config.site, seed=self.config.site_seed))
            url, proxy = f"http://{self.site.host}{self.config.url or '/'}", self.site.proxy
        self._running = await engine().borrow(self.config.executable, headless=self.config.headless)
        self._session = Session(self.config, self._running, url, proxy)
        await self._session.open()
        self._driver = Driver(self._session)

    async def _close(self) -> None:
        session, self._session = self._session, None
        if session is not None:
            await session.close()
        running, self._running = self._running, None
        if running is not None:
            engine().give_back(running)
        await self._stack.aclose()
        self._driver = None

    async def _reset(self, sink: Sink) -> Ready:
        session, running = self._session, self._running
        assert session is not None
        assert running is not None
        observation = await self._driving.start(sink)
        found = self.spec.model_copy(update={"versions": {"chromium": running.browser.version} | _versions()})
        initial = InitialState(text=initial_text(found, session.start_url), probes=self._driving.state)
        return Ready(environment=found, initial_state=initial, observation=observation)


def _versions() -> dict[str, str]:
    from importlib.metadata import version

    return {"playwright": version("playwright")}


__all__ = ["Web"]
