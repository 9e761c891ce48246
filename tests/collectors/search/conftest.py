"""A server on loopback, and an index cache of the tests' own."""

from __future__ import annotations

import importlib.util
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests._components import require
from tests.collectors.search._site import Site


@pytest.fixture(scope="session")
def index_cache(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """One cache for all tests: an index is made once."""
    return tmp_path_factory.mktemp("cache")


@pytest.fixture(autouse=True)
def _cached(index_cache: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    found = importlib.util.find_spec("trafilatura") is not None
    require("trafilatura", found, "pip install 'worldtape[search]'")
    monkeypatch.setenv("XDG_CACHE_HOME", str(index_cache))
    for name in ("http_proxy", "https_proxy", "all_proxy", "HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY"):
        monkeypatch.delenv(name, raising=False)


@pytest.fixture
def site() -> Iterator[Site]:
    """A server that answers what it is told to."""
    with Site() as site:
        yield site
