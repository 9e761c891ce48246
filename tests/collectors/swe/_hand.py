"""A family of tools at work in a held box, driven without a line of asyncio."""

from __future__ import annotations

import hashlib
from collections import Counter
from collections.abc import Mapping
from typing import Any
from weakref import WeakSet

from tests.collectors.swe._box import Held
from worldtape.collectors.renderers import make_renderer
from worldtape.collectors.swe.tools import Family, Tools, make_toolset
from worldtape.collectors.swe.toolset import Answer
from worldtape.schemas import Outcome

_UNTOUCHED: WeakSet[Held] = WeakSet()
_GIT = "git -c user.name=t -c user.email=t@t"


class Hand:
    """Calls tools, and proves of every answer that what was kept renders to the same text."""

    def __init__(self, held: Held, family: Family, *, timeout_s: float = 60) -> None:
        self.held = held
        self.tools: Tools = make_toolset(family, held.box, timeout_s=timeout_s)
        self.kept: list[tuple[str, bytes]] = []
        self.answer: Answer

    @property
    def outcome(self) -> Outcome:
        """How the newest call ended."""
        return self.answer.outcome

    @property
    def error(self) -> str | None:
        """The type of its error."""
        return None if self.outcome.error is None else self.outcome.error.type

    def __call__(self, tool: str, /, **arguments: Any) -> str:
        """Call a tool; return the text of its answer."""
        return self.given(tool, arguments)

    def given(self, tool: str, arguments: Mapping[str, Any], limit_s: float | None = None) -> str:
        """Do the same with arguments of any name."""
        self.answer = self.held.do(self.tools.call(tool, arguments, self._keep, limit_s))
        again = make_renderer(self.tools.renderer.rendering)
        for channel, data in self.kept:
            again.feed(channel, data)
        assert again.render() == self.tools.renderer.render()
        return again.render()

    def bytes_of(self, path: str) -> bytes:
        """Return what a file holds."""
        return self.held.do(self.held.box.read(path))

    def put(self, path: str, data: bytes) -> str:
        """Write a file behind the tools' back; return its path."""
        self.held.do(self.held.box.write(path, data))
        return f"{self.held.box.workdir}/{path}"

    def counts(self) -> Counter[str]:
        """Return how many bytes came on each channel."""
        found: Counter[str] = Counter()
        for channel, data in self.kept:
            found[channel] += len(data)
        return found

    def _keep(self, channel: str, data: bytes) -> None:
        self.kept.append((channel, data))
        self.tools.renderer.feed(channel, data)


def repository(held: Held, files: Mapping[str, str], *, kept: bool = False) -> None:
    """Lay files into an empty repository, and commit them.

    The first time makes a copy in the container that later times take.

    Args:
        held: where.
        files: path to text.
        kept: whether the test changes nothing; then what such a test was given before is left as it is.
    """
    if kept and held in _UNTOUCHED:
        return
    _UNTOUCHED.discard(held)
    name = f"/var/tmp/{hashlib.sha256(repr(sorted(files.items())).encode()).hexdigest()[:12]}"
    if not held.do(held.box.exists(f"{name}/.git")):
        for path, text in files.items():
            held.do(held.box.write(f"{name}/{path}", text.encode()))
        commit = f"git init -q . && git add -A && {_GIT} commit -q --allow-empty -m start"
        made = held.do(held.box.run(commit, cwd=name))
        assert made.code == 0, made
    laid = held.do(held.box.run(f"find . -mindepth 1 -delete && cp -a {name}/. ."))
    assert laid.code == 0, laid
    if kept:
        _UNTOUCHED.add(held)
