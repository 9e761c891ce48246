"""Exporters: one file and one small class for each foreign format."""

from worldtape.schemas import Registry

EXPORTERS = Registry(
    "export format",
    {
        "agentworldbench": "worldtape.pipelines.exporting.formats.agentworldbench:AgentWorldBench",
        "asciicast": "worldtape.pipelines.exporting.formats.asciicast:Asciicast",
        "atif": "worldtape.pipelines.exporting.formats.atif:Atif",
        "har": "worldtape.pipelines.exporting.formats.har:Har",
        "mcp-cassette": "worldtape.pipelines.exporting.formats.mcp_cassette:McpCassette",
        "messages": "worldtape.pipelines.exporting.formats.messages:Messages",
        "otlp": "worldtape.pipelines.exporting.formats.otlp:Otlp",
    },
    group="worldtape.exporters",
)
"""Format name to exporter class; other packages add theirs by entry points of the group `worldtape.exporters`."""

__all__ = ["EXPORTERS"]
