"""Real servers for the MCP tests: npm's from a cache folder, Python's from this environment."""

from __future__ import annotations

import importlib.util
import os
import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from tests._components import require
from worldtape.collectors.mcp import McpConfig

NPM = Path(os.environ.get("XDG_CACHE_HOME", Path.home() / ".cache")) / "worldtape" / "npm"
SERVERS = ("server-everything", "server-filesystem", "server-memory")
HOW = f"npm install --prefix {NPM} " + " ".join(f"@modelcontextprotocol/{name}" for name in SERVERS)


def _program(name: str) -> Path:
    return NPM / "node_modules" / ".bin" / f"mcp-{name}"


@pytest.fixture(scope="session")
def npm_server() -> Callable[[str], str]:
    """Return the path of one of npm's servers by name; bring them where npm is there and they are not."""
    if shutil.which("npm") and not all(_program(name).exists() for name in SERVERS):
        NPM.mkdir(parents=True, exist_ok=True)
        subprocess.run(HOW.split(), capture_output=True, check=False, timeout=300)

    def find(name: str) -> str:
        require(f"MCP {name}", shutil.which("node") is not None and _program(name).exists(), HOW)
        return str(_program(name))

    return find


@pytest.fixture(scope="session")
def python_server() -> Callable[[str], tuple[str, ...]]:
    """Return the command of a Python server by the name of its package."""

    def find(name: str) -> tuple[str, ...]:
        module = name.replace("-", "_")
        require(name, importlib.util.find_spec(module) is not None, f"pip install {name}")
        return (sys.executable, "-m", module)

    return find


@pytest.fixture
def server(tmp_path: Path) -> Callable[..., McpConfig]:
    """Return the settings of a server written in a few lines: `answer(message)` handles what is no handshake."""

    def write(body: str, **more: object) -> McpConfig:
        path = tmp_path / "server.py"
        path.write_text(PRELUDE + body + EPILOGUE, encoding="utf-8")
        given = {"command": sys.executable, "args": ("-u", str(path)), "timeout_s": 20.0} | more
        return McpConfig(**given)

    return write


PRELUDE = """
import json, os, signal, subprocess, sys, time

out = sys.stdout.buffer

def raw(data):
    out.write(data)
    out.flush()

def say(message):
    raw(json.dumps(message).encode() + b"\\n")

def result(request, text, **more):
    content = [{"type": "text", "text": text}]
    return {"jsonrpc": "2.0", "id": request["id"], "result": {"content": content, **more}}

def start():
    pass

TOOLS = [{"name": "t", "inputSchema": {"type": "object"}}]
"""
EPILOGUE = """
start()
for line in sys.stdin:
    message = json.loads(line)
    method = message.get("method")
    if method == "initialize":
        offers = {"tools": {"listChanged": True}}
        info = {"name": "small", "version": "1"}
        version = message["params"]["protocolVersion"]
        found = {"protocolVersion": version, "capabilities": offers, "serverInfo": info}
        say({"jsonrpc": "2.0", "id": message["id"], "result": found})
    elif method == "tools/list":
        say({"jsonrpc": "2.0", "id": message["id"], "result": {"tools": TOOLS}})
    elif method != "notifications/initialized":
        answer(message)
"""
