"""Names of trajectories."""

import hashlib
import os
import threading
import time
from uuid import UUID

_lock = threading.Lock()
_last = 0


def new_id() -> str:
    """Return a UUIDv7 (RFC 9562): sorts by time, and within one process by order of creation."""
    global _last  # noqa: PLW0603
    with _lock:
        stamp = max(time.time_ns() // 1_000_000 << 12, _last + 1)
        _last = stamp
    random = int.from_bytes(os.urandom(8), "big") & ((1 << 62) - 1)
    value = (stamp >> 12) << 80 | 0x7 << 76 | (stamp & 0xFFF) << 64 | 0b10 << 62 | random
    return str(UUID(int=value))


def derived_id(*names: str) -> str:
    """Return a UUIDv8 made of SHA-256 over `names`: the same source always gets the same id."""
    digest = hashlib.sha256("\x1f".join(names).encode("utf-8", "surrogatepass")).digest()
    value = int.from_bytes(digest[:16], "big")
    value = value & ~(0xF << 76) | 0x8 << 76
    value = value & ~(0b11 << 62) | 0b10 << 62
    return str(UUID(int=value))


def transition_id(trajectory_id: str, step: int) -> str:
    """Return `<trajectory_id>:<step>`."""
    return f"{trajectory_id}:{step}"
