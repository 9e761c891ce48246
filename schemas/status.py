"""How an action ended."""

from enum import StrEnum


class Status(StrEnum):
    """The outcome of one action. `docs/format.md` maps every kind of environment onto it."""

    OK = "ok"
    """The environment did what was asked."""
    TOOL_ERROR = "tool_error"
    """The environment answered with an error of its own: exit code ≠ 0, MCP `isError`, a page with HTTP ≥ 400."""
    ENV_ERROR = "env_error"
    """The environment's machinery answered that it could not do it (a page crashed, a device went offline)."""
    TIMEOUT_STILL_RUNNING = "timeout_still_running"
    """The observation was taken while the action still ran."""
    TIMEOUT_KILLED = "timeout_killed"
    """The action was ended by its time limit."""
    INTERRUPTED = "interrupted"
    """Somebody stopped the action."""
    REJECTED = "rejected"
    """The action was not valid and was not tried."""
    NOT_EXECUTED = "not_executed"
    """The action was valid and was not tried."""
    PROTOCOL_ERROR = "protocol_error"
    """The protocol answered, not the tool: a JSON-RPC error."""
    INFRA_ERROR = "infra_error"
    """Our side failed. No environment dynamics: it leaves every corpus."""
    UNKNOWN = "unknown"
    """Nobody knows: the recording ends before the result."""
