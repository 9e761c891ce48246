"""What several rooms' tests share."""

from __future__ import annotations

import os
import signal
from collections.abc import Iterator
from pathlib import Path

import pytest

SHARED = Path(__file__).resolve().parents[2] / "shared" / "data"


@pytest.fixture
def shared_data() -> Path:
    """Return the folder of other people's recordings; skip where a public clone has none."""
    if not SHARED.is_dir():
        pytest.skip("no ../shared/data beside this clone")
    return SHARED


def pytest_configure() -> None:
    """Heed interrupts, which a shell makes its background jobs ignore: tests send them to programs that they start."""
    signal.signal(signal.SIGINT, signal.default_int_handler)


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Begin with the files that have slow tests, so that several test processes end at about the same time."""
    slow = {item.path for item in items if item.get_closest_marker("slow") is not None}
    items.sort(key=lambda item: item.path not in slow)


@pytest.hookimpl(wrapper=True)
def pytest_runtest_protocol(item: pytest.Item) -> Iterator[None]:
    """Leave processes that slow tests start without coverage, which doubles their time; the quick tests cover them."""
    if item.get_closest_marker("slow") is None:
        return (yield)
    kept = {name: os.environ.pop(name) for name in list(os.environ) if name.startswith("COVERAGE_")}
    try:
        return (yield)
    finally:
        os.environ |= kept
