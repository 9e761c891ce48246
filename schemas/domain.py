"""The seven domains of the field."""

from enum import StrEnum


class Domain(StrEnum):
    """Where an environment lives; the names are those of AgentWorldBench."""

    ANDROID = "android"
    MCP = "mcp"
    OS = "os"
    SEARCH = "search"
    SWE = "swe"
    TERMINAL = "terminal"
    WEB = "web"
