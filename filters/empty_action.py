"""Turns in which nothing was done."""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar, Literal

from worldtape.filters._filter import Filter

if TYPE_CHECKING:
    import polars as pl

_TYPED = r'"keystrokes": ?"[^"]'


class EmptyAction(Filter):
    """Rejects a turn without an action."""

    reason: ClassVar[str] = "empty_action"

    waits: Literal["keep", "drop"] = "keep"
    """What becomes of an action that only waits (no keys, but a duration): in the recipe it is an action of its own."""

    def keep(self) -> pl.Expr:
        """Return whether anything was done."""
        import polars as pl

        text = pl.col("action_text")
        typed = (pl.col("action_kind") != "keystrokes") | text.str.contains(_TYPED)
        if self.waits == "keep":
            typed |= pl.col("wait_s").fill_null(0.0) > 0
        return (text.fill_null("").str.strip_chars() != "") & typed
