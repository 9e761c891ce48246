"""Given actions, one after the other."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, Self

from worldtape.collectors.policies._config import PolicyConfig
from worldtape.collectors.policies._keys import Step, to_action
from worldtape.errors import ConfigError, boundary
from worldtape.schemas import Action, History, PolicySpec


class ScriptConfig(PolicyConfig):
    """The actions, or the file that holds them."""

    actions: tuple[str | list[Any] | dict[str, Any], ...] | None = None
    """A string is typed and followed by Enter; a list is a recipe array; a mapping is one element of it, or an
    action with its `kind`."""
    file: Path | None = None
    """YAML or JSON: a list of actions, or a mapping with the key `actions`; in a job file, relative to it."""


class Script:
    """Hands out its actions in order; an empty array ends it early.

    Args:
        actions: see `ScriptConfig.actions`; `Action` objects pass as they are.
    """

    Config = ScriptConfig

    def __init__(self, actions: Sequence[Step | Action]) -> None:
        self.spec = PolicySpec(kind="script", parameters={"actions": len(actions)})
        self._actions = [to_action(step) for step in actions]
        self.action_kinds = frozenset(action.kind for action in self._actions if action is not None)
        self._at = 0

    @classmethod
    def from_config(cls, settings: Mapping[str, Any] | ScriptConfig) -> Self:
        """Make one from the settings of a job file.

        Raises:
            ConfigError: neither or both of `actions` and `file` are given, or the file holds no list.
        """
        config = settings if isinstance(settings, ScriptConfig) else ScriptConfig.read(settings)
        if config.actions is not None and config.file is None:
            return cls(config.actions)
        if config.file is not None and config.actions is None:
            return cls(read_actions(config.file))
        raise ConfigError("give either actions or file", where="policy script")

    async def next(self, history: History) -> Action | None:  # noqa: ARG002
        """Return the next action, None at the end."""
        if self._at >= len(self._actions):
            return None
        self._at += 1
        return self._actions[self._at - 1]


def read_actions(path: Path) -> list[Any]:
    """Read a list of actions from YAML or JSON.

    Raises:
        ConfigError: the file holds something else.
        StorageError: it cannot be read.
    """
    import yaml

    with boundary(path):
        found = yaml.safe_load(path.read_text(encoding="utf-8"))
    if isinstance(found, dict):
        found = found.get("actions")
    if not isinstance(found, list):
        raise ConfigError("holds no list of actions", where=path, fix="write a list, or the key actions with a list")
    return found
