"""A recording proxy between somebody's MCP client and server."""

from worldtape.collectors.mcp.proxy._keeper import MOST_BYTES, PATIENCE_S, Keeper
from worldtape.collectors.mcp.proxy.http import HttpProxy
from worldtape.collectors.mcp.proxy.pairs import Pairs
from worldtape.collectors.mcp.proxy.stdio import StdioProxy, end_like

__all__ = ["MOST_BYTES", "PATIENCE_S", "HttpProxy", "Keeper", "Pairs", "StdioProxy", "end_like"]
