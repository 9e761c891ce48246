"""Seeded exploration of tools by their JSON schemas."""

from worldtape.collectors.policies.explore_tools.policy import ExploreTools, ExploreToolsConfig

__all__ = ["ExploreTools", "ExploreToolsConfig"]
