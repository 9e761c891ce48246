"""What may stand on a tape of headers and addresses: all else can be a secret."""

from __future__ import annotations

import re
from collections.abc import Mapping

MASK = "***"
"""Stands wherever a secret stood."""
_HARMLESS = frozenset(
    {
        "accept",
        "accept-encoding",
        "accept-language",
        "allow",
        "cache-control",
        "connection",
        "content-encoding",
        "content-language",
        "content-length",
        "content-type",
        "date",
        "host",
        "keep-alive",
        "last-event-id",
        "mcp-method",
        "mcp-name",
        "mcp-protocol-version",
        "origin",
        "retry-after",
        "server",
        "transfer-encoding",
        "user-agent",
        "vary",
    }
)
_VALUE = re.compile(r"=[^&#]+")


def shown(headers: Mapping[str, str]) -> dict[str, str]:
    """Return headers with every value masked that is not known to hold no secret; tokens have headers of any name."""
    return {name.lower(): value if name.lower() in _HARMLESS else MASK for name, value in headers.items()}


def address(url: str) -> str:
    """Return an address without the secrets that people put into its user part and its query."""
    scheme, sep, rest = url.partition("://")
    path, mark, query = rest.partition("?")
    authority, slash, path = path.partition("/")
    return f"{scheme}{sep}{authority.rpartition('@')[2]}{slash}{path}{mark}{_VALUE.sub('=' + MASK, query)}"


__all__ = ["MASK", "address", "shown"]
