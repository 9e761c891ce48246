"""Components of the desktop tests: the image."""

from __future__ import annotations

import pytest

from tests._components import require
from tests._sandboxes import need_docker
from worldtape.collectors.desktop.image import IMAGE
from worldtape.collectors.terminal.sandbox.docker import connect


@pytest.fixture(scope="session")
def desktop_image() -> str:
    """Return the name of the image that desktops are recorded in."""
    need_docker()
    client = connect()
    try:
        found = bool(client.images(IMAGE.name))
    finally:
        client.close()
    require("the image of desktops", found, "python -m worldtape.collectors.desktop.image")
    return IMAGE.name
