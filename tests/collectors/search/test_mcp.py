"""Any search server that speaks MCP; a small one of ours plays it."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

import pytest

from tests.collectors.mcp._run import in_loop
from tests.collectors.mcp.conftest import EPILOGUE, PRELUDE
from tests.collectors.search._play import Play
from worldtape.collectors.mcp import McpConfig
from worldtape.collectors.search import Fields, McpCall, McpSearchConfig, SearchConfig, web_extractor, web_search
from worldtape.errors import ComponentError
from worldtape.schemas import Status

SERVER = """
TOOLS = [{"name": name, "inputSchema": {"type": "object"}} for name in ("find", "open")]

def answer(message):
    given = message["params"]["arguments"]
    query = given.get("q", "")
    if message["params"]["name"] == "open":
        text = "# Page of " + given["address"] if given["address"].startswith("https://a.") else ""
        say(result(message, text))
    elif "limit" in query:
        say(result(message, "Error: rate limit reached\\ntry later", isError=True))
    elif "protocol" in query:
        error = {"code": -32602, "message": "no such index"}
        say({"jsonrpc": "2.0", "id": message["id"], "error": error})
    elif "slow" in query:
        pass
    elif "die" in query:
        sys.exit(3)
    elif "prose" in query:
        say(result(message, "1. something\\n2. something else"))
    else:
        hits = [{"href": f"https://a.example/{n}", "head": query} for n in range(given["n"])]
        found = {"hits": hits}
        more = {} if "plain" in query else {"structuredContent": found}
        say(result(message, json.dumps(found), **more))
"""


def settings(folder: Path, *, results: str | None = "hits", tool: str = "find", **more: Any) -> SearchConfig:
    path = folder / "server.py"
    path.write_text(PRELUDE + SERVER + EPILOGUE, encoding="utf-8")
    mcp = McpSearchConfig(
        server=McpConfig(command=sys.executable, args=("-u", str(path))),
        search=McpCall(tool=tool, arguments={"q": "{query}", "n": "{count}"}),
        extract=McpCall(tool="open", arguments={"address": "{url}", "why": "{goal}"}),
        results=results,
        fields=Fields(url="href", title="head"),
    )
    return SearchConfig(provider="mcp", mcp=mcp, results=2, **more)


@in_loop
async def test_results_and_pages_of_a_server(tmp_path: Path) -> None:
    async with Play(settings(tmp_path)) as play:
        assert str(play.ready.initial_state.text).startswith("Search engine: small\n")
        assert [tool.name for tool in play.ready.environment.tools] == ["web_search", "web_extractor", "dict_memory"]
        for query in ("tides", "plain tides"):
            assert await play.text(web_search(query)) == (
                f'Results for "{query}":\n\n[1] URL: https://a.example/0\nTitle: {query}\n\n'
                f"[2] URL: https://a.example/1\nTitle: {query}"
            )
        assert await play.text(web_extractor("https://a.example/0", "dates")) == "# Page of https://a.example/0"
        empty = await play(web_extractor("https://b.example/0"))
        assert empty.outcome.status is Status.TOOL_ERROR
    sent = play.channel("mcp.out").decode()
    assert '"why":"dates"' in sent.replace(" ", "")
    assert b'"href": ' in play.channel("mcp.in") or b'\\"href\\"' in play.channel("mcp.in")


@in_loop
async def test_a_text_stands_as_it_is(tmp_path: Path) -> None:
    async with Play(settings(tmp_path, results=None)) as play:
        text = await play.text(web_search("prose"))
    assert text == 'Results for "prose":\n\n1. something\n2. something else'


@in_loop
async def test_errors_in_the_words_of_the_server(tmp_path: Path) -> None:
    told = [
        ("limit", Status.TOOL_ERROR, "rate limit reached try later"),
        ("protocol", Status.PROTOCOL_ERROR, "no such index"),
        ("prose", Status.ENV_ERROR, "the search server sent no list of results"),
    ]
    async with Play(settings(tmp_path)) as play:
        for query, status, text in told:
            result = await play(web_search(query))
            assert result.observation.text == f'Search for "{query}" failed: {text}'
            assert result.outcome.status is status
            assert not result.done


@in_loop
async def test_a_server_that_is_slow_or_dies(tmp_path: Path) -> None:
    async with Play(settings(tmp_path, timeout_s=0.5)) as play:
        slow = await play(web_search("slow"))
        assert slow.outcome.status is Status.TIMEOUT_KILLED
        assert slow.observation.settled_by == "deadline"
        gone = await play(web_search("die").model_copy(update={"timeout_s": 20.0}))
        assert (gone.outcome.status, gone.done) == (Status.ENV_ERROR, True)
        after = await play(web_search("tides"))
        assert after.outcome.status is Status.NOT_EXECUTED


def test_a_server_without_the_tool(tmp_path: Path) -> None:
    @in_loop
    async def start() -> None:
        async with Play(settings(tmp_path, tool="search")):
            pass

    with pytest.raises(ComponentError, match="the server has no tool 'search'; it has: find, open"):
        start()
