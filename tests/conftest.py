"""What several rooms' tests share."""

from __future__ import annotations

from pathlib import Path

import pytest

SHARED = Path(__file__).resolve().parents[2] / "shared" / "data"


@pytest.fixture
def shared_data() -> Path:
    """Return the folder of other people's recordings; skip where a public clone has none."""
    if not SHARED.is_dir():
        pytest.skip("no ../shared/data beside this clone")
    return SHARED
