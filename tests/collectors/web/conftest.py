"""One browser for all tests of this folder."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from tests.collectors.web._needs import needs_chromium
from tests.collectors.web._server import Pages, serve
from worldtape.collectors.web import close_browsers


@pytest.fixture(scope="session")
def browsers() -> Iterator[None]:
    """Close the browser when all tests are done."""
    yield
    close_browsers()


@pytest.fixture
def chromium(browsers: None) -> None:
    """Need a Chromium."""
    needs_chromium()


@pytest.fixture(scope="session")
def pages() -> Iterator[Pages]:
    """Pages on loopback."""
    with serve() as found:
        yield found
