"""Settings of a recorded desktop."""

from __future__ import annotations

from pathlib import PurePosixPath
from typing import Any, Literal

from pydantic import Field, field_validator

from worldtape.collectors.terminal.sandbox import SandboxConfig
from worldtape.schemas import EnvironmentSpec, Limits
from worldtape.schemas.settings import Settings

USER = "user"
HOME = "/home/user"
CODE = "/opt/worldtape"


class DesktopConfig(Settings):
    """Which programs to start, in what container, and when to look at them."""

    programs: tuple[str, ...] = ("mousepad",)
    """Commands that are started one after the other, each when the last has opened its window: `mousepad notes.txt`,
    `thunar`, `galculator`, or whatever else the image holds."""
    files: dict[str, str] = Field(default_factory=dict)
    """Files of the home directory before the start: path in it to text."""
    image: str | None = None
    """The container image; none: the one that Worldtape builds (`python -m worldtape.collectors.desktop.image`)."""
    renderer: Literal["desktop.table", "desktop.tree"] = "desktop.table"
    """How the tree becomes text; both are made of the same tree, so that another one needs no new recording."""
    width: int = Field(default=1280, ge=200, le=8192)
    """Width of the screen in pixels."""
    height: int = Field(default=800, ge=200, le=8192)
    """Height of the screen in pixels."""
    timezone: str = "UTC"
    """Time zone of the programs."""
    network: Literal["none", "bridge"] = "none"
    """`none`: nothing but loopback."""
    limits: Limits = Limits()
    """What everything in the container together may use."""
    start_s: float = Field(default=60.0, gt=0, le=86_400)
    """Seconds in which everything must be up."""
    timeout_s: float = Field(default=30.0, gt=0, le=86_400)
    """Seconds; code that runs longer is killed."""
    quiet_ms: int = Field(default=80, ge=0, le=60_000)
    """A desktop has settled when every program has answered and, for so long, nothing was drawn or told."""
    patience_ms: int = Field(default=5_000, ge=0, le=600_000)
    """A desktop that never rests (a film, a clock) is observed so long after the action."""
    nodes: int = Field(default=5_000, ge=1, le=1_000_000)
    """So many elements are read at most."""
    screenshot: Literal["png", "none"] = "png"
    """Keep a picture of the screen."""

    @field_validator("files")
    @classmethod
    def _inside(cls, files: dict[str, str]) -> dict[str, str]:
        for name in files:
            path = PurePosixPath(name)
            if path.is_absolute() or ".." in path.parts or not path.name:
                raise ValueError(f"files: {name!r} is no path in the home directory, such as notes/today.txt")
        return files

    def sandbox_config(self) -> SandboxConfig:
        """Return the settings of the container."""
        env = {"HOME": HOME, "USER": USER, "PYTHONPATH": CODE, "TZ": self.timezone, "NO_AT_BRIDGE": "0"}
        return SandboxConfig(
            kind="docker",
            image=self.image,
            network=self.network,
            limits=self.limits,
            hostname="desktop",
            workdir=HOME,
            user=USER,
            env=env
            | {"GTK_MODULES": "gail:atk-bridge", "PYTHONDONTWRITEBYTECODE": "1", "XDG_CONFIG_HOME": f"{HOME}/.config"},
            files={f"{HOME}/{name}": text for name, text in self.files.items()},
        )

    def start_request(self) -> dict[str, Any]:
        """Return what the session inside is asked first."""
        return {
            "op": "start",
            "size": [self.width, self.height],
            "programs": list(self.programs),
            "start_s": self.start_s,
            "quiet_s": self.quiet_ms / 1000,
            "patience_s": self.patience_ms / 1000,
            "nodes": self.nodes,
            "screenshot": self.screenshot == "png",
        }

    def spec(self) -> EnvironmentSpec:
        """Return what is asked for, as the header of a tape names it."""
        apart = {"image", "network", "limits", "timezone"}
        return EnvironmentSpec(
            kind="os",
            backend="docker",
            image=self.image,
            network=self.network,
            locale="C.UTF-8",
            timezone=self.timezone,
            limits=self.limits,
            parameters=self.model_dump(mode="json", exclude=apart),
        )


__all__ = ["CODE", "HOME", "USER", "DesktopConfig"]
