"""A small stateful business behind MCP: customers, stock, orders, refunds in SQLite.

Start it with `python -m worldtape.collectors.mcp.servers.orders [--seed N] [--database FILE] [--badge B-101]`.
"""
