"""Names of properties and tools as words, so that `orderId`, `order_ids` and an `id` below `orders` meet."""

from __future__ import annotations

import re

Words = tuple[str, ...]

_CAMEL = re.compile(r"(?<=[a-z0-9])(?=[A-Z])")
_BREAK = re.compile(r"[^A-Za-z0-9]+")
_IDENTITY = {
    *("branch", "code", "commit", "cursor", "file", "filename", "handle", "hash", "href", "id", "key", "link"),
    *("number", "path", "ref", "revision", "sku", "slug", "token", "uri", "url", "uuid"),
}
_CREATING = {"add", "create", "insert", "make", "new", "open", "place", "put", "register", "write"}
_ALIKE = (
    {"directory", "dir", "file", "filename", "folder", "path", "root"},
    {"address", "href", "link", "uri", "url"},
    {"branch", "commit", "hash", "ref", "revision", "sha", "target"},
    {"cursor", "token"},
)


def words(name: str) -> Words:
    """Return the words of a name, lower case and singular: `orderIds` gives `("order", "id")`."""
    return tuple(singular(part.lower()) for part in _BREAK.split(_CAMEL.sub("_", name)) if part)


def singular(word: str) -> str:
    """Return an English noun in the singular, well enough to compare names."""
    if word.endswith("ies") and len(word) > 4:  # noqa: PLR2004
        return word[:-3] + "y"
    if word.endswith(("sses", "xes", "ches", "shes")):
        return word[:-2]
    return word if word.endswith(("ss", "us", "is")) or not word.endswith("s") else word[:-1]


def noun(tool: str) -> str:
    """Return what a tool is about: `get_order` and `list_orders` give `order`."""
    found = words(tool)
    return found[-1] if found else ""


def creates(tool: str) -> bool:
    """Return whether a tool makes something new, by its name."""
    return any(word in _CREATING for word in words(tool)[:2])


def identifies(name: Words) -> bool:
    """Return whether a property names something that has to be there: an id, a path, an address."""
    return bool(name) and name[-1] in _IDENTITY


def likeness(wanted: Words, found: Words) -> int:
    """Return how well a value that was called `found` serves a property called `wanted`: 0 (not) to 4 (the same)."""
    if not wanted or not found:
        return 0
    if wanted == found:
        return 4
    short, long = sorted((wanted, found), key=len)
    if long[-len(short) :] == short:
        return 3 if len(short) > 1 or short[0] not in ("id", "name", "key", "code", "number") else 1
    if wanted == found[:-1] and identifies(found[-1:]):
        return 3
    return 2 if any(wanted[-1] in group and found[-1] in group for group in _ALIKE) else 0


__all__ = ["Words", "creates", "identifies", "likeness", "noun", "singular", "words"]
