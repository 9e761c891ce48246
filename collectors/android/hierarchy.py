"""Dumps of a screen, read leniently: what UiAutomator, Appium and the fake driver answer when asked for the source."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

from worldtape.collectors.android._scan import Scan

FLAGS = {
    "bad_attribute": "an attribute without a value or without quotes, or something else between them",
    "bad_encoding": "bytes that are no UTF-8",
    "control_characters": "a character, or a reference to one, that XML does not allow",
    "cut_off": "the document ends before its root does, or in the middle of a tag",
    "duplicate_attribute": "one name twice in a tag: the first holds",
    "mismatched_tags": "an end tag that ends no open element, or not the innermost",
    "no_elements": "there is no element at all",
    "surrogates": "half of a pair of UTF-16; what has no other half became U+FFFD",
    "text_after_end": "something behind the root element; it is left out",
    "text_before_start": "something before the root element; it is left out",
    "unescaped_ampersand": "an ampersand that begins no reference",
    "unescaped_less_than": "a `<` that begins no tag",
    "unescaped_quote": "a quote inside of a value",
}
"""Flag to what was wrong with the document."""


@dataclass(frozen=True, slots=True)
class Node:
    """One element of a dump.

    Attributes:
        tag: `node` (UiAutomator), or the class (Appium, the fake driver).
        attributes: as they stand there.
        text: what stands between its tags, joined by spaces.
        parent: index of the node around it; None for the root.
        depth: how many nodes are around it.
        path: an XPath that finds it again in the same document; "" where it lies deeper than any screen.
    """

    tag: str
    attributes: dict[str, str]
    text: str
    parent: int | None
    depth: int
    path: str

    def get(self, name: str) -> str:
        """Return an attribute; "" where it has none of that name."""
        return self.attributes.get(name, "")

    def holds(self, name: str) -> bool:
        """Say whether an attribute is `true`."""
        return self.attributes.get(name) == "true"


@dataclass(frozen=True)
class Hierarchy:
    """A whole dump.

    Attributes:
        nodes: each before those in it; empty where nothing could be read.
        flags: sorted names out of `FLAGS`; empty for a document without fault.
    """

    nodes: tuple[Node, ...]
    flags: tuple[str, ...] = ()

    @cached_property
    def children(self) -> tuple[tuple[int, ...], ...]:
        """The indices of the nodes right inside of each node."""
        below: list[list[int]] = [[] for _ in self.nodes]
        for at, node in enumerate(self.nodes):
            if node.parent is not None:
                below[node.parent].append(at)
        return tuple(tuple(one) for one in below)


def parse(source: str | bytes) -> Hierarchy:
    """Read a dump; it never raises, and says in `flags` what was wrong.

    What XML does not allow becomes U+FFFD; line breaks inside of a value that are not written as references become
    spaces, as XML has it.

    Args:
        source: the document; bytes are UTF-8.
    """
    text = source if isinstance(source, str) else source.decode("utf-8", "replace")
    scan = Scan(text)
    if isinstance(source, bytes) and "\ufffd" in text and "\ufffd".encode() not in source:
        scan.flags.add("bad_encoding")
    nodes = tuple(
        Node(raw.tag, raw.attributes, " ".join(raw.texts), raw.parent, raw.depth, raw.path) for raw in scan.found
    )
    return Hierarchy(nodes, tuple(sorted(scan.flags)))


__all__ = ["FLAGS", "Hierarchy", "Node", "parse"]
