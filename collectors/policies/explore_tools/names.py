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
_BARE = {"code", "id", "key", "name", "number"}
FREE = {"body", "comment", "content", "description", "message", "note", "query", "question", "reason", "text", "title"}
"""Properties whose text is anybody's choice."""
_CREATING = {"add", "create", "insert", "make", "new", "open", "place", "put", "register", "write"}
_PLACES = {"dir": "directory", "directory": "directory", "folder": "directory", "file": "file", "filename": "file"}
PATHS = {("directory", "path"), ("file", "path")}
"""Kinds of paths that are told apart."""
_ALIKE = (
    {"destination", "dir", "directory", "file", "filename", "folder", "path", "root", "source"},
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


def creating(tool: str) -> bool:
    """Return whether a tool makes something new, by its name."""
    return any(word in _CREATING for word in words(tool)[:2])


def makes(tool: str, name: Words, holder: Words) -> bool:
    """Return whether a tool makes what one of its properties names: `path` of `write_file`, `name` of `add_user`.

    Args:
        tool: its name.
        name: of the property.
        holder: what the object is called that the property belongs to.
    """
    about = words(tool)
    if not creating(tool):
        return name[-1:] == ("destination",)
    own = name[:-1] or holder[-1:]
    return own == about[-1:] or own == about[1:2] or likeness(name[-1:], about[-1:]) > 0


def identifies(name: Words) -> bool:
    """Return whether a property names something that has to be there: an id, a path, an address."""
    return bool(name) and name[-1] in _IDENTITY


def place(name: Words, tool: str) -> Words:
    """Return what kind of path a property wants: `path` of `read_file` is a `("file", "path")`; other names stay."""
    if not name or name[-1] not in _ALIKE[0]:
        return name
    kinds = [_PLACES[word] for word in (*name, *words(tool)) if word in _PLACES]
    if kinds:
        return kinds[0], "path"
    return name if len(name) > 1 else ("path",)


def likeness(wanted: Words, found: Words) -> int:
    """Return how well a value that was called `found` serves a property called `wanted`: 0 (not) to 4 (the same)."""
    if not wanted or not found:
        return 0
    if wanted == found:
        return 4
    short, long = sorted((wanted, found), key=len)
    if long[-len(short) :] == short:
        return 3 if len(short) > 1 or short[0] not in _BARE else 1
    if (wanted == found[:-1] and identifies(found[-1:])) or (wanted in PATHS and found == wanted[:-1]):
        return 3
    if any(wanted[-1] in group and found[-1] in group for group in _ALIKE):
        return 2
    return int(wanted[-1] == found[-1] and found[-1] not in _BARE)


__all__ = [
    "FREE",
    "PATHS",
    "Words",
    "creating",
    "identifies",
    "likeness",
    "makes",
    "noun",
    "place",
    "singular",
    "words",
]
