"""Settings of a recorded browser."""

from __future__ import annotations

from typing import Any, Literal, Self

from pydantic import Field, model_validator

from worldtape.schemas import EnvironmentSpec
from worldtape.schemas.settings import Settings


class WebConfig(Settings):
    """Which page to open, in what browser, and when to look at it."""

    url: str | None = None
    """Where the trajectory starts; none: an empty page."""
    site: Literal["shop", "forum"] | None = None
    """Start one of the test sites that Worldtape brings, for this trajectory alone; `url` is then a path of it."""
    site_seed: int = 0
    """The seed of what the test site holds."""
    renderer: Literal["web.axtree", "web.snapshot"] = "web.axtree"
    """How a page becomes text; both are made of the same tree, so that another one needs no new visit."""
    executable: str | None = None
    """Path of a Chromium; none: the one on the PATH, else Playwright's own."""
    headless: bool = True
    """Whether the browser has no window."""
    width: int = Field(default=1280, ge=100, le=10_000)
    """Width of the viewport in CSS pixels."""
    height: int = Field(default=720, ge=100, le=10_000)
    """Height of the viewport in CSS pixels."""
    locale: str = "en-US"
    """Language and region, as pages see them."""
    timezone: str = "UTC"
    """Time zone, as pages see it."""
    user_agent: str | None = None
    """What pages take the browser for; none: the browser's own."""
    geolocation: tuple[float, float] | None = None
    """Latitude and longitude that pages may ask for; none: they are refused."""
    color_scheme: Literal["light", "dark"] = "light"
    """What pages are told of the user's preference."""
    permissions: tuple[str, ...] = ()
    """Permissions that pages have from the start, as Playwright names them."""
    ignore_tls_errors: bool = False
    """Whether pages with bad certificates open; otherwise they are an outcome."""
    dialogs: Literal["accept", "dismiss", "ask"] = "accept"
    """What is done with alert, confirm and prompt; `ask`: it is shown, and the next action answers it."""
    files: dict[str, str] = Field(default_factory=dict)
    """Files that can be uploaded: name to text. No file of this machine can."""
    timeout_s: float = Field(default=30.0, gt=0, le=86_400)
    """Seconds; what has not settled by then is observed as it is."""
    action_s: float = Field(default=5.0, gt=0, le=86_400)
    """Seconds that an element has to become visible, enabled and still before an action on it is an error."""
    quiet_ms: int = Field(default=30, ge=0, le=60_000)
    """A page has settled when it is loaded, no request is open, and its document did not change for so long."""
    patience_ms: int = Field(default=5_000, ge=0, le=600_000)
    """A page that is loaded and never rests (a clock, a poll, an open request) is observed after so long."""
    html: bool = True
    """Keep the HTML of every frame."""
    screenshot: Literal["png", "jpeg", "none"] = "png"
    """Keep a picture of the viewport."""
    bodies: Literal["all", "text", "none"] = "all"
    """Which response bodies are kept; `text`: of documents, scripts, style sheets and data."""
    body_bytes: int = Field(default=4 << 20, ge=0)
    """A larger body is not kept, only its size."""

    @model_validator(mode="after")
    def _one_start(self) -> Self:
        if self.site is not None and self.url is not None and not self.url.startswith("/"):
            raise ValueError(f"url: beside site it is a path of that site, such as /cart, not {self.url!r}")
        return self

    def context_options(self) -> dict[str, Any]:
        """Return the arguments of Playwright's `new_context`."""
        options: dict[str, Any] = {
            "viewport": {"width": self.width, "height": self.height},
            "locale": self.locale,
            "timezone_id": self.timezone,
            "color_scheme": self.color_scheme,
            "reduced_motion": "reduce",
            "ignore_https_errors": self.ignore_tls_errors,
            "accept_downloads": True,
            "permissions": list(self.permissions),
        }
        if self.user_agent is not None:
            options["user_agent"] = self.user_agent
        if self.geolocation is not None:
            options["geolocation"] = {"latitude": self.geolocation[0], "longitude": self.geolocation[1]}
            options["permissions"] = sorted({*self.permissions, "geolocation"})
        return options

    def spec(self) -> EnvironmentSpec:
        """Return what is asked for, as the header of a tape names it."""
        from worldtape.collectors.web.offered import tools_of

        apart = {"locale", "timezone", "executable"}
        return EnvironmentSpec(
            kind="web",
            backend="chromium",
            network="none" if self.site is not None else "bridge",
            locale=self.locale,
            timezone=self.timezone,
            seed=self.site_seed if self.site is not None else None,
            tools=tools_of(self.renderer),
            parameters=self.model_dump(mode="json", exclude=apart),
        )


__all__ = ["WebConfig"]
