"""Importers: one file and one small class for each foreign format."""

from worldtape.schemas import Registry

IMPORTERS = Registry(
    "format",
    {
        "agentworldbench": "worldtape.collectors.importers.agentworldbench:AgentWorldBench",
        "asciicast": "worldtape.collectors.importers.asciicast:Asciicast",
        "atif": "worldtape.collectors.importers.atif:Atif",
        "claude-code": "worldtape.collectors.importers.claude_code:ClaudeCode",
        "codex": "worldtape.collectors.importers.codex:Codex",
        "copilot": "worldtape.collectors.importers.copilot:Copilot",
        "droid": "worldtape.collectors.importers.droid:Droid",
        "gemini": "worldtape.collectors.importers.gemini:Gemini",
        "kimi": "worldtape.collectors.importers.kimi:Kimi",
        "mcp-log": "worldtape.collectors.importers.mcp_log:McpLog",
        "messages": "worldtape.collectors.importers.messages:Messages",
        "mini-swe-agent": "worldtape.collectors.importers.mini_swe_agent:MiniSweAgent",
        "openclaw": "worldtape.collectors.importers.openclaw:OpenClaw",
        "openhands": "worldtape.collectors.importers.openhands:OpenHands",
        "pi": "worldtape.collectors.importers.pi:Pi",
        "qwen-code": "worldtape.collectors.importers.qwen_code:QwenCode",
        "swe-agent": "worldtape.collectors.importers.swe_agent:SweAgent",
        "terminal-bench": "worldtape.collectors.importers.terminal_bench:TerminalBench",
    },
    group="worldtape.importers",
)
"""Format name to importer class; other packages add theirs by entry points of the group `worldtape.importers`."""

__all__ = ["IMPORTERS"]
