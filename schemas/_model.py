"""The base of every schema class."""

from typing import Any

from pydantic import BaseModel, ConfigDict


class Model(BaseModel):
    """Frozen; keeps unknown fields, so that what a newer minor version wrote survives a round trip."""

    model_config = ConfigDict(frozen=True, extra="allow", use_attribute_docstrings=True, ser_json_inf_nan="null")

    def to_dict(self) -> dict[str, Any]:
        """Return plain JSON types, nulls included."""
        return self.model_dump(mode="json")
