"""Search engines and page extractors, recorded: what an agent asks, and what comes back."""

from worldtape.collectors.search.config import (
    EmbeddedConfig,
    Fields,
    FolderConfig,
    HttpConfig,
    McpCall,
    McpSearchConfig,
    SearchConfig,
    WebConfig,
)
from worldtape.collectors.search.environment import Search
from worldtape.collectors.search.tools import dict_memory, web_extractor, web_search

__all__ = [
    "EmbeddedConfig",
    "Fields",
    "FolderConfig",
    "HttpConfig",
    "McpCall",
    "McpSearchConfig",
    "Search",
    "SearchConfig",
    "WebConfig",
    "dict_memory",
    "web_extractor",
    "web_search",
]
