"""The words of the sites, read once a process."""

from __future__ import annotations

from functools import lru_cache
from pathlib import Path
from typing import Any


@lru_cache
def read_content(site: str, name: str) -> Any:
    """Return one of the YAML files of a site; shared, so never to be changed."""
    import yaml

    loader = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
    text = (Path(__file__).parent / site / "content" / f"{name}.yaml").read_text(encoding="utf-8")
    return yaml.load(text, Loader=loader)  # noqa: S506 — one of the safe loaders
