"""The two ways to say what to do in a browser."""

from worldtape.collectors.web.dialects.browsergym import BrowserGym
from worldtape.collectors.web.dialects.playwright_mcp import PlaywrightMcp, translate

__all__ = ["BrowserGym", "PlaywrightMcp", "translate"]
