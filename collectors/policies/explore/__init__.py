"""Seeded exploration: tables of actions, and the little that is needed to choose among them."""

from worldtape.collectors.policies.explore.explore import Explore, ExploreConfig

__all__ = ["Explore", "ExploreConfig"]
