"""Settings of a recorded search engine."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any, Literal, Self

from pydantic import Field, field_validator, model_validator

from worldtape.collectors.mcp.config import McpConfig
from worldtape.errors import ConfigError
from worldtape.schemas import EnvironmentSpec
from worldtape.schemas.settings import Settings

MASK = "***"
"""Stands wherever a secret stood."""
ToolName = Literal["web_search", "web_extractor", "dict_memory"]
_TOOLS: tuple[ToolName, ...] = ("web_search", "web_extractor", "dict_memory")


class FolderConfig(Settings):
    """Documents on this machine, and the addresses they have for an agent."""

    path: Path
    """The folder, absolute or relative to where the job is started."""
    url: str = Field(pattern=r"^https?://")
    """What stands before a document's relative path: `https://docs.example/`. `https://` alone: the folders inside are
    hosts."""


class EmbeddedConfig(Settings):
    """The engine that Worldtape brings: BM25 over folders of HTML, Markdown and text."""

    folders: tuple[FolderConfig, ...] = ()
    """None: the small web of documents that Worldtape ships."""
    suffixes: tuple[str, ...] = (".html", ".htm", ".xhtml", ".md", ".markdown", ".rst", ".txt")
    """Endings of file names that are indexed, also with `.gz` after them."""
    file_mb: int = Field(default=8, ge=1, le=1024)
    """Larger files (MiB, unpacked) are left out."""
    snippet_words: int = Field(default=32, ge=4, le=64)
    """Length of a snippet."""
    cache: Path | None = None
    """Where indexes are kept, named after the digest of their documents; none: `worldtape/search` below
    `XDG_CACHE_HOME` or `~/.cache`."""


class Fields(Settings):
    """Where the parts of one result stand, as dotted paths: `url`, `document.link`, `extra.0`."""

    url: str = "url"
    """The address."""
    title: str = "title"
    """The title."""
    snippet: str = "snippet"
    """The text below the title."""
    date: str = "date"
    """The date, as the service words it."""


class HttpConfig(Settings):
    """A search service with a JSON API. `{query}` and `{count}` stand for what is asked, in address and body."""

    url: str = Field(pattern=r"^https?://")
    """The address; values are percent-encoded into it."""
    method: Literal["GET", "POST"] = "GET"
    """How it is asked."""
    body: Any = None
    """The JSON body of a POST; a text that is `{count}` alone becomes the number."""
    headers: dict[str, str] = Field(default_factory=dict)
    """Headers of every request; they stand in the header of the tape."""
    headers_from: dict[str, str] = Field(default_factory=dict)
    """Header to the name of a variable of the recorder's own environment that holds its value: keys of the service. The
    values stand nowhere on the tape."""
    params_from: dict[str, str] = Field(default_factory=dict)
    """The same for parameters of the address."""
    results: str = "results"
    """Where the list of results stands, as a dotted path; empty: the answer is the list."""
    fields: Fields = Fields()
    """Where the parts of one result stand."""
    error: str | None = None
    """Where the service tells what went wrong, as a dotted path."""

    def secrets(self) -> tuple[dict[str, str], dict[str, str]]:
        """Return the headers and parameters that are secret, with their values.

        Raises:
            ConfigError: a variable is not set here.
        """
        return _values(self.headers_from, "headers_from"), _values(self.params_from, "params_from")


class McpCall(Settings):
    """How a tool of an MCP server is called."""

    tool: str = Field(min_length=1)
    """Its name."""
    arguments: dict[str, Any]
    """Its arguments; texts may hold `{query}`, `{count}`, `{url}` and `{goal}`; a text that is `{count}` alone becomes
    the number."""


class McpSearchConfig(Settings):
    """A search server that speaks MCP."""

    server: McpConfig
    """Which one, and how it is reached."""
    search: McpCall
    """Its search."""
    extract: McpCall | None = None
    """Its page extractor; none: pages are fetched from the web."""
    results: str | None = None
    """Where the list of results stands in the structured content, or in the text where that is JSON; none: the text
    stands as it is."""
    fields: Fields = Fields()
    """Where the parts of one result stand."""


class WebConfig(Settings):
    """How pages are fetched from the web."""

    private: bool = False
    """Whether loopback and private addresses are fetched too; an agent could reach this machine's own services."""
    page_mb: int = Field(default=16, ge=1, le=1024)
    """A larger body (MiB) is cut there."""
    redirects: int = Field(default=5, ge=0, le=20)
    """How many are followed."""
    user_agent: str = "worldtape"
    """What we say we are."""


class SearchConfig(Settings):
    """Which engine, where pages come from, and what an agent finds."""

    provider: Literal["embedded", "http", "mcp"] = "embedded"
    """`embedded`: our own engine over folders; `http`: a service with a JSON API; `mcp`: an MCP server."""
    embedded: EmbeddedConfig = EmbeddedConfig()
    """Settings of `embedded`."""
    http: HttpConfig | None = None
    """Settings of `http`."""
    mcp: McpSearchConfig | None = None
    """Settings of `mcp`."""
    pages: Literal["provider", "web"] | None = None
    """Where pages come from: the engine itself (`embedded`, `mcp`), or the web; none: the engine where it has them."""
    web: WebConfig = WebConfig()
    """How pages are fetched from the web."""
    tools: tuple[ToolName, ...] = Field(default=_TOOLS, min_length=1)
    """What an agent may call."""
    memory: dict[str, str] = Field(default_factory=dict)
    """What stands in the memory before the first call."""
    results: int = Field(default=10, ge=1, le=100)
    """Results of one query."""
    page_chars: int = Field(default=40_000, ge=100)
    """So many characters of a page are shown; the tape has all of it."""
    timeout_s: float = Field(default=30.0, gt=0, le=86_400)
    """Seconds; a call that is not done by then is cancelled."""
    target_query: str | None = None
    """The question behind the trajectory, where it is not the task's instruction; it stands in the tape's header."""

    @field_validator("tools")
    @classmethod
    def _each_once(cls, tools: tuple[ToolName, ...]) -> tuple[ToolName, ...]:
        return tuple(name for name in _TOOLS if name in tools)

    @model_validator(mode="after")
    def _one_provider(self) -> Self:
        for name in ("http", "mcp"):
            if (getattr(self, name) is not None) != (self.provider == name):
                told = f"provider {name} needs the settings {name}" if self.provider == name else f"{name} does nothing"
                raise ValueError(f"{told} (provider is {self.provider})")
        if self.pages == "provider" and not self.own_pages:
            raise ValueError("this provider has no pages of its own: write pages: web")
        return self

    @property
    def own_pages(self) -> bool:
        """Whether pages come from the engine."""
        has = self.provider == "embedded" or (self.mcp is not None and self.mcp.extract is not None)
        return has and self.pages != "web"

    def spec(self) -> EnvironmentSpec:
        """Return what is asked for, as the header of a tape names it; secrets are masked."""
        parameters = self.model_dump(mode="json", exclude_none=True)
        parameters = {key: value for key, value in parameters.items() if key == self.provider or key not in _PROVIDERS}
        if self.http is not None:
            masked = {name: dict.fromkeys(getattr(self.http, name), MASK) for name in ("headers_from", "params_from")}
            parameters["http"] |= masked
        if self.mcp is not None:
            parameters["mcp"]["server"] = self.mcp.server.spec().parameters
        alone = self.provider == "embedded" and self.own_pages
        return EnvironmentSpec(
            kind="search", backend=self.provider, network="none" if alone else "host", parameters=parameters
        )


_PROVIDERS = {"embedded", "http", "mcp"}


def _values(names: dict[str, str], where: str) -> dict[str, str]:
    for name in names.values():
        if not os.environ.get(name):
            raise ConfigError(f"the variable {name} is not set", where=f"http.{where}", fix=f"export {name}=…")
    return {key: os.environ[name] for key, name in names.items()}


__all__ = [
    "MASK",
    "EmbeddedConfig",
    "Fields",
    "FolderConfig",
    "HttpConfig",
    "McpCall",
    "McpSearchConfig",
    "SearchConfig",
    "WebConfig",
]
