"""The dataset card: what `datasets` needs to load a corpus, and what a person needs to trust it."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from worldtape import __version__
from worldtape.pipelines.build._config import CptConfig, SftConfig
from worldtape.pipelines.build._report import BuildReport
from worldtape.pipelines.build._schema import COLUMNS, SPLITS, features
from worldtape.pipelines.build._text import CLOSE, OBSERVATION, OPEN

_TEMPLATE = Path(__file__).with_name("card.md.j2")
_SIZES = ((1_000, "n<1K"), (10_000, "1K<n<10K"), (100_000, "10K<n<100K"), (1_000_000, "100K<n<1M"))
_GROUPS = ("domain", "status", "class", "template", "policy_kind", "licence")


def card(report: BuildReport, config: CptConfig | SftConfig, curated: list[dict[str, Any]]) -> str:
    """Return README.md: the YAML header with files and features, then the facts and the funnel.

    Args:
        report: what was built.
        config: with which settings.
        curated: the lines of curation's own funnel, from recordings to what is kept for all corpora together.
    """
    from jinja2 import Environment, StrictUndefined

    rows = report.rows
    jinja = Environment(
        undefined=StrictUndefined,
        autoescape=False,  # noqa: S701  a card is Markdown: escaping would change what is read
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=True,
    )
    return jinja.from_string(_TEMPLATE.read_text(encoding="utf-8")).render(
        corpus=report.corpus,
        report=report,
        curated=curated,
        version=__version__,
        splits=[split for split in SPLITS if rows.get(split)],
        features=features(report.corpus),
        size=next((name for limit, name in _SIZES if sum(rows.values()) < limit), "n>1M"),
        licence=config.licence or _only(report.group("licence")),
        columns=COLUMNS[report.corpus],
        settings=_changed(config),
        unit=next(iter(report.group("token_counter")), "utf8_bytes"),
        groups={name: report.group(name) for name in _GROUPS},
        heading=OBSERVATION.strip(),
        tags=(OPEN.strip(), CLOSE.strip()),
    )


def _only(licences: dict[str, int]) -> str | None:
    """Return the licence that every row has, or null."""
    return next(iter(licences)) if len(licences) == 1 and "unknown" not in licences else None


def _changed(config: CptConfig | SftConfig) -> dict[str, Any]:
    """Return the settings that differ from the defaults; a tokenizer's path is its reader's own affair."""
    return config.model_dump(mode="json", exclude_defaults=True, exclude={"tokenizer"})
