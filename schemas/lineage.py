"""How a trajectory descends from another."""

from worldtape.schemas._model import Model


class Lineage(Model):
    """Trajectories of one lineage never stand on both sides of a split."""

    parent: str | None = None
    """The trajectory it branches from."""
    step: int | None = None
    """The parent's step after which it branches."""
    kind: str | None = None
    """`fork`, `fault`, `replay`, `resumed`, `subagent`, `branch` or `retry`."""
