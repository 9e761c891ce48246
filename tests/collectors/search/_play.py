"""A session whose every observation is rendered again from its bytes."""

from __future__ import annotations

from collections import Counter
from types import TracebackType
from typing import Any, Self

import orjson

from worldtape.collectors.renderers import make_renderer
from worldtape.collectors.search import Search, SearchConfig
from worldtape.schemas import Action, Observation, Ready, StepResult


class Play:
    """Drives a `Search`, keeps its bytes, and checks what a projection would see."""

    def __init__(self, config: SearchConfig | None = None) -> None:
        self.search = Search(config)
        self.bytes: list[tuple[str, bytes]] = []
        self.ready: Ready

    async def __aenter__(self) -> Self:
        await self.search.__aenter__()
        try:
            self.ready = await self.search.reset(self._sink)
            self._rendered_again(self.ready.observation)
        except BaseException:
            await self.search.__aexit__(None, None, None)
            raise
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        await self.search.__aexit__(kind, error, trace)

    async def __call__(self, action: Action) -> StepResult:
        result = await self.search.step(action, self._sink)
        self._rendered_again(result.observation)
        return result

    async def text(self, action: Action) -> str:
        return (await self(action)).observation.text

    def channel(self, name: str) -> bytes:
        return b"".join(data for channel, data in self.bytes if channel == name)

    def lines(self, name: str) -> list[Any]:
        return [orjson.loads(line) for line in self.channel(name).splitlines()]

    def _sink(self, channel: str, data: bytes, mono_ns: int) -> None:
        assert mono_ns > 0
        self.bytes.append((channel, data))

    def _rendered_again(self, seen: Observation) -> None:
        sizes = Counter[str]()
        renderer = make_renderer(seen.renderer)
        for channel, data in self.bytes:
            sizes[channel] += len(data)
            for part in (data[: len(data) // 2], data[len(data) // 2 :]):
                renderer.feed(channel, part)
        assert seen.received == sizes
        assert renderer.render() == seen.text
