"""Chance that is the same on every machine."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from typing import TypeVar

Item = TypeVar("Item")


def draw(seed: int, *names: str) -> float:
    """Return a number in [0, 1) that depends on nothing but the seed and the names."""
    data = "\x1f".join((str(seed), *names)).encode("utf-8", "surrogatepass")
    return int.from_bytes(hashlib.blake2b(data, digest_size=8).digest()) / 2**64


def choose(items: Sequence[Item], seed: int, *names: str) -> Item:
    """Return one of `items`, evenly over names."""
    return items[int(draw(seed, *names) * len(items))]
