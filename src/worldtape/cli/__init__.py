"""The command line: one module per command, each one library call."""

from worldtape.cli._app import app, main

__all__ = ["app", "main"]
