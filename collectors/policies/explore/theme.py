"""The words of one seeded project."""

from __future__ import annotations

from dataclasses import dataclass
from random import Random

from worldtape.collectors.policies.explore.tables import read_yaml


@dataclass(frozen=True, slots=True)
class Theme:
    """What names, files and sentences are made of."""

    name: str
    words: list[str]
    dirs: list[str]
    columns: list[str]
    events: list[str]
    stems: list[str]
    functions: list[str]
    variables: list[str]
    typos: list[str]
    git_typos: list[str]
    verbs: list[str]
    fillers: list[str]
    levels: list[str]


def pick_theme(rng: Random) -> Theme:
    """Return one of the themes, chosen by `rng`."""
    shared = dict(read_yaml("themes.yaml"))
    return Theme(**rng.choice(shared.pop("themes")), **shared)
