"""Sessions whose records are a tree: the conversation, its branches and its side chains, each a trajectory."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Container, Iterator
from dataclasses import dataclass
from typing import Any, TypeVar

from worldtape.collectors.importers._pairs import Event
from worldtape.collectors.importers._sessions import SILENCE, Events, Facts, Session, parent_of, refuse_silence
from worldtape.collectors.importers._tree import Node, Thread, Tree, indexed
from worldtape.collectors.importers._values import as_str
from worldtape.schemas import Imported, Lineage, Orphan, Rejected, SourceFile

_F = TypeVar("_F", bound=Facts)


@dataclass(frozen=True, slots=True)
class Kinds:
    """Values of `type` that are known: by name, or by what they begin with."""

    names: frozenset[str | None]
    families: tuple[str, ...]

    def __contains__(self, kind: object) -> bool:
        """Tell whether a kind is known."""
        return kind in self.names or (isinstance(kind, str) and kind.startswith(self.families))


def planted(
    source: SourceFile, known: Container[str | None], node: Callable[[dict[str, Any], int, int], Node | None]
) -> tuple[Tree, list[Orphan]]:
    """Return the tree of a file's records, and what belongs to none.

    Args:
        source: JSON Lines.
        known: values of `type`; records of others are counted only.
        node: makes a node of (record, offset, size); null: the record is not part of the tree.
    """
    tree = Tree()
    notes: list[Orphan] = []
    unknown: Counter[str] = Counter()
    for item in indexed(source):
        if isinstance(item, Orphan):
            notes.append(item)
            continue
        offset, size, record = item
        kind = as_str(record.get("type"))
        if kind not in known:
            unknown[str(kind)[:80]] += 1
        elif (made := node(record, offset, size)) is not None:
            tree.add(made)
    notes += [Orphan("unknown_record", {"type": kind, "count": count}) for kind, count in unknown.items()]
    return tree, notes


def trajectories(
    name: str,
    source: SourceFile,
    tree: Tree,
    notes: list[Orphan],
    facts: Callable[[], _F],
    read: Callable[[dict[str, Any], str, _F], Iterator[Event]],
    resumed: str | None = None,
) -> Iterator[Imported | Rejected]:
    """Give the conversation, then its branches and side chains.

    Args:
        name: the importer's.
        source: the file that `tree` was made of.
        tree: its records.
        notes: what belongs to no transition; the first trajectory carries it.
        facts: makes them anew for each thread; `read` fills them in.
        read: gives the events of (record, locator, facts).
        resumed: the session that this one goes on with.

    Raises:
        InputError: nothing was done in any of them.
    """
    threads = tree.threads()
    notes = notes + ([Orphan("copied_context", {"count": tree.copies})] if tree.copies else [])
    notes += [Orphan("unknown_parent", {"count": tree.phantoms})] if tree.phantoms else []
    locators = tree.locators(threads)
    sessions = []
    for thread, locator in zip(threads, locators, strict=True):
        found = facts()
        sessions.append(Session(source, _events(source, tree, thread, found, read), found, locator))
    refuse_silence(sum(session.plan.calls for session in sessions), source)
    for thread, locator, session in zip(threads, locators, sessions, strict=True):
        if not session.plan.calls:
            yield Rejected(locator, SILENCE)
            continue
        made = session.imported(name, notes)
        notes = []
        if thread.kind or resumed:
            above = None if thread.parent is None else locators[thread.parent]
            parent = parent_of(name, source, above, session.facts.session if thread.kind else resumed)
            step = thread.step
            if thread.kind == "subagent" and thread.parent is not None:
                asked = sessions[thread.parent].plan.asked
                step = asked.get(session.facts.asked_by or session.facts.prompt or "", step)
            made.lineage = Lineage(parent=parent, step=step, kind=thread.kind or "resumed")
        yield made


def _events(
    source: SourceFile,
    tree: Tree,
    thread: Thread,
    facts: _F,
    read: Callable[[dict[str, Any], str, _F], Iterator[Event]],
) -> Events:
    def events() -> Iterator[Event]:
        for locator, record in tree.read(source, thread.records):
            yield from read(record, locator, facts)

    return events
