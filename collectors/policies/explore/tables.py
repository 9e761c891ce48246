"""The tables, read once."""

from __future__ import annotations

from functools import lru_cache
from importlib.resources import files
from typing import Any

from worldtape.collectors.policies.explore.template import Family


@lru_cache
def read_yaml(name: str) -> Any:
    """Return the value of one of our YAML files; shared, so never to be changed."""
    import yaml

    return yaml.safe_load(files(__package__).joinpath(name).read_text(encoding="utf-8"))


@lru_cache
def families() -> dict[str, Family]:
    """Return every family by name, in the order of their files' names."""
    folder = files(__package__).joinpath("families")
    names = sorted(item.name for item in folder.iterdir() if item.name.endswith(".yaml"))
    found = [Family.model_validate(read_yaml(f"families/{name}")) for name in names]
    return {family.family: family for family in found}
