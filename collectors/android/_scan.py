"""Markup to elements, whatever its faults."""

from __future__ import annotations

import re
from collections import Counter
from dataclasses import dataclass, field

_OPEN = re.compile(r"<([^\s<>/=!?\"'&][^\s<>/=\"']*)")
_CLOSE = re.compile(r"</\s*([^\s<>]*)\s*>?")
_END = re.compile(r"\s*(/?)>")
_NAMED = re.compile(r"\s*([^\s=<>/\"']+)\s*=\s*([\"'])")
_UNQUOTED = re.compile(r"\s*([^\s=<>/\"']+)(?:\s*=\s*([^\s<>\"']*))?")
_AFTER = re.compile(r"\s*/?>|\s*$|\s+[^\s=<>/\"']+\s*=\s*[\"']")
"""What stands behind a quote that ends a value."""
_REFERENCE = re.compile(r"&(?:#(\d{1,8})|#[xX]([0-9a-fA-F]{1,7})|(amp|lt|gt|quot|apos|nbsp));|&")
_ENTITIES = {"amp": "&", "lt": "<", "gt": ">", "quot": '"', "apos": "'", "nbsp": "\xa0"}
_CONTROL = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\ufffe\uffff]")
_SURROGATE = re.compile("[\ud800-\udfff]")
_SPACE = re.compile(r"[\t\r\n]")
_SKIPPED = (("<?", "?>"), ("<!--", "-->"), ("<!", ">"))
_BLANK = re.compile(r"\s*")
_QUOTES = 64
"""So many quotes inside of one value are looked past."""
_DEEP = 256
"""Elements deeper than that have no XPath."""
_LAST = 0x10FFFF


@dataclass(slots=True)
class Raw:
    """One element as it was read.

    Attributes:
        parent: index of the element around it; None for the root.
        path: its place as an XPath.
    """

    tag: str
    attributes: dict[str, str]
    parent: int | None
    depth: int
    path: str
    texts: list[str] = field(default_factory=list)


class Scan:
    """Reads one document from front to back; it never fails.

    Args:
        text: the markup; lone surrogates may stand in it.

    Attributes:
        found: its elements, each before those in it.
        flags: what was wrong; see `worldtape.collectors.android.hierarchy.FLAGS`.
    """

    def __init__(self, text: str) -> None:
        self.found: list[Raw] = []
        self.flags: set[str] = set()
        self._text = text.removeprefix("\ufeff")
        self._open: list[int] = []
        self._held: Counter[str] = Counter()
        self._counts: list[dict[str, int]] = []
        self._run()

    def _run(self) -> None:
        text, at = self._text, 0
        while True:
            next_ = text.find("<", at)
            self._say(text[at : next_ if next_ >= 0 else len(text)])
            if next_ < 0:
                break
            at = self._markup(next_)
            if self.found and not self._open:
                self._rest(at)
                break
        if self._open:
            self.flags.add("cut_off")
        if not self.found:
            self.flags.add("no_elements")

    def _markup(self, at: int) -> int:
        """Read what begins with the `<` at `at`; return where it ends."""
        text = self._text
        if text.startswith("<![CDATA[", at):
            end = text.find("]]>", at)
            self._say(text[at + 9 : end if end >= 0 else len(text)], literal=True)
            return end + 3 if end >= 0 else len(text)
        for begin, stop in _SKIPPED:
            if text.startswith(begin, at):
                end = text.find(stop, at + len(begin))
                return end + len(stop) if end >= 0 else len(text)
        if close := _CLOSE.match(text, at):
            self._end(close[1])
            return close.end()
        if opened := _OPEN.match(text, at):
            return self._start(opened[1], opened.end())
        self.flags.add("unescaped_less_than")
        self._say("<")
        return at + 1

    def _start(self, tag: str, at: int) -> int:
        attributes, at, empty = self._attributes(at)
        parent = self._open[-1] if self._open else None
        above = self.found[parent] if parent is not None else None
        counts = self._counts[parent] if parent is not None else {}
        counts[tag] = counts.get(tag, 0) + 1
        depth = above.depth + 1 if above else 0
        path = f"{above.path if above else ''}/{tag}[{counts[tag]}]" if depth < _DEEP else ""
        self.found.append(Raw(tag, attributes, parent, depth, path))
        self._counts.append({})
        if not empty:
            self._open.append(len(self.found) - 1)
            self._held[tag] += 1
        return at

    def _end(self, tag: str) -> None:
        if not self._open or self.found[self._open[-1]].tag != tag:
            self.flags.add("mismatched_tags")
        while self._held[tag]:
            ended = self.found[self._open.pop()].tag
            self._held[ended] -= 1
            if ended == tag:
                break

    def _attributes(self, at: int) -> tuple[dict[str, str], int, bool]:
        """Return the attributes that begin at `at`, where the tag ends, and whether it is an empty element."""
        text, found = self._text, dict[str, str]()
        while (at := _BLANK.match(text, at).end()) < len(text):  # type: ignore[union-attr]
            if end := _END.match(text, at):
                return found, end.end(), bool(end[1])
            if named := _NAMED.match(text, at):
                name = named[1]
                value, at = self._value(named[2], named.end())
            elif other := _UNQUOTED.match(text, at):
                self.flags.add("bad_attribute")
                name, value, at = other[1], other[2] or "", other.end()
            elif text[at] == "<":
                break
            else:
                self.flags.add("bad_attribute")
                at += 1
                continue
            if name in found:
                self.flags.add("duplicate_attribute")
            found.setdefault(name, self._clean(_SPACE.sub(" ", value)))
        self.flags.add("cut_off")
        return found, at, True

    def _value(self, quote: str, at: int) -> tuple[str, int]:
        """Return the value that begins at `at`, and where it ends; a quote inside of it ends nothing."""
        text = self._text
        first = end = text.find(quote, at)
        for _ in range(_QUOTES):
            if end < 0 or _AFTER.match(text, end + 1):
                break
            end = text.find(quote, end + 1)
        else:
            end = -1
        if end > first:
            self.flags.add("unescaped_quote")
        end = first if end < 0 else end
        if end < 0:
            self.flags.add("cut_off")
            end = len(text)
        value = text[at:end]
        if "<" in value:
            self.flags.add("unescaped_less_than")
        return value, end + 1

    def _say(self, text: str, *, literal: bool = False) -> None:
        if not text.strip():
            return
        if self._open:
            self.found[self._open[-1]].texts.append(self._clean(text, literal=literal).strip())
        else:
            self.flags.add("text_before_start")

    def _rest(self, at: int) -> None:
        text, at = self._text, _BLANK.match(self._text, at).end()  # type: ignore[union-attr]
        while text.startswith(("<!--", "<?"), at):
            stop = "-->" if text.startswith("<!--", at) else "?>"
            end = text.find(stop, at)
            at = _BLANK.match(text, end + len(stop)).end() if end >= 0 else len(text)  # type: ignore[union-attr]
        rest = text[at:].strip()
        if rest:
            self.flags.add("text_after_end" if rest.strip("\x00") else "control_characters")

    def _clean(self, text: str, *, literal: bool = False) -> str:
        """Return a text with its references resolved, and what no XML may hold replaced by U+FFFD."""
        if not literal and "&" in text:
            text = _REFERENCE.sub(self._resolve, text)
        if _SURROGATE.search(text):
            self.flags.add("surrogates")
            text = text.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace")
        if _CONTROL.search(text):
            self.flags.add("control_characters")
            text = _CONTROL.sub("\ufffd", text)
        return text

    def _resolve(self, found: re.Match[str]) -> str:
        decimal, hexadecimal, name = found.groups()
        if name:
            return _ENTITIES[name]
        if not decimal and not hexadecimal:
            self.flags.add("unescaped_ampersand")
            return "&"
        code = int(decimal) if decimal else int(hexadecimal, 16)
        if code > _LAST:
            self.flags.add("control_characters")
            return "\ufffd"
        return chr(code)


__all__ = ["Raw", "Scan"]
