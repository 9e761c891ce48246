"""MCP servers, recorded as their client: every frame as it passed."""

from worldtape.collectors.mcp.actions import prompt_get, resource_read, tool_call
from worldtape.collectors.mcp.config import Elicitation, McpConfig, Sampling
from worldtape.collectors.mcp.environment import Mcp

__all__ = ["Elicitation", "Mcp", "McpConfig", "Sampling", "prompt_get", "resource_read", "tool_call"]
