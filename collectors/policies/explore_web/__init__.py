"""Seeded exploration of web sites: what is on the page decides what can be done, a seed decides what is."""

from worldtape.collectors.policies.explore_web.config import ExploreWebConfig
from worldtape.collectors.policies.explore_web.explore_web import ExploreWeb

__all__ = ["ExploreWeb", "ExploreWebConfig"]
