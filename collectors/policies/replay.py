"""The actions of an earlier trajectory."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any, Self

from worldtape.collectors.policies._config import PolicyConfig
from worldtape.schemas import Action, History, PolicySpec
from worldtape.schemas.settings import checked


class ReplayConfig(PolicyConfig):
    """The actions, as they stand on the tape."""

    actions: tuple[dict[str, Any], ...]
    """The payloads of a tape's `action` events, in order."""
    parent: str | None = None
    """The trajectory they come from."""


class Replay:
    """Does what was done before, verbatim; whatever the environment answers this time.

    Args:
        actions: actions, or the payloads of a tape's `action` events.
        parent: the trajectory they come from, for the record.
    """

    Config = ReplayConfig

    def __init__(self, actions: Iterable[Action | Mapping[str, Any]], *, parent: str | None = None) -> None:
        self._actions = [_read(action) for action in actions]
        parameters = {"actions": len(self._actions)} | ({"parent": parent} if parent else {})
        self.spec = PolicySpec(kind="replay", parameters=parameters)
        self._at = 0

    @classmethod
    def from_config(cls, settings: Mapping[str, Any] | ReplayConfig) -> Self:
        """Make one from the settings of a job file.

        Raises:
            ConfigError: the settings or an action cannot be used.
        """
        config = settings if isinstance(settings, ReplayConfig) else ReplayConfig.read(settings)
        return cls(config.actions, parent=config.parent)

    async def next(self, history: History) -> Action | None:  # noqa: ARG002
        """Return the next action, None at the end."""
        if self._at >= len(self._actions):
            return None
        self._at += 1
        return self._actions[self._at - 1]


def _read(action: Action | Mapping[str, Any]) -> Action:
    return action if isinstance(action, Action) else checked(Action, dict(action), where="policy replay")
