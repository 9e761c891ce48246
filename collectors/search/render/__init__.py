"""Renderers of search recordings."""

from worldtape.collectors.search.render.results import ANSWER, SearchResults

__all__ = ["ANSWER", "SearchResults"]
