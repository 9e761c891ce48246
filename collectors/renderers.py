"""Every renderer by name, for projections."""

from worldtape.errors import VersionError
from worldtape.schemas import Registry, Renderer, Rendering

RENDERERS = Registry(
    "renderer",
    {
        "android.elements": "worldtape.collectors.android.render.elements:Elements",
        "android.phone": "worldtape.collectors.android.render.phone:Phone",
        "android.tree": "worldtape.collectors.android.render.tree:Tree",
        "desktop.table": "worldtape.collectors.desktop.render.table:Table",
        "desktop.tree": "worldtape.collectors.desktop.render.tree:Tree",
        "mcp.result": "worldtape.collectors.mcp.render.result:McpResult",
        "search.results": "worldtape.collectors.search.render.results:SearchResults",
        "swe.claude": "worldtape.collectors.swe.render.claude:ClaudeResult",
        "swe.cli": "worldtape.collectors.swe.render.cli:CliResult",
        "terminal.screen": "worldtape.collectors.terminal.render.screen:Screen",
        "text.newest": "worldtape.collectors.newest:Newest",
        "web.axtree": "worldtape.collectors.web.render.axtree:AxTree",
        "web.snapshot": "worldtape.collectors.web.render.snapshot:Snapshot",
    },
    group="worldtape.renderers",
)
"""Renderer name to class; other packages add theirs by entry points of the group `worldtape.renderers`."""


def make_renderer(rendering: Rendering) -> Renderer:
    """Return a fresh renderer that gives the same text for the same bytes.

    Raises:
        NotFoundError: no such renderer is installed.
        VersionError: the installed one is of another version.
    """
    renderer: Renderer = RENDERERS[rendering.name](**rendering.parameters)
    if renderer.rendering.version != rendering.version:
        raise VersionError(
            f"renderer {rendering.name} {rendering.version} was used, {renderer.rendering.version} is installed",
            fix="install the worldtape that recorded it",
        )
    return renderer


__all__ = ["RENDERERS", "make_renderer"]
