"""Seeded exploration of software repositories: read, search, break, test, repair."""

from worldtape.collectors.policies.explore_repo.config import ExploreRepoConfig
from worldtape.collectors.policies.explore_repo.explore_repo import ExploreRepo

__all__ = ["ExploreRepo", "ExploreRepoConfig"]
