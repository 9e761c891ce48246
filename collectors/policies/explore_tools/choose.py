"""Which call comes next."""

from __future__ import annotations

import math
from collections import Counter
from dataclasses import dataclass
from random import Random
from typing import Any

from worldtape.collectors.policies.explore_tools.make import Maker
from worldtape.collectors.policies.explore_tools.names import Words, words
from worldtape.collectors.policies.explore_tools.seen import Seen
from worldtape.collectors.policies.explore_tools.shape import Shape
from worldtape.collectors.policies.explore_tools.spoil import spoiled
from worldtape.schemas import Status, StepResult, canonical_json

Call = tuple[str, dict[str, Any]]
_DRAWS = 8
_MOST_TIMES = 3
"""The same call is made no more often, and again only after the state has changed."""
_FAILED = {Status.TOOL_ERROR, Status.PROTOCOL_ERROR, Status.ENV_ERROR, Status.REJECTED, Status.TIMEOUT_KILLED}
_HARSH = {"delete", "remove", "drop", "clear", "reset", "cancel", "purge"}
_NEXT = (("next", "cursor"), ("next", "page", "token"), ("cursor",), ("next", "token"))


@dataclass(slots=True)
class _Made:
    call: Call
    weight: float


class Chooser:
    """Draws calls so that every tool has its turn, what was seen is followed up, and a share fails.

    Args:
        shapes: of the tools that may be called.
        rng: the policy's only source of chance.
        failing: the share of calls that should end in an error.

    Attributes:
        seen: what answers have shown.
    """

    def __init__(self, shapes: list[Shape], rng: Random, *, failing: float) -> None:
        self.shapes = shapes
        self.rng = rng
        self.failing = failing
        self.seen = Seen()
        self._names = [shape.tool.name for shape in shapes]
        self._made: dict[str, tuple[int, str]] = {}
        """A call to how often it was made, and the state it was made in."""
        self._uses: Counter[str] = Counter()
        self._losses: Counter[str] = Counter()
        """Tool to right calls in a row that failed."""
        self._turns = 0
        self._failed = 0
        self._state = ""
        self._right = True
        self._more: Call | None = None

    def learn(self, call: Call, result: StepResult, texts: list[str]) -> None:
        """Take the answer to the newest call."""
        worked = result.outcome.status not in _FAILED
        self._turns += 1
        self._failed += not worked
        if self._right:
            self._losses[call[0]] = 0 if worked else self._losses[call[0]] + 1
        if result.state_after is not None:
            self._state = canonical_json(result.state_after)
        self.seen.answer(call[0], call[1], texts, worked=worked)
        self._more = self._continued(call) if worked else None

    def choose(self) -> tuple[str, Call] | None:
        """Return why and the call; None where there is nothing new to call."""
        if not self.shapes:
            return None
        more, self._more = self._more, None
        if more is not None and self.rng.random() < 0.6 and self._take(more):  # noqa: PLR2004
            return "continued", more
        if self._due():
            found = self._wrong()
            if found is not None:
                return found
        return self._valid() or self._wrong()

    def _due(self) -> bool:
        share = (self._failed - 1) / max(1, self._turns)
        return self.rng.random() < min(0.8, max(0.03, self.failing + 5 * (self.failing - share)))

    def _valid(self) -> tuple[str, Call] | None:
        for _ in range(4):
            drawn = [made for made in (self._draw() for _ in range(_DRAWS)) if made is not None]
            while drawn:
                made = self.rng.choices(drawn, [each.weight for each in drawn])[0]
                if self._take(made.call):
                    return "valid", made.call
                drawn.remove(made)
        return None

    def _draw(self) -> _Made | None:
        shape = self.rng.choices(self.shapes, [self._weight(shape) for shape in self.shapes])[0]
        maker = Maker(shape, self.seen, self.rng)
        arguments = maker.arguments()
        if arguments is None:
            return None
        weight = (0.04 if maker.invented else 1.0) * (2.5 if maker.fresh else 1.0)
        return _Made((shape.tool.name, arguments), weight)

    def _weight(self, shape: Shape) -> float:
        name = shape.tool.name
        weight = math.pow(1 + self._uses[name], -0.8)
        if _HARSH & set(words(name)):
            weight *= 0.5
        return weight * (0.25 if self._losses[name] > 2 else 1.0)  # noqa: PLR2004

    def _wrong(self) -> tuple[str, Call] | None:
        for _ in range(_DRAWS):
            shape = self.rng.choices(self.shapes, [self._weight(shape) for shape in self.shapes])[0]
            found = spoiled(shape, Maker(shape, self.seen, self.rng).arguments() or {}, self.rng, self._names)
            if found is not None and self._take(found[1], right=False):
                return found
        return None

    def _take(self, call: Call, *, right: bool = True) -> bool:
        """Note that a call is made; false where it would only be repeated."""
        key = canonical_json(call)
        times, state = self._made.get(key, (0, ""))
        if times and (not right or times >= _MOST_TIMES or state == self._state):
            return False
        self._made[key] = (times + 1, self._state)
        self._uses[call[0]] += 1
        self._right = right
        return True

    def _continued(self, call: Call) -> Call | None:
        """Return the call for the next page, where the answer named one and the tool takes it."""
        shape = next((shape for shape in self.shapes if shape.tool.name == call[0]), None)
        takes = [name for name in (shape.properties if shape else ()) if words(name)[-1:] in (("cursor",), ("token",))]
        if not takes:
            return None
        for name in _NEXT:
            value = self._newest(name)
            if value is not None and value != call[1].get(takes[0]):
                return call[0], call[1] | {takes[0]: value}
        return None

    def _newest(self, name: Words) -> Any:
        found = self.seen.values(name, lambda value: isinstance(value, str), least=4)
        return next((value for value, turn in reversed(found) if turn == self.seen.turn), None)


__all__ = ["Call", "Chooser"]
