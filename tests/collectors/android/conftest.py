"""One Appium server per driver for all tests of this folder."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from tests.collectors.android._needs import needs_appium, needs_phone_page
from worldtape.collectors.android import close_servers


@pytest.fixture(scope="session")
def servers() -> Iterator[None]:
    """End the servers when all tests are done."""
    yield
    close_servers()


@pytest.fixture(scope="session")
def appium(servers: None) -> None:
    """Need an Appium with the fake driver."""
    needs_appium()


@pytest.fixture(scope="session")
def phone_page(servers: None) -> None:
    """Need an Appium with a Chromium."""
    needs_phone_page()
