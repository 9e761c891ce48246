"""A recording proxy between somebody's MCP client and server."""

__all__: list[str] = []
