"""`worldtape shell`."""

from __future__ import annotations

from typing import Annotated

import typer

from worldtape.cli._console import say


def shell(
    lake: Annotated[str, typer.Option("--lake", help="The lake, a local folder; made where there is none.")] = "lake",
    sandbox: Annotated[str, typer.Option(help="`local` (namespaces), `docker` or `unsafe-local`.")] = "local",
    image: Annotated[str | None, typer.Option(help="The container image (docker only).")] = None,
    network: Annotated[str, typer.Option(help="`none`, or `bridge` (docker only).")] = "none",
) -> None:
    """Work in a sandboxed shell of your own while it is recorded; `exit` or Ctrl-D ends it.

    Keys pass through your terminal as they are. Where standard input is no terminal, each line is one action.

    Example: `worldtape shell --lake lake --sandbox docker`
    """
    from worldtape.collectors.terminal import TerminalConfig
    from worldtape.pipelines.shell import shell as run
    from worldtape.schemas.settings import checked

    config = checked(TerminalConfig, {"sandbox": sandbox, "image": image, "network": network}, where="shell")
    report = run(lake, config, say=say)
    say(f"{report.steps} actions recorded ({report.status}): {report.path}")
