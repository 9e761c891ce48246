"""What a browser asked for and was answered, as HAR 1.2."""

from __future__ import annotations

from bisect import bisect_right
from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, BinaryIO, ClassVar

from worldtape.errors import NotFoundError
from worldtape.pipelines.exporting import _har, _ours
from worldtape.pipelines.exporting._json import dump
from worldtape.pipelines.exporting._network import Exchange, Network, logged
from worldtape.schemas import Domain, Episode
from worldtape.schemas.columns import TRANSITIONS

_HELD = {"transition_id", "trajectory_id", "step", "domain"}
_START = -1
"""Stands for the start, before the first step."""


class Har:
    """The requests of a web trajectory; a page for the start, and for each transition that navigated."""

    name: ClassVar[str] = "har"
    title: ClassVar[str] = "HTTP archives"
    version: ClassVar[str] = "1.2"
    domains: ClassVar[tuple[Domain, ...]] = (Domain.WEB,)
    suffix: ClassVar[str] = ".har"
    lines: ClassVar[bool] = False
    loses: ClassVar[tuple[str, ...]] = tuple(each.name for each in TRANSITIONS if each.name not in _HELD)

    def unfit(self, episode: Episode) -> str | None:
        """Leave out what has no network log."""
        tape = episode.tape()
        if tape is None:
            return "no tape"
        return None if logged(tape) else "no request"

    def write(self, episode: Episode, out: BinaryIO) -> None:
        """Write the document entry by entry; bodies that are blobs are read one at a time."""
        tape = episode.tape()
        if tape is None:
            raise NotFoundError("its tape is gone", where=episode.trajectory["tape"])
        network = Network(tape)
        pages = list(_pages(episode, network.exchanges))
        head = _head(episode, tape.header) | {"pages": [page.document for page in pages]}
        out.write(b'{"log":' + dump(head).removesuffix(b"}") + b',"entries":[')
        for number, exchange in enumerate(network.exchanges):
            found = _har.entry(exchange, network.body(exchange)) | _place(episode, exchange.step)
            ahead = bisect_right(pages, _number(exchange.step), key=lambda page: page.step)
            if ahead:
                found = {"pageref": pages[ahead - 1].document["id"]} | found
            out.write(b"," * bool(number) + dump(found))
        out.write(b"]}}\n")


@dataclass(frozen=True, slots=True)
class _Page:
    step: int
    document: dict[str, Any]


def _head(episode: Episode, header: dict[str, Any]) -> dict[str, Any]:
    environment = _ours.column(episode.trajectory, "environment") or {}
    name, recorder = environment.get("backend") or "unknown", header.get("recorder") or {}
    version = (environment.get("versions") or {}).get(name) or "unknown"
    return {
        "version": "1.2",
        "creator": {"name": recorder.get("name", "worldtape"), "version": recorder.get("version", "unknown")},
        "browser": {"name": name, "version": version},
        "_worldtape": _ours.head(episode.trajectory),
    }


def _pages(episode: Episode, exchanges: list[Exchange]) -> Iterator[_Page]:
    """Yield a page wherever a document was asked for that is in front afterwards, or that changed what is."""
    documents: dict[int, set[str]] = defaultdict(set)
    for exchange in exchanges:
        if exchange.is_document:
            documents[_number(exchange.step)].add(_bare(exchange.line["url"]))
    before = ""
    for step, started_us, state in _looks(episode):
        url = _bare(state.get("url") or "")
        asked = documents[_number(step)]
        if url in asked or (asked and url != before):
            name = "start" if step is None else f"step_{step}"
            document = _har.page(name, state.get("title") or "", started_us)
            yield _Page(_number(step), document | _place(episode, step))
        before = url


def _looks(episode: Episode) -> Iterator[tuple[int | None, int, dict[str, Any]]]:
    """Yield step, time and what was seen then, from the start on."""
    head = episode.trajectory
    latest: int = head["started_at"] or 0
    state: dict[str, Any] = _ours.column(head, "initial_probes") or {}
    yield None, latest, state
    for row in episode.transitions:
        latest = row["started_at"] or latest
        state = _ours.column(row, "state_after") or state
        yield row["step"], latest, state


def _place(episode: Episode, step: int | None) -> dict[str, Any]:
    return {"_worldtape": {"trajectory": episode.trajectory["trajectory_id"], "step": step}}


def _number(step: int | None) -> int:
    return _START if step is None else step


def _bare(url: str) -> str:
    return url.partition("#")[0]
