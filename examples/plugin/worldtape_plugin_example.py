"""A policy and a filter of another package."""

from __future__ import annotations

import random
from collections.abc import Mapping
from typing import Any, ClassVar

import polars as pl

from worldtape.collectors.terminal import keystrokes
from worldtape.filters import Filter
from worldtape.schemas import Action, History, PolicySpec
from worldtape.schemas.settings import Settings, checked


class KnockConfig(Settings):
    words: tuple[str, ...] = ("hello",)
    seed: int = 0  # a field of this name gets the item's own seed


class Knock:
    """Says its words in an order that the seed decides."""

    Config = KnockConfig

    def __init__(self, config: KnockConfig) -> None:
        self.spec = PolicySpec(kind="knock", seed=config.seed, parameters={"words": list(config.words)})
        self._words = random.Random(config.seed).sample(config.words, len(config.words))  # noqa: S311

    @classmethod
    def from_config(cls, settings: Mapping[str, Any]) -> Knock:
        return cls(checked(KnockConfig, dict(settings), where="policy knock"))

    async def next(self, history: History) -> Action | None:
        step = len(history.turns)
        return keystrokes([f"echo {self._words[step]}\n"]) if step < len(self._words) else None


class TooWide(Filter):
    """Rejects turns whose screen has a row of more than `most` characters; its fields are its settings."""

    reason: ClassVar[str] = "too_wide"

    most: int = 120

    def keep(self) -> pl.Expr:
        return self._widest() <= self.most

    def score(self) -> pl.Expr:
        return self._widest().cast(pl.Float64)

    def _widest(self) -> pl.Expr:
        rows = pl.col("observation_text").str.split("\n")
        return rows.list.eval(pl.element().str.len_chars()).list.max()
