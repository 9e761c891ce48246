"""The business as an MCP server, on the protocol's own SDK."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from worldtape.collectors.mcp.servers.orders.catalog import Entry, catalog
from worldtape.collectors.mcp.servers.orders.documents import PROMPTS, RESOURCES, TEMPLATES, prompt, read
from worldtape.collectors.mcp.servers.orders.rules import RuleError
from worldtape.collectors.mcp.servers.orders.shop import Shop

if TYPE_CHECKING:
    import mcp_types as types
    from mcp.server.lowlevel import Server

VERSION = "1.0"
_TOLD = (
    "The till of a small shop. Amounts are in cents. What may be done depends on who is at the till: see whoami, "
    "list_staff and switch_user. The resource shop://policies holds the rules."
)
_PAGE = 20
"""Tools are listed in pages, as the protocol allows."""


class Handlers:
    """Answers for one business; each method is a handler of the SDK's."""

    def __init__(self, shop: Shop) -> None:
        self.shop = shop

    async def list_tools(self, _context: Any, params: Any) -> types.ListToolsResult:
        """Declare the tools, a page at a time."""
        from mcp_types import ListToolsResult

        cursor = "0" if params is None or params.cursor is None else str(params.cursor)
        if not cursor.isdigit():
            raise _refusal(f"Unknown cursor: {cursor}")
        first = int(cursor)
        entries = list(catalog().values())
        after = str(first + _PAGE) if first + _PAGE < len(entries) else None
        return ListToolsResult(tools=[_tool(entry) for entry in entries[first : first + _PAGE]], next_cursor=after)

    async def call_tool(self, _context: Any, params: types.CallToolRequestParams) -> types.CallToolResult:
        """Carry out a call; the business's refusals are results, an unknown tool is an error of the protocol."""
        from mcp_types import CallToolResult, TextContent

        entry = catalog().get(params.name)
        if entry is None:
            raise _refusal(f"Unknown tool: {params.name}")
        try:
            answer = entry.call(self.shop, params.arguments or {})
        except RuleError as error:
            told = {"error": {"code": error.code, "message": error.message} | error.details}
            words = TextContent(type="text", text=error.message)
            return CallToolResult(content=[words], structured_content=told, is_error=True)
        return CallToolResult(content=[TextContent(type="text", text=answer.shown)], structured_content=answer.data)

    async def list_resources(self, _context: Any, _params: Any) -> types.ListResourcesResult:
        """Name what can be read."""
        from mcp_types import ListResourcesResult, Resource

        rows = [(uri, *rest) for uri, rest in RESOURCES.items()]
        found = [Resource(uri=uri, name=name, mime_type=media, description=told) for uri, name, media, told in rows]
        return ListResourcesResult(resources=found)

    async def list_templates(self, _context: Any, _params: Any) -> types.ListResourceTemplatesResult:
        """Name what can be read by an id."""
        from mcp_types import ListResourceTemplatesResult, ResourceTemplate

        rows = [(uri, *rest) for uri, rest in TEMPLATES.items()]
        found = [
            ResourceTemplate(uri_template=uri, name=name, mime_type=media, description=told)
            for uri, name, media, told in rows
        ]
        return ListResourceTemplatesResult(resource_templates=found)

    async def read_resource(self, _context: Any, params: Any) -> types.ReadResourceResult:
        """Read one."""
        from mcp_types import ReadResourceResult, TextResourceContents

        try:
            media, text = read(self.shop, params.uri)
        except RuleError as error:
            raise _refusal(error.message) from error
        return ReadResourceResult(contents=[TextResourceContents(uri=params.uri, mime_type=media, text=text)])

    async def list_prompts(self, _context: Any, _params: Any) -> types.ListPromptsResult:
        """Name the prompts."""
        from mcp_types import ListPromptsResult

        return ListPromptsResult(prompts=[_prompt(name) for name in PROMPTS])

    async def get_prompt(self, _context: Any, params: Any) -> types.GetPromptResult:
        """Fill a prompt."""
        from mcp_types import GetPromptResult, PromptMessage, TextContent

        try:
            text = prompt(self.shop, params.name, params.arguments or {})
        except RuleError as error:
            raise _refusal(error.message) from error
        return GetPromptResult(messages=[PromptMessage(role="user", content=TextContent(type="text", text=text))])


def make_server(shop: Shop) -> Server[Any]:
    """Return the SDK's server that answers for `shop`."""
    from mcp.server.lowlevel import Server

    handlers = Handlers(shop)
    return Server(
        "worldtape-orders",
        version=VERSION,
        instructions=_TOLD,
        on_list_tools=handlers.list_tools,
        on_call_tool=handlers.call_tool,
        on_list_resources=handlers.list_resources,
        on_list_resource_templates=handlers.list_templates,
        on_read_resource=handlers.read_resource,
        on_list_prompts=handlers.list_prompts,
        on_get_prompt=handlers.get_prompt,
    )


async def serve_stdio(shop: Shop) -> None:
    """Answer on stdin and stdout until stdin ends."""
    from mcp.server.stdio import stdio_server

    server = make_server(shop)
    async with stdio_server() as (reading, writing):
        await server.run(reading, writing, server.create_initialization_options())


def _refusal(message: str) -> Exception:
    from mcp.shared.exceptions import MCPError
    from mcp_types import INVALID_PARAMS

    return MCPError(INVALID_PARAMS, message)


def _tool(entry: Entry) -> types.Tool:
    from mcp_types import Tool, ToolAnnotations

    hints = ToolAnnotations(read_only_hint=not entry.changes, destructive_hint=entry.destroys)
    return Tool(name=entry.name, description=entry.description, input_schema=entry.schema, annotations=hints)


def _prompt(name: str) -> types.Prompt:
    from mcp_types import Prompt, PromptArgument

    told, arguments = PROMPTS[name]
    given = [
        PromptArgument(name=key, required=required, description=what) for key, (required, what) in arguments.items()
    ]
    return Prompt(name=name, description=told, arguments=given)


__all__ = ["VERSION", "Handlers", "make_server", "serve_stdio"]
