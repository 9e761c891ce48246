"""Start the server that misbehaves."""

from __future__ import annotations

import argparse
import os
import sys

from worldtape.collectors.mcp.servers.rogue.server import Rogue


def main() -> None:
    """Read the options and serve."""
    parser = argparse.ArgumentParser(prog="rogue", description="An MCP server that misbehaves on demand, over stdio.")
    parser.add_argument("--banner", default="", help="written to stdout before anything else")
    parser.add_argument("--protocol", help="the version that is claimed, whatever the client speaks")
    parser.add_argument("--mute", action="append", default=[], help="a method that is never answered: initialize")
    parser.add_argument("--die", type=int, help="exit with this status at once")
    options = parser.parse_args()
    if options.die is not None:
        sys.stderr.write("fatal: no configuration\n")
        sys.exit(options.die)
    Rogue(protocol=options.protocol, banner=options.banner, mute=frozenset(options.mute)).run()
    sys.stderr.flush()
    os._exit(0)


if __name__ == "__main__":
    main()
