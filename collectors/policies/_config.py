"""What the settings of all policies share."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Self, TypeVar

from pydantic import BaseModel, ConfigDict, ValidationError

from worldtape.errors import ConfigError


class PolicyConfig(BaseModel):
    """Settings of one policy, as they stand in a job file; unknown keys are refused."""

    model_config = ConfigDict(frozen=True, extra="forbid", use_attribute_docstrings=True)

    @classmethod
    def read(cls, settings: Mapping[str, Any]) -> Self:
        """Check `settings`.

        Raises:
            ConfigError: a key is unknown or a value cannot be used; only the first fault is named.
        """
        return checked(cls, settings, where=f"policy {cls.__name__.removesuffix('Config').lower()}")


Checked = TypeVar("Checked", bound=BaseModel)


def checked(model: type[Checked], value: Any, *, where: str) -> Checked:
    """Return `value` as a `model`, or say in one line what is wrong with it.

    Raises:
        ConfigError: it does not fit.
    """
    try:
        return model.model_validate(value)
    except ValidationError as error:
        first = error.errors(include_url=False)[0]
        key = ".".join(map(str, first["loc"])) or "settings"
        known = ", ".join(sorted(model.model_fields))
        fix = f"known: {known}" if first["type"] == "extra_forbidden" else None
        raise ConfigError(f"{key}: {first['msg']}", where=where, fix=fix) from error
