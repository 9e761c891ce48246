"""A recording as chat messages, with their lengths."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property

from worldtape.pipelines.build import _templates as templates
from worldtape.pipelines.build._config import CptConfig, SftConfig
from worldtape.pipelines.build._offered import read_tools
from worldtape.pipelines.build._recording import Recording
from worldtape.pipelines.build._text import action_block, asked, observation_text, user_text
from worldtape.pipelines.build._tokens import Counter
from worldtape.pipelines.build._turn import Turn
from worldtape.schemas import Domain

Message = dict[str, str]
_CALLED = frozenset({Domain.MCP, Domain.SEARCH, Domain.SWE})
"""Domains that show nothing before the first call; an empty state says nothing there, where an empty screen would."""


class Chat:
    """Writes and measures the messages of one recording; each text is measured once."""

    def __init__(self, recording: Recording, config: CptConfig | SftConfig, counter: Counter) -> None:
        self.recording = recording
        self.config = config
        self._counter = counter
        self._systems: dict[str, tuple[str, int]] = {}
        self._heads: dict[int, int] = {}

    @property
    def limit(self) -> int:
        """The longest sample, in the counter's unit."""
        return self.config.max_bytes if self.config.tokenizer is None else self.config.max_tokens

    def size(self, text: str) -> int:
        """Return the length of one text."""
        return self._counter.count([text])[0]

    def system(self, template: str) -> tuple[str, int]:
        """Return the system prompt of a template, and its length."""
        if template not in self._systems:
            recording = self.recording
            text = templates.render(
                template,
                initial_state=recording.row["initial_state"] if self.config.initial_state else None,
                simulation_instruction=recording.simulation_instruction,
                demonstrations=self.config.demonstrations,
                parameters=recording.parameters,
                renderer=recording.renderer,
                tools=read_tools(recording.row["tools"]),
            )
            self._systems[template] = text, self.size(text)
        return self._systems[template]

    def user(self, index: int, *, first: bool, ask: bool = False) -> str:
        """Return the user turn of the `index`-th kept turn.

        The first turn shown in a sample carries the state before it, and so does one whose predecessor was dropped. A
        fault that is not in force throughout is told in the turns in which it is.
        """
        turn = self.recording.turns[index]
        told = self.recording.row["instruction"] if first and self.config.instruction == "first" else None
        state = turn.before if first or turn.broken else None
        if not state and self.recording.domain in _CALLED:
            state = None
        control = turn.instruction if self.recording.simulation_instruction is None else None
        block = action_block(turn.kind, turn.action)
        text = user_text(turn.number, block, instruction=told or None, control=control, state=state)
        return asked(text) if ask else text

    def head_size(self, index: int) -> int:
        """Return the length of a user turn where it is the first one shown."""
        if index not in self._heads:
            self._heads[index] = self.size(self.user(index, first=True))
        return self._heads[index]

    @cached_property
    def user_sizes(self) -> list[int]:
        """The length of every user turn where it is not the first one shown."""
        return self._counter.count([self.user(index, first=False) for index in range(len(self.recording.turns))])

    @cached_property
    def observation_sizes(self) -> list[int]:
        """The length of every assistant turn of a history."""
        return self._counter.count([observation_text(turn.observation) for turn in self.recording.turns])

    def history(self, start: int, stop: int) -> list[Message]:
        """Return the user and assistant messages of turns `start` to `stop` − 1; the first carries its state."""
        messages = []
        for index in range(start, stop):
            messages.append(message("user", self.user(index, first=index == start)))
            messages.append(message("assistant", observation_text(self.recording.turns[index].observation)))
        return messages


def message(role: str, content: str) -> Message:
    """Return one chat message."""
    return {"role": role, "content": content}


def transition_ids(turns: Sequence[Turn]) -> list[str]:
    """Return where the turns stand in the lake."""
    return [turn.transition_id for turn in turns]
