"""`worldtape proxy`."""

from __future__ import annotations

from typing import Annotated

import typer


def proxy(
    server: Annotated[list[str], typer.Argument(help="The server and its arguments, after `--`.")],
    lake: Annotated[str, typer.Option("--lake", help="The lake, a local folder; made where there is none.")] = "lake",
    durability: Annotated[str, typer.Option(help="`none`, `action` or `event`: see docs/mcp.md.")] = "action",
) -> None:
    """Stand between an MCP client and its server, change nothing, and record every frame.

    Put it in front of the server's command in your client's settings. The exit code is the server's.

    Example: `worldtape proxy --lake lake -- npx -y @modelcontextprotocol/server-memory`
    """
    from worldtape.cli._console import complain
    from worldtape.collectors.mcp.proxy import end_like
    from worldtape.pipelines.proxy import proxy as run

    status = run(lake, server, durability=durability, complain=complain)
    raise typer.Exit(end_like(status))
