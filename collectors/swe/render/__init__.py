"""Renderers of recordings of repositories: one per family of tools, over the same kept facts."""

from worldtape.collectors.swe.render.claude import ClaudeResult
from worldtape.collectors.swe.render.cli import CliResult

__all__ = ["ClaudeResult", "CliResult"]
