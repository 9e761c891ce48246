"""Terminal recordings of asciinema, versions 1 to 3."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, ClassVar

from worldtape.collectors.importers import _cast
from worldtape.collectors.importers._cast_ours import restored
from worldtape.collectors.importers._head import first_value
from worldtape.collectors.importers.terminal_bench import TerminalBench
from worldtape.errors import InputError
from worldtape.schemas import Domain, Imported, Lossiness, Rejected, SourceFile


class Asciicast:
    """Input bursts become actions, the screen before the next one becomes the observation."""

    name: ClassVar[str] = "asciicast"
    title: ClassVar[str] = "asciinema recordings"
    versions: ClassVar[str] = "1, 2, 3"
    domains: ClassVar[tuple[Domain, ...]] = (Domain.TERMINAL,)
    lossiness: ClassVar[tuple[Lossiness, ...]] = _cast.LOSSINESS

    def sniff(self, source: SourceFile) -> bool:
        """Look for the head: a version, and a size of the terminal."""
        value = first_value(source) if source.head.lstrip()[:1] == b"{" else None
        if not isinstance(value, dict) or not isinstance(value.get("version"), int):
            return False
        term = value.get("term")
        sized = "width" in value and "height" in value
        return sized if term is None else isinstance(term, dict) and "cols" in term and "rows" in term

    def read(self, source: SourceFile) -> Iterator[Imported | Rejected]:
        """Give the one trajectory of a recording that has input events."""
        cast = _cast.head(source)
        results = source.sibling("../results.json")
        if results is not None and TerminalBench().sniff(results):
            raise InputError("part of a Terminal-Bench run: its results.json brings it in", where=source.name)
        if cast.ours is None and not _cast.has_input(source, cast):
            fix = "record with `asciinema rec --stdin` (version 2) or `--capture-input` (version 3)"
            raise InputError("no input events: nobody acted that could be learned from", where=source.name, fix=fix)
        tail: dict[str, Any] = {}
        stream = _cast.bursts(_cast.events(source, cast), cast, tail)
        if cast.ours is not None:
            yield restored(cast, stream, tail)
            return
        made = _cast.imported(
            cast, stream, tail, lambda burst, renderer, until: _cast.step(burst, cast, renderer, until)
        )
        made.extra = cast.extra
        yield made
