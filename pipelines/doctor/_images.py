"""What repositories and desktops live in: images that only we build, and sources of packages."""

from collections.abc import Iterator
from contextlib import suppress

from worldtape.errors import ComponentError
from worldtape.pipelines.doctor._component import Component, State


def images() -> Iterator[Component]:
    """Yield the image of repositories, the sources of the packages that are recorded, and the image of desktops."""
    from worldtape.collectors.desktop.image import IMAGE as DESKTOP
    from worldtape.collectors.swe.image import IMAGE as SWE

    there = _names()
    yield _row("image of repositories", SWE.name, there, "software repositories", "swe")
    yield _sources()
    yield _row("image of desktops", DESKTOP.name, there, "desktops", "desktop")


def _names() -> frozenset[str]:
    """Return the names of the images that the daemon holds; nothing where none answers."""
    from worldtape.collectors.terminal.sandbox.docker import connect

    with suppress(ComponentError):
        client = connect(timeout_s=20)
        try:
            return frozenset(tag for image in client.images() for tag in image.get("RepoTags") or [])
        finally:
            client.close()
    return frozenset()


def _row(name: str, image: str, there: frozenset[str], use: str, module: str) -> Component:
    if image in there:
        return Component(name, "ok", use, image)
    return Component(name, "missing", use, None, image, f"python -m worldtape.collectors.{module}.image")


def _sources() -> Component:
    from worldtape.collectors.swe.packages import KNOWN, folder

    names = [f"{one.name} {one.version}" for one in KNOWN.values()]
    there = [name for name in names if (folder() / f"{name.replace(' ', '-')}.tar.gz").is_file()]
    whole = len(there) == len(names)
    state: State = "ok" if whole else "limited" if there else "missing"
    detail = ", ".join(there) or "they are fetched when a job asks for them"
    fix = None if whole else "python -m worldtape.collectors.swe.packages"
    return Component("sources of packages", state, "software repositories", None, detail, fix)
