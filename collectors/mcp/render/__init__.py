"""Renderers of MCP recordings."""

from worldtape.collectors.mcp.render.result import McpResult, answer_text

__all__ = ["McpResult", "answer_text"]
