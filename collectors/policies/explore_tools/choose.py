"""Which call comes next."""

from __future__ import annotations

from dataclasses import dataclass
from random import Random
from typing import Any

from worldtape.collectors.policies.explore_tools.experience import Call, Experience
from worldtape.collectors.policies.explore_tools.make import Maker
from worldtape.collectors.policies.explore_tools.names import Words, words
from worldtape.collectors.policies.explore_tools.seen import Seen
from worldtape.collectors.policies.explore_tools.shape import Shape
from worldtape.collectors.policies.explore_tools.spoil import spoiled
from worldtape.schemas import Status, StepResult, canonical_json

_DRAWS = 10
_MOST_TIMES = 3
"""The same call is made no more often, and again only after the state has changed."""
_FAILED = {Status.TOOL_ERROR, Status.PROTOCOL_ERROR, Status.ENV_ERROR, Status.REJECTED, Status.TIMEOUT_KILLED}
_NEXT = (("next", "cursor"), ("next", "page", "token"), ("cursor",), ("next", "token"))
_PATIENCE = 4
"""After so many other calls, a call that failed is not tried again."""
Chosen = tuple[str, Call]


@dataclass(slots=True)
class _Drawn:
    call: Call
    weight: float


@dataclass(slots=True)
class _Undone:
    """A call that failed for want of something.

    Attributes:
        call: it.
        text: its error.
        turn: when it failed.
        tool: which the error named.
        mended: whether that tool has done its part.
        sought: whether a search was made for what the error speaks of.
    """

    call: Call
    text: str
    turn: int
    tool: str | None
    mended: bool = False
    sought: bool = False


class Chooser:
    """Draws calls so that every tool has its turn, what was seen and said is followed up, and a share fails.

    Args:
        shapes: of the tools that may be called.
        rng: the policy's only source of chance.
        failing: the share of calls that should end in an error.
        changing: the share of calls that should change the state.

    Attributes:
        seen: what answers have shown.
    """

    def __init__(self, shapes: list[Shape], rng: Random, *, failing: float, changing: float) -> None:
        self.shapes = {shape.tool.name: shape for shape in shapes}
        self.rng = rng
        self.failing = failing
        self.changing = changing
        self.seen = Seen()
        self.experience = Experience(list(self.shapes))
        self._made: dict[str, tuple[int, str]] = {}
        """A call to how often it was made, and the state it was made in."""
        self._turns = 0
        self._failed = 0
        self._moved = 0
        self._state = ""
        self._right = True
        self._next: Chosen | None = None
        """What the newest answer asks for: the next page, or the tool that an error names."""
        self._undone: _Undone | None = None

    def learn(self, call: Call, result: StepResult, texts: list[str]) -> None:
        """Take the answer to the newest call."""
        worked = result.outcome.status not in _FAILED
        state = self._state if result.state_after is None else canonical_json(result.state_after)
        moved = self._turns > 0 and state != self._state
        self._turns += 1
        self._failed += not worked
        self._moved += moved
        self._state = state
        self.seen.answer(call[0], call[1], texts, worked=worked, right=self._right)
        text = texts[-1] if texts else ""
        if self._right:
            self.experience.learn(call, self.seen, text, worked=worked, moved=moved)
        self._next = self._more(call) if worked else None
        if self._undone is not None and self._undone.tool == call[0]:
            self._undone.mended = worked and moved
        elif self._right and not worked:
            self._undone = _Undone(call, text, self._turns, self.experience.pointed_to(text, call))
        if self._undone is not None and self._turns - self._undone.turn > _PATIENCE:
            self._undone = None
        if self._undone is not None and self._next is None:
            self._next = self._remedy(self._undone)

    def choose(self) -> Chosen | None:
        """Return why and the call; None where there is nothing new to call."""
        if not self.shapes:
            return None
        following, self._next = self._next, None
        if following is not None and self.rng.random() < 0.75 and self._take(following[1]):  # noqa: PLR2004
            return following
        if self._due():
            found = self._wrong()
            if found is not None:
                return found
        return self._valid() or self._wrong()

    def _due(self) -> bool:
        return self.rng.random() < min(0.8, max(0.03, self.failing - 4 * self._excess))

    @property
    def _excess(self) -> float:
        """By how much the share of failures is above what is asked for."""
        return (self._failed + 5 * self.failing) / (self._turns + 5) - self.failing

    def _valid(self) -> Chosen | None:
        for _ in range(4):
            drawn = [made for made in (self._draw() for _ in range(_DRAWS)) if made is not None]
            while drawn:
                made = self.rng.choices(drawn, [each.weight for each in drawn])[0]
                if self._take(made.call):
                    return "valid", made.call
                drawn.remove(made)
        return None

    def _draw(self) -> _Drawn | None:
        shape = self._shape()
        maker = self._maker(shape)
        arguments = maker.arguments()
        if arguments is None:
            return None
        weight = 0.02 if maker.invented else 0.06 if maker.poor else 1.0
        return _Drawn(
            (shape.tool.name, arguments), weight * (2.5 if maker.fresh else 1.0) * (2.0 if maker.meant else 1.0)
        )

    def _shape(self) -> Shape:
        shapes = list(self.shapes.values())
        caution = min(1.0, max(0.0, 3 * self._excess))
        still = self.changing - (self._moved + 2 * self.changing) / (self._turns + 2)
        push = min(1.0, max(0.0, 5 * still)) if self._state else 0.0
        weights = [self.experience.weight(shape.tool.name, caution, push) for shape in shapes]
        return self.rng.choices(shapes, weights)[0]

    def _maker(self, shape: Shape) -> Maker:
        name = shape.tool.name
        known = self.experience
        return Maker(shape, self.seen, self.rng, wanted=known.wanted[name], failed=known.failed[name])

    def _wrong(self) -> Chosen | None:
        for _ in range(_DRAWS):
            shape = self._shape()
            found = spoiled(shape, self._maker(shape).arguments() or {}, self.rng, list(self.shapes))
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
        self.experience.uses[call[0]] += 1
        self._right = right
        return True

    def _remedy(self, undone: _Undone) -> Chosen | None:
        """Return what helps a call that failed: itself again, the tool that its error names, or a search for both."""
        if undone.mended:
            self._undone = None
            return "again", undone.call
        wanted = self.experience.said(undone.text, self.seen)
        if undone.tool is not None:
            own = self.experience.own(undone.text, self.seen)
            maker = Maker(self.shapes[undone.tool], self.seen, self.rng, wanted=wanted, unwanted=own)
            arguments = maker.arguments()
            if arguments is not None and not maker.invented and not maker.poor:
                return "pointed to", (undone.tool, arguments)
        maker = self._maker(self.shapes[undone.call[0]])
        arguments = maker.arguments()
        if arguments is not None and maker.meant and not maker.invented and not maker.poor:
            self._undone = None
            return "instead", (undone.call[0], arguments)
        return None if undone.sought else self._sought(undone)

    def _sought(self, undone: _Undone) -> Chosen | None:
        """Return a call that asks for things of which the error speaks: `status` of a list, `role` of colleagues."""
        undone.sought = True
        wanted = self.experience.words(undone.text) - self.experience.own(undone.text, self.seen)
        found = []
        for name, shape in self.shapes.items():
            if name in (undone.call[0], undone.tool) or self.experience.moves(name):
                continue
            maker = Maker(shape, self.seen, self.rng, wanted=wanted, seeking=True)
            arguments = maker.arguments()
            if arguments is not None and maker.sought and not maker.invented:
                found.append((name, arguments))
        return ("sought", self.rng.choice(found)) if found else None

    def _more(self, call: Call) -> Chosen | None:
        """Return the call for the next page, where the answer named one and the tool takes it."""
        shape = self.shapes.get(call[0])
        takes = [name for name in (shape.properties if shape else ()) if words(name)[-1:] in (("cursor",), ("token",))]
        if not takes:
            return None
        for name in _NEXT:
            value = self._newest(name)
            if value is not None and value != call[1].get(takes[0]):
                return "continued", (call[0], call[1] | {takes[0]: value})
        return None

    def _newest(self, name: Words) -> Any:
        found = self.seen.values(name, lambda value: isinstance(value, str), least=4)
        return next((value for value, turn in reversed(found) if turn == self.seen.turn), None)


__all__ = ["Chooser"]
