"""Components of the repository tests: the image, a container for each module, three packages."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from tests._components import require
from tests._sandboxes import need_docker
from tests.collectors.swe._box import Held, held_box
from worldtape.collectors.swe.image import IMAGE
from worldtape.collectors.swe.packages import KNOWN, folder
from worldtape.collectors.terminal.sandbox.docker import connect


@pytest.fixture(scope="session")
def swe_image() -> str:
    """Return the name of the image that repositories live in."""
    need_docker()
    client = connect()
    try:
        found = bool(client.images(IMAGE.name))
    finally:
        client.close()
    require("the image of repositories", found, "python -m worldtape.collectors.swe.image")
    return IMAGE.name


@pytest.fixture(scope="session")
def swe_packages(swe_image: str) -> tuple[str, ...]:
    """Return the names of the packages whose sources are there."""
    for package in KNOWN.values():
        path = folder() / f"{package.name}-{package.version}.tar.gz"
        require(f"the sources of {package.name}", path.is_file(), "python -m worldtape.collectors.swe.packages")
    return tuple(KNOWN)


@pytest.fixture(scope="module")
def held(swe_image: str) -> Iterator[Held]:
    """Return a started box for a module."""
    with held_box() as found:
        yield found
