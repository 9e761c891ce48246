"""Which trajectories belong together: those of one task, and those that branch from one another."""

from __future__ import annotations

import hashlib
from typing import TYPE_CHECKING

from worldtape.pipelines._stage import Pair
from worldtape.schemas import canonical_json
from worldtape.storage import Lake

if TYPE_CHECKING:
    import polars as pl


class Groups:
    """A union-find over task keys and trajectory ids; the name of a group is its smallest member, tasks first.

    Only what a branch connects is in here: any other trajectory's group is its task, or itself.
    """

    def __init__(self) -> None:
        self._up: dict[str, str] = {}

    def find(self, key: str) -> str:
        """Return the name of the group that `key` is in."""
        root = key
        while (up := self._up.get(root, root)) != root:
            root = up
        while (up := self._up.get(key, key)) != root:
            self._up[key] = root
            key = up
        return root

    def join(self, one: str, other: str) -> None:
        """Put the groups of two keys together."""
        first, second = sorted((self.find(one), self.find(other)))
        self._up.setdefault(first, first)
        self._up[second] = first

    def names(self) -> dict[str, str]:
        """Return every key that is in a group of several, with the group's name."""
        return {key: self.find(key) for key in sorted(self._up)}


def key_of(task: str = "task_id") -> pl.Expr:
    """Return the task's key (`task:…`), else the trajectory's own (`trajectory:…`)."""
    import polars as pl

    tasked = pl.concat_str(pl.lit("task:"), pl.col("benchmark").fill_null(""), pl.lit("/"), pl.col(task))
    return pl.coalesce(tasked, pl.concat_str(pl.lit("trajectory:"), pl.col("trajectory_id")))


def lineage(lake: Lake, pairs: list[Pair]) -> dict[str, str]:
    """Return what branches connect, as key to group; columns of ids are read, and no text."""
    import polars as pl

    columns = ("trajectory_id", "task_id", "benchmark", "parent")
    groups = Groups()
    parents: set[str] = set()
    for pair in pairs:
        rows = lake.read(pair.trajectories, columns).filter(pl.col("parent").is_not_null())
        for own, key, parent in rows.select("trajectory_id", key_of(), "parent").iter_rows():
            groups.join(f"trajectory:{own}", f"trajectory:{parent}")
            groups.join(f"trajectory:{own}", key)
            parents.add(parent)
    for pair in pairs if parents else ():
        rows = lake.read(pair.trajectories, columns).filter(pl.col("trajectory_id").is_in(list(parents)))
        for own, key in rows.select("trajectory_id", key_of()).iter_rows():
            groups.join(f"trajectory:{own}", key)
    return groups.names()


def digest_of(names: dict[str, str]) -> str:
    """Return the hash of what `lineage` found."""
    return hashlib.sha256(canonical_json(names).encode()).hexdigest()
