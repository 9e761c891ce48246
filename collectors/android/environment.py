"""A real device behind Appium that answers actions with what it shows."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Mapping
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack
from types import TracebackType
from typing import Any, Self, TypeVar

from worldtape.collectors.android.actions import KIND, Aimed, ends, read_move, ui_action
from worldtape.collectors.android.config import AndroidConfig
from worldtape.collectors.android.devices import DEVICES
from worldtape.collectors.android.driver import Driver
from worldtape.collectors.android.installed import installed
from worldtape.collectors.android.screen import Screen
from worldtape.collectors.android.server import server
from worldtape.collectors.android.session import Session
from worldtape.errors import ComponentError, InputError
from worldtape.schemas import Action, EnvironmentSpec, InitialState, Ready, Sink, StepResult, Target

T = TypeVar("T")


class Android:
    """An `Environment` of the domain `android`; see `AndroidConfig` for its settings.

    Actions are of kind `ui_action` (`ui_action()` makes them, `parse` reads JSON and mappings). An observation is the
    screen, rendered from the line of the channel `hierarchy` that was kept for it; `tree` is that line, read.

    Attributes:
        until: nothing is waited for longer than to this moment (monotonic s); None: no such moment.
    """

    domain = "android"
    action_kinds = frozenset({KIND})

    def __init__(self, config: AndroidConfig | None = None) -> None:
        self.config = config or AndroidConfig()
        self.spec: EnvironmentSpec = self.config.spec()
        self.until: float | None = None
        self._driver: Driver | None = None
        self._thread: ThreadPoolExecutor | None = None
        self._stack = ExitStack()

    async def __aenter__(self) -> Self:
        self._thread = ThreadPoolExecutor(1, thread_name_prefix="worldtape-android")
        try:
            self._driver = await self._call(self._open)
        except BaseException:
            await self.__aexit__(None, None, None)
            raise
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        driver, self._driver = self._driver, None
        thread, self._thread = self._thread, None
        if driver is not None:
            driver.detach()
            await asyncio.to_thread(driver.device.close)
        await asyncio.to_thread(self._stack.close)
        if thread is not None:
            thread.shutdown(wait=False)

    async def reset(self, sink: Sink) -> Ready:
        """Open the app and say what was found.

        Raises:
            ComponentError: it cannot be opened, or not looked at.
        """
        driver = self._driving
        observation = await self._call(lambda: driver.start(sink))
        found = self.spec.model_copy(update={"versions": await self._call(lambda: _versions(driver.device.session))})
        initial = InitialState(text=_told(self.config, driver, found), probes=driver.state)
        return Ready(environment=found, initial_state=initial, observation=observation)

    async def step(self, action: Action, sink: Sink) -> StepResult:
        """Carry out `action` and observe; one that cannot be read is `rejected`, and nothing is done."""
        driver = self._driving
        return await self._call(lambda: driver.step(action, sink, self.until))

    async def probe(self) -> dict[str, Any] | None:
        """Return the state as it was last seen."""
        return None if self._driver is None else self._driver.state

    @property
    def tree(self) -> dict[str, Any]:
        """The newest capture, as `Screen` takes it; {} before the first."""
        return {} if self._driver is None else self._driver.tree

    async def facts(self) -> dict[str, Any]:
        """Return what verifiers look at: `state`, and `texts`, `fields` (name to text) and `checked` of the screen.

        `held` is what Worldtape's own pages hold (null elsewhere), `clicks` how often elements of the fake driver were
        clicked.
        """
        screen, driver = Screen(self.tree), self._driver
        clicks = {one.res: flag[7:] for one in screen.elements for flag in one.flags if flag.startswith("clicks=")}
        return {
            "held": None if driver is None else await self._call(driver.device.facts),
            "clicks": clicks,
            "state": await self.probe() or {},
            "texts": [one.text or one.desc for one in screen.elements if one.text or one.desc],
            "fields": {one.res or one.hint: one.text for one in screen.elements if one.is_("editable")},
            "checked": {one.name: one.is_("checked") for one in screen.elements if one.is_("checkable")},
        }

    def parse(self, given: Any) -> Action | None:
        """Return what `given` (a mapping with `action_type`, or its JSON) asks for.

        The element it is aimed at is kept as the action's target. What cannot be read becomes an action that is
        rejected; None, and AndroidWorld's `status`, end a recording.
        """
        if given is None or ends(given):
            return None
        wanted = given if isinstance(given, Mapping) else str(given)
        return ui_action(wanted, target=self.target(wanted))

    def target(self, given: str | Mapping[str, Any]) -> Target | None:
        """Return the element that an action is aimed at by index; None: none, or none that shows."""
        try:
            _, move = read_move(given)
        except InputError:
            return None
        index = move.index if isinstance(move, Aimed) else None
        screen = Screen(self.tree)
        element = None if index is None else screen.element(index)
        return None if element is None else screen.target(element)

    @property
    def _driving(self) -> Driver:
        if self._driver is None:
            raise ComponentError("the device was not started", fix="use it with `async with`")
        return self._driver

    async def _call(self, work: Callable[[], T]) -> T:
        return await asyncio.get_running_loop().run_in_executor(self._thread, work)

    def _open(self) -> Driver:
        config = self.config
        found = self._stack.enter_context(installed(config))
        device = DEVICES[config.driver]
        url = config.server_url or server(config.driver, device.package, start_s=config.server_start_s).url
        return Driver(config, device(config, url, found))


def _versions(session: Session) -> dict[str, str]:
    from importlib.metadata import version

    found = session.found | {"appium": session.ask(lambda remote: remote.get_status()["build"]["version"])}
    names = {"appium": "appium", "browserVersion": "chromium", "platformVersion": "android", "deviceModel": "device"}
    told = {ours: str(found[name]) for name, ours in names.items() if found.get(name)}
    return told | {"appium-python-client": version("Appium-Python-Client")}


def _told(config: AndroidConfig, driver: Driver, found: EnvironmentSpec) -> str:
    """Return what a policy is told of the device before the first action."""
    width, height = driver.device.size or (config.width, config.height)
    names = {"chromium": "phone-sized page in Chromium", "fake": "Appium's fake device", "uiautomator2": "Android"}
    version = found.versions.get("android" if config.driver == "uiautomator2" else config.driver, "")
    lines = [f"Device: {names[config.driver]} {version}".rstrip(), f"Screen: {width} × {height} pixels"]
    if config.app:
        lines.append(f"App: {config.app}")
    if apps := driver.device.installed.apps:
        lines.append(f"Apps: {', '.join(sorted(apps))}")
    return "\n".join(lines)


__all__ = ["Android"]
