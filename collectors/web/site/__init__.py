"""The test sites that the project brings: a small shop and a small forum."""

from worldtape.collectors.web.site.site import SITES, Site, start_site

__all__ = ["SITES", "Site", "start_site"]
