"""Sessions whose records name their parent: which of them are the conversation, which are branches and side chains."""

from __future__ import annotations

from array import array
from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Any

from worldtape.collectors.importers._json import parse, values
from worldtape.errors import FormatError
from worldtape.schemas import Orphan, SourceFile


@dataclass(slots=True)
class Node:
    """What a tree must know of one record."""

    key: str | None
    parent: str | None
    offset: int
    size: int
    side: str | None = None
    """Its side chain, or an empty text where only its parents tell which; null: the main conversation."""
    turn: str | None = None
    """Records of one turn belong together wherever they stand."""
    calls: tuple[str | None, ...] = ()
    results: tuple[str | None, ...] = ()
    talk: bool = False
    """It is said by the model, the user or a tool: the last of these is the leaf."""
    prompt: bool = False
    """It is the user's own words: with no parent it starts anew."""
    digest: int = 0
    """Of its content: a record with the same key and content is a copy."""


@dataclass(slots=True)
class Thread:
    """Records that follow each other, as ordinals in the order of the file."""

    records: list[int]
    kind: str | None = None
    """`branch` or `subagent`; null: the conversation itself."""
    parent: int | None = None
    """Which of the threads given before it branches from."""
    step: int | None = None
    """The parent's call after which it branches."""


class Tree:
    """The records of one file by their parents: some 150 bytes for each."""

    def __init__(self) -> None:
        self.offsets = array("q")
        self.sizes = array("q")
        self.copies = 0
        """Records that repeat an earlier one; they are left out."""
        self.phantoms = 0
        """Records whose parent is not in the file; they follow the record before them."""
        self._parents = array("q")
        self._keys: dict[str, tuple[int, int]] = {}
        self._later: dict[int, str] = {}
        self._sides: list[str | None] = []
        self._turns: dict[int, str] = {}
        self._calls: dict[int, tuple[str | None, ...]] = {}
        self._results: dict[int, tuple[str | None, ...]] = {}
        self._talk = bytearray()
        self._prompt = bytearray()

    def add(self, node: Node) -> int | None:
        """Take a record; returns its ordinal, or null for a copy of an earlier one."""
        number = len(self.offsets)
        known = None if node.key is None else self._keys.get(node.key)
        if known is not None and known[1] == node.digest:
            self.copies += 1
            return None
        self.offsets.append(node.offset)
        self.sizes.append(node.size)
        self._talk.append(node.talk)
        self._prompt.append(node.prompt and not node.parent)
        self._sides.append(node.side)
        self._parents.append(-1)
        if node.parent is not None:
            found = self._keys.get(node.parent)
            if found is None:
                self._later[number] = node.parent
            else:
                self._parents[number] = found[0]
        if node.turn:
            self._turns[number] = node.turn
        if node.calls:
            self._calls[number] = node.calls
        if node.results:
            self._results[number] = node.results
        if node.key is not None:
            self._keys[node.key] = (number, node.digest)
        return number

    def threads(self) -> list[Thread]:
        """Return the conversation first, where there is one, then its branches, then each side chain with its own."""
        self._settle()
        groups: dict[str | None, list[int]] = {}
        for number, side in enumerate(self._sides):
            groups.setdefault(side, []).append(number)
        threads: list[Thread] = []
        for side in sorted(groups, key=lambda key: (key is not None, groups[key][0])):
            self._chain(groups[side])
            kind = None if side is None else "subagent"
            if side is None and not any(self._talk[number] for number in groups[side]):
                continue
            thread = Thread(groups[side], kind)
            if kind and threads and threads[0].kind is None:
                thread.parent, thread.step = 0, self._step_at(threads[0].records, groups[side][0])
            threads += self._split(thread, len(threads))
        return threads

    def locators(self, threads: list[Thread]) -> list[str]:
        """Return a name for each thread that does not change while the file grows: empty for the first."""
        return [self.locator(thread.records[0]) if number else "" for number, thread in enumerate(threads)]

    def locator(self, number: int) -> str:
        """Return where a record stands."""
        return f"bytes:{self.offsets[number]}-{self.offsets[number] + self.sizes[number]}"

    def _settle(self) -> None:
        """Find parents that came later, and the root of each record of a side chain."""
        for number, key in self._later.items():
            found = self._keys.get(key)
            if found is None or found[0] == number:
                self.phantoms += 1
            else:
                self._parents[number] = found[0]
        self._later.clear()
        self._keys.clear()
        for number, side in enumerate(self._sides):
            if side == "":
                self._sides[number] = self._root(number)

    def _root(self, number: int) -> str:
        seen = {number}
        while (up := self._parents[number]) >= 0 and up not in seen:
            if self._sides[up] is None:
                break
            if self._sides[up]:
                return str(self._sides[up])
            seen.add(up)
            number = up
        return f"#{number}"

    def _chain(self, group: list[int]) -> None:
        """Let roots follow the record before them; a prompt without a parent, where others have one, starts anew."""
        inside = set(group)
        chained = any(self._parents[number] in inside for number in group)
        before = -1
        for number in group:
            if self._parents[number] not in inside:
                anew = chained and self._prompt[number]
                self._parents[number] = -1 if anew else before
            if self._talk[number]:
                before = number

    def _split(self, thread: Thread, first: int) -> list[Thread]:
        """Return `thread` with only what leads to its leaf, followed by its branches."""
        done: list[Thread] = []
        todo = [thread]
        while todo:
            one = todo.pop(0)
            path, rest = self._follow(one.records)
            own = first + len(done)
            done.append(Thread(path, one.kind, one.parent, one.step))
            todo += [
                Thread(group, "branch", own, self._step_at(path, self._parents[group[0]]))
                for group in self._groups(rest)
                if any(number in self._calls for number in group)
            ]
        return done

    def _follow(self, group: list[int]) -> tuple[list[int], list[int]]:
        """Return (what leads to the last word, the rest)."""
        inside = set(group)
        leaf = next((number for number in reversed(group) if self._talk[number]), group[-1])
        path: set[int] = set()
        while leaf in inside and leaf not in path:
            path.add(leaf)
            leaf = self._parents[leaf]
        turns = {self._turns[number] for number in path if number in self._turns}
        path |= {number for number in group if self._turns.get(number) in turns and number in self._turns}
        open_ids = Counter(call for number in path for call in self._calls.get(number, ()))
        open_ids.subtract(Counter(result for number in path for result in self._results.get(number, ())))
        for number in group:
            results = self._results.get(number)
            beside = number not in path and self._parents[number] in path
            if results and beside and all(open_ids[result] > 0 for result in results):
                path.add(number)
                open_ids.subtract(results)
        return [number for number in group if number in path], [number for number in group if number not in path]

    def _groups(self, rest: list[int]) -> Iterable[list[int]]:
        """Return what is left of the path, by the record that leaves it."""
        left = set(rest)
        top: dict[int, int] = {}
        groups: dict[int, list[int]] = {}
        for number in rest:
            chain: list[int] = []
            at = number
            while at not in top and self._parents[at] in left and at not in chain[-1:] and len(chain) <= len(rest):
                chain.append(at)
                at = self._parents[at]
            root = top.get(at, at)
            top.update(dict.fromkeys([*chain, at], root))
            groups.setdefault(root, []).append(number)
        return groups.values()

    def _step_at(self, path: list[int], record: int) -> int | None:
        """Return the ordinal of the last call of `path` that does not stand after `record`."""
        calls = sum(len(self._calls.get(number, ())) for number in path if number <= record)
        return calls - 1 if calls else None

    def read(self, source: SourceFile, records: Iterable[int]) -> Iterator[tuple[str, Any]]:
        """Give (locator, value) of records by their ordinals, in one forward reading."""
        with source.open() as file:
            here = 0
            for number in records:
                offset, size = self.offsets[number], self.sizes[number]
                if offset != here:
                    _forward(file, offset, here)
                line = file.read(size)
                here = offset + size
                try:
                    yield f"bytes:{offset}-{offset + size}", parse(line)
                except FormatError as error:
                    raise FormatError(f"the file changed while it was read: {error.what}", where=source.name) from error


def _forward(file: Any, offset: int, here: int) -> None:
    if file.seekable():
        file.seek(offset)
        return
    while here < offset and (skipped := file.read(min(offset - here, 1 << 20))):
        here += len(skipped)


def indexed(source: SourceFile) -> Iterator[tuple[int, int, Any] | Orphan]:
    """Give (offset, size, value) of every line that holds an object; others are orphans."""
    for item in values(source):
        if isinstance(item, Orphan) or isinstance(item[2], dict):
            yield item
        else:
            yield Orphan("bad_line", {"offset": item[0], "reason": f"no object but {type(item[2]).__name__}"})
