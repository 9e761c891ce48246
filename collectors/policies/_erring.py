"""When an explorer does something wrong on purpose."""

from __future__ import annotations

from random import Random


def errs(rng: Random, *, turns: int, failed: int, wished: float) -> bool:
    """Say whether it is time for a wrong action, so that about the wished share fails.

    Args:
        rng: drawn from, where there is a choice.
        turns: so far.
        failed: of these.
        wished: share of turns that are to fail, 0 to 1.
    """
    if not wished or turns < 2:  # noqa: PLR2004 - first things first
        return False
    return rng.random() < min(0.6, max(0.02, wished / 2 + 2 * (wished - failed / turns)))


__all__ = ["errs"]
