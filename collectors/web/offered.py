"""The actions of a browser as tools with schemas, for headers and prompts."""

from __future__ import annotations

from functools import cache

from worldtape.collectors.web.calls import signature
from worldtape.collectors.web.dialects import BrowserGym, PlaywrightMcp
from worldtape.schemas import Tool, canonical_json


@cache
def _tools(dialect: type) -> tuple[Tool, ...]:
    found = []
    for name in vars(dialect):
        model = None if name.startswith("_") else signature(name)
        if model is not None:
            schema = model.model_json_schema()
            schema.pop("description", None)
            schema.pop("title", None)
            found.append(Tool(name=name, description=model.__doc__, input_schema=canonical_json(schema)))
    return tuple(found)


def tools_of(renderer: str) -> tuple[Tool, ...]:
    """Return the actions that go with a renderer: those whose ids it shows."""
    return _tools(PlaywrightMcp if renderer == "web.snapshot" else BrowserGym)


__all__ = ["tools_of"]
