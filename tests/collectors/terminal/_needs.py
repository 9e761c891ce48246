"""Which sandboxes this machine has; a test that needs one says so here."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache

import pytest

from tests._components import require
from worldtape.collectors.terminal.sandbox.docker import connect
from worldtape.collectors.terminal.sandbox.local import namespaces
from worldtape.errors import ComponentError

IMAGE = "worldtape/debian:bookworm"
KINDS = [pytest.param("local", marks=pytest.mark.sandbox), pytest.param("docker", marks=pytest.mark.docker)]


@cache
def _docker() -> str | None:
    try:
        client = connect()
    except ComponentError as error:
        return str(error)
    try:
        return None if client.images(IMAGE) else f"python -m worldtape.collectors.terminal.image {IMAGE}"
    finally:
        client.close()


def needs(kind: str) -> None:
    """Skip, or fail in CI, where sandboxes of this kind cannot be had."""
    checks: dict[str, Callable[[], str | None]] = {"local": namespaces, "docker": _docker}
    missing = checks[kind]() if kind in checks else None
    require(f"the sandbox {kind!r}", missing is None, missing or "")
