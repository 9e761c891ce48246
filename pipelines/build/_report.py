"""What a build did, with sums that add up."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from worldtape.pipelines.build._counts import Counts
from worldtape.pipelines.build._schema import Corpus
from worldtape.pipelines.build._shards import Shard


@dataclass(frozen=True, slots=True)
class BuildReport:
    """Rows out, and for every transition read one reason why it is trained on or not.

    `transitions_read == transitions_trained + sum(dropped.values())`, and the same for trajectories.
    """

    corpus: Corpus
    out: str
    lake_commit: str
    """The state of the two tables."""
    notes: str
    """SHA-256 over what curation said."""
    fingerprint: str
    """SHA-256 over the lake, its notes, the settings, the tokenizer and the code: the same one means the same bytes."""
    fresh: bool
    """False where the same corpus stood there already and nothing was done."""
    counts: dict[str, dict[str, int]]
    """Every group of counts, by name."""
    shards: tuple[Shard, ...] = field(default=())

    def group(self, name: str) -> dict[str, int]:
        """Return one group of counts, largest first: `rows`, `tokens`, `domain`, `status`, `class` and so on."""
        return Counts(self.counts).group(name)

    @property
    def rows(self) -> dict[str, int]:
        """Rows per split."""
        return self.group("rows")

    @property
    def transitions_read(self) -> int:
        """Transitions in the lake."""
        return self._one("read", "transitions")

    @property
    def transitions_trained(self) -> int:
        """Transitions whose observation is trained on."""
        return self._one("kept", "transitions")

    @property
    def dropped(self) -> dict[str, int]:
        """Reason to number of transitions that are not trained on."""
        return self.group("dropped")

    @property
    def trajectories_read(self) -> int:
        """Trajectories in the lake."""
        return self._one("read", "trajectories")

    @property
    def trajectories_used(self) -> int:
        """Trajectories that gave a row."""
        return self._one("kept", "trajectories")

    @property
    def trajectories_dropped(self) -> dict[str, int]:
        """Reason to number of trajectories that gave no row."""
        return self.group("trajectories_dropped")

    def funnel(self) -> list[tuple[str, int, int]]:
        """Return (what, trajectories, transitions): those read, those that left for each reason, and the rest."""
        whole, single = self.trajectories_dropped, self.dropped
        reasons = dict.fromkeys([*single, *whole])
        lines = [(reason, -whole.get(reason, 0), -single.get(reason, 0)) for reason in reasons]
        return [
            ("in the lake", self.trajectories_read, self.transitions_read),
            *lines,
            ("trained on", self.trajectories_used, self.transitions_trained),
        ]

    def to_dict(self) -> dict[str, Any]:
        """Return everything as plain JSON types."""
        return {
            "corpus": self.corpus,
            "out": self.out,
            "lake_commit": self.lake_commit,
            "notes": self.notes,
            "fingerprint": self.fingerprint,
            "fresh": self.fresh,
            "rows": self.rows,
            "trajectories": {
                "read": self.trajectories_read,
                "used": self.trajectories_used,
                "dropped": self.trajectories_dropped,
            },
            "transitions": {
                "read": self.transitions_read,
                "trained": self.transitions_trained,
                "dropped": self.dropped,
            },
            "counts": self.counts,
            "shards": [{"name": one.name, "rows": one.rows, "bytes": one.bytes} for one in self.shards],
        }

    def _one(self, group: str, name: str) -> int:
        return self.counts.get(group, {}).get(name, 0)
