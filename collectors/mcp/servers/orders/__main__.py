"""Start the business as a server over stdio."""

from __future__ import annotations

import argparse
import asyncio
from pathlib import Path

from worldtape.collectors.mcp.servers.orders.server import serve_stdio
from worldtape.collectors.mcp.servers.orders.shop import Shop


def main() -> None:
    """Read the options and serve."""
    parser = argparse.ArgumentParser(prog="orders", description="A small shop behind MCP, over stdio.")
    parser.add_argument("--seed", type=int, default=0, help="decides what a new database holds")
    parser.add_argument("--database", type=Path, help="an SQLite file, made where it is not there; none: in memory")
    parser.add_argument("--badge", default="B-101", help="who is at the till of a new database")
    options = parser.parse_args()
    asyncio.run(serve_stdio(Shop(options.database, seed=options.seed, badge=options.badge)))


if __name__ == "__main__":
    main()
