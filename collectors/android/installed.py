"""What can be opened on a device, and what is open at the start."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path

from worldtape.collectors.android.config import AndroidConfig
from worldtape.errors import InputError

_HOME = "home"


@dataclass(frozen=True, slots=True)
class Installed:
    """Apps, as a driver opens them: addresses, XML files, packages.

    Attributes:
        apps: name to what it stands for.
        first: what is open at the start; None: whatever the device shows.
        home: what the home button shows, where the driver knows no better.
    """

    apps: dict[str, str] = field(default_factory=dict)
    first: str | None = None
    home: str | None = None


@contextmanager
def installed(config: AndroidConfig) -> Iterator[Installed]:
    """Say what there is; Worldtape's own pages are served on loopback meanwhile.

    Raises:
        InputError: the fake driver has no app to open.
    """
    from worldtape.collectors.android.apps import FAKE_APPS, PAGE_APPS, fake_app, serve

    apps = dict(config.apps)
    first = None if config.app is None else apps.get(config.app, config.app)
    if config.driver == "fake":
        apps = {name: str(fake_app(name)) for name in FAKE_APPS} | apps
        found = apps.get(config.app or FAKE_APPS[0], config.app or "")
        if not Path(found).is_file():
            raise InputError(f"there is no app {config.app!r}", fix=f"known: {', '.join(apps)}, or the path of a file")
        yield Installed(apps, found, found)
    elif config.driver == "chromium" and (first is None or first in PAGE_APPS or first == _HOME):
        with serve(config.seed) as served:
            apps = {label: served.url(name) for label, name in served.labels.items()} | apps
            page = served.home if first is None or first == _HOME else served.url(first)
            yield Installed(apps, page, served.home)
    else:
        yield Installed(apps, first, first)


__all__ = ["Installed", "installed"]
