"""The application: which commands there are, and how errors leave it."""

from __future__ import annotations

import sys
from importlib import import_module
from keyword import iskeyword
from typing import Annotated

import typer

from worldtape import __version__
from worldtape.cli._console import complain
from worldtape.errors import WorldtapeError, boundary

COMMANDS: tuple[str, ...] = (
    "doctor",
    "demo",
    "schema",
    "record",
    "shell",
    "proxy",
    "import",
    "project",
    "recover",
    "compact",
    "merge",
    "forget",
    "show",
    "query",
    "curate",
    "build",
    "export",
)
"""Command names in the order of `--help`; each stands in a module of its own name, with a `_` behind a keyword."""

app = typer.Typer(
    name="worldtape",
    help="Record what real environments do, and curate the corpora that language world models are trained on.",
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
    rich_markup_mode="markdown",
)


def _version(wanted: bool) -> None:
    if wanted:
        sys.stdout.write(f"worldtape {__version__}\n")
        raise typer.Exit


@app.callback()
def _root(
    version: Annotated[
        bool, typer.Option("--version", callback=_version, is_eager=True, help="Print the version.")
    ] = False,
) -> None:
    """Hold the options that every command shares."""


for _name in COMMANDS:
    _function = f"{_name}_" if iskeyword(_name) else _name
    app.command(_name)(getattr(import_module(f"worldtape.cli.{_function}"), _function))


def main() -> None:
    """Run the command line; an error of ours is one line on stderr and exit code 1."""
    try:
        with boundary():
            app()
    except WorldtapeError as error:
        complain(str(error))
        sys.exit(1)
    except BrokenPipeError:
        sys.stderr.close()
        sys.exit(141)
    except KeyboardInterrupt:
        complain("stopped; what is recorded is kept")
        sys.exit(130)
