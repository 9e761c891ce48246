"""Seeded exploration of desktops: what shows decides what can be done, a seed decides what is."""

from worldtape.collectors.policies.explore_desktop.config import ExploreDesktopConfig
from worldtape.collectors.policies.explore_desktop.explore_desktop import ExploreDesktop

__all__ = ["ExploreDesktop", "ExploreDesktopConfig"]
