"""What goes into a field: right or wrong for what it asks for."""

from __future__ import annotations

import re
from functools import lru_cache
from importlib.resources import files
from random import Random
from typing import Any

from worldtape.collectors.policies.explore_ui.memory import Memory


@lru_cache
def tables() -> dict[str, Any]:
    """Return the tables of `values.yaml`; shared, so never to be changed."""
    import yaml

    found: dict[str, Any] = yaml.safe_load(files(__package__).joinpath("values.yaml").read_text(encoding="utf-8"))
    return found


@lru_cache(maxsize=512)
def kind_of(caption: str) -> str:
    """Return what a field wants, by its caption; `text` where nothing fits."""
    return next((str(row["kind"]) for row in tables()["kinds"] if re.search(row["match"], caption.lower())), "text")


def value(caption: str, memory: Memory, rng: Random, *, wrong: bool) -> str:
    """Return a value for a field.

    Args:
        caption: what the field asks for.
        memory: words that screens have shown; a search is for one of them.
        rng: the policy's only source of chance.
        wrong: it should be one that the field does not take.
    """
    kind = kind_of(caption)
    if kind == "search" and not wrong:
        return rng.choice(memory.words)[:5] if memory.words else "an"
    table = tables()["invalid" if wrong else "valid"]
    return str(rng.choice(table.get(kind) or table["text"]))
