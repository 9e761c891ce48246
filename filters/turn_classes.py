r"""Turn classes and their loss weights, after the Qwen-AgentWorld report (arXiv 2606.24597), CPT.

With `Wa`, `Wo` the lower-cased word sets of action and observation:

    overlap = |Wa ∩ Wo| / |Wa|     novelty = |Wo \ Wa| / |Wo|     jaccard = |Wa ∩ Wo| / |Wa ∪ Wo|
    ratio = characters of the observation / characters of the action (an empty action counts as one character)
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Literal

import orjson
from pydantic import Field, field_validator

from worldtape.schemas.settings import Settings

if TYPE_CHECKING:
    import polars as pl

TurnClass = Literal["echo", "boilerplate", "transform", "retrieval", "expansion", "action", "other"]

_SPACE = r"\x00-\x20\x7f\u{85}\u{a0}\u{2000}-\u{200a}\u{2028}\u{2029}\u{3000}"
_PUNCTUATION = r"!-/:-@\[-\^`{-~"
_WORD = {"word": f"[^{_SPACE}{_PUNCTUATION}]+", "space": f"[^{_SPACE}]+"}


_KEPT: dict[TurnClass, float] = {
    "retrieval": 1.0,
    "expansion": 1.0,
    "action": 1.0,
    "transform": 0.5,
    "boilerplate": 0.1,
    "echo": 0.05,
    "other": 1.0,
}


class TurnClasses(Settings):
    """What the report leaves open, each with our default."""

    precedence: tuple[TurnClass, ...] = ("echo", "boilerplate", "transform", "retrieval", "expansion", "action")
    """The first class whose rule holds is the turn's; the most specific first, since echo is a kind of boilerplate.
    A class that is left out is never given; `other` is what remains."""
    kept: dict[TurnClass, Annotated[float, Field(ge=0, le=1, allow_inf_nan=False)]] = Field(
        default=dict(_KEPT), validate_default=True
    )
    """The report's share of each class, written as the turn's weight. Whether it is the probability that a turn is
    trained on or a factor of its loss is a setting of the build. A class that is left out keeps its default."""
    short_chars: int = Field(200, ge=0)
    """An observation of at most this many characters is *short*."""
    words: Literal["word", "space"] = "word"
    """`word`: runs of anything but white space and ASCII punctuation (`_` belongs to words); `space`: runs of anything
    but white space."""
    action: Literal["typed", "shown"] = "typed"
    """`typed`: of an array of keystrokes, the keys themselves; `shown`: the action's text with its JSON syntax."""
    empty_action_overlap: float = Field(0.0, ge=0, le=1)
    """`overlap` where the action has no words."""
    empty_observation_novelty: float = Field(1.0, ge=0, le=1)
    """`novelty` where the observation has no words: that nothing was printed is news, so such a turn is kept whole."""

    @field_validator("kept")
    @classmethod
    def _whole(cls, kept: dict[TurnClass, float]) -> dict[TurnClass, float]:
        return _KEPT | kept


def classify(turns: pl.DataFrame, settings: TurnClasses) -> pl.DataFrame:
    """Return `class`, `weight`, `overlap`, `novelty`, `jaccard` and `ratio` of every row.

    Args:
        turns: with `action_kind`, `action_text` and `observation_text`; null texts count as empty.
        settings: the open choices.
    """
    import polars as pl

    texts = turns.select(action=_actions(turns, settings.action), observation=pl.col("observation_text").fill_null(""))
    word = _WORD[settings.words]
    sets = texts.select(
        a=pl.col("action").str.to_lowercase().str.extract_all(word).list.unique(),
        o=pl.col("observation").str.to_lowercase().str.extract_all(word).list.unique(),
        shown=pl.col("observation").str.len_chars(),
        typed=pl.col("action").str.len_chars(),
    )
    counts = sets.select(
        "shown",
        "typed",
        a=pl.col("a").list.len().cast(pl.Int64),
        o=pl.col("o").list.len().cast(pl.Int64),
        both=pl.col("a").list.set_intersection(pl.col("o")).list.len().cast(pl.Int64),
    )
    measured = counts.select("shown", *_measures(settings))
    return measured.with_columns(_class(settings)).select(
        "class",
        pl.col("class").replace_strict(dict(settings.kept), return_dtype=pl.Float64).alias("weight"),
        *("overlap", "novelty", "jaccard", "ratio"),
    )


def _actions(turns: pl.DataFrame, choice: str) -> pl.Series:
    import polars as pl

    text = turns["action_text"].fill_null("")
    if choice == "shown":
        return text
    pairs = zip(turns["action_kind"], text, strict=True)
    typed = [_keys(shown) if kind == "keystrokes" else shown for kind, shown in pairs]
    return pl.Series("action", typed, dtype=pl.String)


def _keys(shown: str) -> str:
    """Return what an array of keystrokes types; text that is no such array stays as it is."""
    try:
        return "".join(item["keystrokes"] for item in orjson.loads(shown))
    except (ValueError, TypeError, KeyError):
        return shown


def _measures(settings: TurnClasses) -> list[pl.Expr]:
    import polars as pl

    a, o, both = pl.col("a"), pl.col("o"), pl.col("both")
    union = a + o - both
    return [
        pl.when(a > 0).then(both / a).otherwise(settings.empty_action_overlap).alias("overlap"),
        pl.when(o > 0).then((o - both) / o).otherwise(settings.empty_observation_novelty).alias("novelty"),
        pl.when(union > 0).then(both / union).otherwise(0.0).alias("jaccard"),
        (pl.col("shown") / pl.max_horizontal(pl.col("typed"), 1)).alias("ratio"),
    ]


def _class(settings: TurnClasses) -> pl.Expr:
    import polars as pl

    overlap, novelty, ratio = pl.col("overlap"), pl.col("novelty"), pl.col("ratio")
    rules: dict[str, pl.Expr] = {
        "echo": (overlap >= 0.7) & (novelty < 0.3),  # noqa: PLR2004  the numbers of the report
        "boilerplate": (overlap >= 0.5) & (novelty < 0.5),  # noqa: PLR2004
        "transform": (novelty < 0.5) & (ratio < 1),  # noqa: PLR2004
        "retrieval": (novelty >= 0.6) & (ratio > 1),  # noqa: PLR2004
        "expansion": (overlap >= 0.5) & (novelty >= 0.5) & (ratio > 1.5),  # noqa: PLR2004
        "action": (novelty >= 0.5) & ((ratio <= 1) | (pl.col("shown") <= settings.short_chars)),  # noqa: PLR2004
        "other": pl.lit(value=True),
    }
    ordered = [pl.when(rules[name]).then(pl.lit(name)) for name in settings.precedence]
    return pl.coalesce(*ordered, pl.lit("other")).alias("class")
