"""How the business says no."""

from __future__ import annotations

from typing import Any


class RuleError(Exception):
    """A call that the rules of the business refuse.

    Args:
        code: short and stable, for programs: `out_of_stock`.
        message: one or two sentences for people, with what to do.
        details: facts that belong to it.
    """

    def __init__(self, code: str, message: str, **details: Any) -> None:
        super().__init__(message)
        self.code = code
        self.message = message
        self.details = details


def missing(what: str, name: str, hint: str) -> RuleError:
    """Return the error for a record that is not there."""
    return RuleError("not_found", f"There is no {what} {name!r}. {hint}", id=name)


def money(cents: int) -> str:
    """Return an amount as people write it: `12.50 EUR`."""
    return f"{'-' if cents < 0 else ''}{abs(cents) // 100}.{abs(cents) % 100:02d} EUR"


__all__ = ["RuleError", "missing", "money"]
