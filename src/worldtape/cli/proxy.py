"""`worldtape proxy`."""

from __future__ import annotations

from typing import Annotated

import typer


def proxy(
    server: Annotated[list[str] | None, typer.Argument(help="The server and its arguments, after `--`.")] = None,
    lake: Annotated[str, typer.Option("--lake", help="The lake, a local folder; made where there is none.")] = "lake",
    http: Annotated[str | None, typer.Option(help="The address of a server over streamable HTTP instead.")] = None,
    port: Annotated[int, typer.Option(help="Where clients reach us with `--http`; 0: any that is free.")] = 0,
    durability: Annotated[str, typer.Option(help="`none`, `action` or `event`: see docs/mcp.md.")] = "action",
) -> None:
    """Stand between an MCP client and its server, change nothing, and record every frame.

    Put it in front of the server's command in your client's settings. The exit code is the server's. With `--http URL`
    it listens on this machine instead, and says where; Ctrl-C ends it.

    Example: `worldtape proxy --lake lake -- npx -y @modelcontextprotocol/server-memory`
    """
    from worldtape.cli._console import complain, say
    from worldtape.collectors.mcp.proxy import end_like
    from worldtape.errors import InputError
    from worldtape.pipelines.proxy import http_proxy
    from worldtape.pipelines.proxy import proxy as run

    if http is not None:
        if server:
            raise InputError("a proxy has one server", fix="give either --http or a command")
        http_proxy(lake, http, port=port, durability=durability, say=say)
        return
    status = run(lake, server or (), durability=durability, complain=complain)
    raise typer.Exit(end_like(status))
