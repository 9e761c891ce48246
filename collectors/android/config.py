"""Settings of a recorded device."""

from __future__ import annotations

import re
from typing import Any, Literal

from pydantic import Field

from worldtape.collectors.android.actions import tools
from worldtape.collectors.mcp._secrets import MASK
from worldtape.schemas import EnvironmentSpec
from worldtape.schemas.settings import Settings

Renderer = Literal["android.elements", "android.phone", "android.tree"]


class AndroidConfig(Settings):
    """Which device, what opens on it, and when to look at it."""

    driver: Literal["chromium", "fake", "uiautomator2"] = "chromium"
    """The driver of Appium: a phone-sized page in Chromium, its own fake device, or Android itself."""
    app: str | None = None
    """What is open at the start: a name out of `apps`, one of Worldtape's own (`contacts`, `larder`, `home`; `survey`,
    `thermostat` for the fake driver), a page's address, an XML file of the fake driver, or a package. None: the home
    screen of the own apps, the first of those for the fake driver, or whatever Android shows."""
    seed: int = 0
    """Decides what Worldtape's own apps hold at first."""
    apps: dict[str, str] = Field(default_factory=dict)
    """What `open_app` can open: name to address, XML file or package (`package/activity` for one activity)."""
    server_url: str | None = None
    """An Appium server that runs already; none: one is started for this process, and ends with it."""
    server_start_s: float = Field(default=90.0, gt=0, le=3_600)
    """Seconds until a server of our own must answer."""
    capabilities: dict[str, Any] = Field(default_factory=dict)
    """More capabilities of the session, or others: names without a vendor get the prefix `appium:`."""
    session_s: float = Field(default=120.0, gt=0, le=3_600)
    """Seconds until the session must have begun; the first one on a new emulator takes long."""
    renderer: Renderer = "android.elements"
    """How a screen becomes text; all are made of the same line, so that another one needs no new recording."""
    width: int = Field(default=412, ge=100, le=10_000)
    """Width of the phone-sized page in pixels; of other drivers the device decides."""
    height: int = Field(default=915, ge=100, le=10_000)
    """Its height."""
    executable: str | None = None
    """Path of a Chromium; none: the one on the PATH."""
    chromedriver: str | None = None
    """Path of the chromedriver that fits it; none: the one on the PATH."""
    timeout_s: float = Field(default=30.0, gt=0, le=86_400)
    """Seconds that an action may take; then the device is observed as it is."""
    quiet_ms: int = Field(default=50, ge=0, le=60_000)
    """A page rests when its document did not change for so long."""
    patience_s: float = Field(default=5.0, ge=0, le=600)
    """A screen that never gives the same dump twice is observed after so many seconds, and flagged `stale`."""
    idle_ms: int = Field(default=2_000, ge=0, le=60_000)
    """Android only: so long UiAutomator waits for an idle screen before each dump."""
    screenshot: bool = True
    """Keep a picture of the screen."""
    html: bool = True
    """Keep the HTML of pages, beside what is observed of them."""

    def spec(self) -> EnvironmentSpec:
        """Return what is asked for, as the header of a tape names it."""
        apart = {"executable", "chromedriver", "server_url", "server_start_s", "capabilities"}
        parameters = self.model_dump(mode="json", exclude=apart)
        parameters["capabilities"] = shown(self.capabilities)
        return EnvironmentSpec(
            kind="android",
            backend=self.driver,
            network="host",
            locale="en-US" if self.driver == "chromium" else None,
            timezone="UTC" if self.driver == "chromium" else None,
            seed=self.seed,
            tools=tools(),
            parameters=parameters,
        )


_SECRET = re.compile(r"(key|pass|password|pin|secret|token|user|username)$", re.IGNORECASE)
"""How names of capabilities end whose values open something: accounts of device farms, screen locks."""


def shown(capabilities: Any) -> Any:
    """Return capabilities as a tape may hold them."""
    if isinstance(capabilities, dict):
        return {name: MASK if _SECRET.search(name) else shown(value) for name, value in capabilities.items()}
    return [shown(one) for one in capabilities] if isinstance(capabilities, list) else capabilities


__all__ = ["AndroidConfig", "shown"]
