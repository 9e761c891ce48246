"""The seam between a recorder and whoever chooses the actions."""

from typing import Protocol

from worldtape.schemas.action import Action
from worldtape.schemas.history import History
from worldtape.schemas.policy_spec import PolicySpec


class Policy(Protocol):
    """Chooses actions; it knows nothing of sandboxes."""

    spec: PolicySpec

    async def next(self, history: History) -> Action | None:
        """Return the next action, or None when there is nothing more to do."""
        ...
