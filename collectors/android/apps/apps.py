"""Which apps there are, and what they consist of."""

from __future__ import annotations

from importlib.resources import files
from pathlib import Path

from worldtape.errors import NotFoundError

PAGE_APPS = {"contacts": "Contacts", "larder": "Larder"}
"""Page app to its label, as a phone shows it below its icon."""
FAKE_APPS = ("survey", "thermostat")
"""Apps for the fake driver."""
_TYPES = {"css": "text/css; charset=utf-8", "js": "text/javascript; charset=utf-8"}


def fake_app(name: str) -> Path:
    """Return the file of an app for the fake driver, as its capability `appium:app` wants it.

    Raises:
        NotFoundError: there is none of this name.
    """
    if name not in FAKE_APPS:
        raise NotFoundError(f"no app {name!r} for the fake driver", fix=f"known: {', '.join(FAKE_APPS)}")
    return Path(str(files(__package__).joinpath(f"{name}.xml")))


def page(path: str, seed: int) -> tuple[bytes, str] | None:
    """Return what stands at a path and its media type; None where there is nothing.

    Args:
        path: such as `/contacts.html`; `/` is the home screen.
        seed: decides what the apps hold at first.
    """
    name, _, kind = path.lstrip("/").partition(".")
    if path in ("/", "/home.html"):
        name, kind = "home", "html"
    if kind in _TYPES and name == "ui":
        return _read(f"ui.{kind}").encode(), _TYPES[kind]
    if kind != "html" or (name not in PAGE_APPS and name != "home"):
        return None
    whole = _read("frame.html").replace('data-seed="0"', f'data-seed="{seed}"')
    return whole.replace("<!-- app -->", _read(f"{name}.html")).encode(), "text/html; charset=utf-8"


def _read(name: str) -> str:
    return files(__package__).joinpath(name).read_text(encoding="utf-8")


__all__ = ["FAKE_APPS", "PAGE_APPS", "fake_app", "page"]
