"""Two families of tools that work in a repository."""

from worldtape.collectors.swe.tools.tools import Family, Tools, declared, make_toolset

__all__ = ["Family", "Tools", "declared", "make_toolset"]
