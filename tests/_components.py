"""One place that decides what happens where a real component is missing."""

from __future__ import annotations

import os

import pytest


def require(name: str, ok: bool, how: str) -> None:
    """Skip the test where `name` is missing, or fail it where everything is required (CI).

    Args:
        name: the component, as a person calls it.
        ok: whether it is there.
        how: the command that brings it.
    """
    if ok:
        return
    message = f"{name} is missing: {how}"
    if os.environ.get("WORLDTAPE_REQUIRE_ALL") == "1":
        pytest.fail(message)
    pytest.skip(message)
