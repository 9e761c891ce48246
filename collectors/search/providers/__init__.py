"""Search engines behind one interface."""

from worldtape.collectors.search.providers.provider import Pages, Provider, make_provider

__all__ = ["Pages", "Provider", "make_provider"]
