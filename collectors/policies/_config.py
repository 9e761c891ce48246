"""What the settings of all policies share."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Self

from worldtape.schemas.settings import Settings, checked


class PolicyConfig(Settings):
    """Settings of one policy, as they stand in a job file; unknown keys are refused."""

    @classmethod
    def read(cls, settings: Mapping[str, Any]) -> Self:
        """Check `settings`.

        Raises:
            ConfigError: a key is unknown or a value cannot be used; only the first fault is named.
        """
        return checked(cls, dict(settings), where=f"policy {cls.__name__.removesuffix('Config').lower()}")
