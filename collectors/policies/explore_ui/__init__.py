"""Seeded exploration of Android apps: what is on the screen decides what can be done, a seed decides what is."""

from worldtape.collectors.policies.explore_ui.config import ExploreUiConfig
from worldtape.collectors.policies.explore_ui.explore_ui import ExploreUi

__all__ = ["ExploreUi", "ExploreUiConfig"]
