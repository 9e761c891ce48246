"""CPT: whole trajectories as chats, with a loss weight per message (recipe 4)."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from worldtape.pipelines.build import _templates as templates
from worldtape.pipelines.build._chat import Chat, message, transition_ids
from worldtape.pipelines.build._config import CptConfig
from worldtape.pipelines.build._counts import Counts
from worldtape.pipelines.build._draw import choose, draw
from worldtape.pipelines.build._recording import Recording
from worldtape.pipelines.build._tokens import Counter
from worldtape.pipelines.build._turn import Turn

Span = tuple[int, int]


def cpt_rows(recording: Recording, config: CptConfig, counter: Counter, counts: Counts) -> Iterator[dict[str, Any]]:
    """Yield one row per window of a recording.

    A turn that is longer than a window is counted as `too long`; a window without a trained turn is not yielded and its
    turns are counted as `no trained turn in window`; the turns of a row are counted as trained, or as masked by class.
    """
    chat = Chat(recording, config, counter)
    template = choose(templates.variants(recording.domain, "cpt"), config.seed, recording.trajectory_id)
    system, system_size = chat.system(template)
    spans = list(_windows(chat, system_size, counts))
    for window, (start, stop) in enumerate(spans):
        turns = recording.turns[start:stop]
        weights = [_weight(turn, config) for turn in turns]
        trained = sum(size for size, weight in zip(chat.observation_sizes[start:stop], weights, strict=True) if weight)
        if not trained:
            counts.add("dropped", "no trained turn in window", len(turns))
            continue
        _tally(turns, weights, counts)
        yield {
            "messages": [message("system", system), *chat.history(start, stop)],
            "weights": [0.0, *(value for weight in weights for value in (0.0, weight))],
            "transition_ids": transition_ids(turns),
            "turn_classes": [turn.turn_class for turn in turns],
            "window": window,
            "windows": len(spans),
            "template": templates.template_id(template),
            "tokens": system_size + _size(chat, start, stop),
            "trained_tokens": trained,
        }


def _weight(turn: Turn, config: CptConfig) -> float:
    if config.masking == "weight":
        return turn.weight
    return float(draw(config.seed, "mask", turn.transition_id) < turn.weight)


def _windows(chat: Chat, system_size: int, counts: Counts) -> Iterator[Span]:
    """Cut where the next turn would not fit; a turn that fits in no window is left out."""
    start, total = 0, 0
    for index in range(len(chat.recording.turns)):
        answer = chat.observation_sizes[index]
        if start < index and system_size + total + chat.user_sizes[index] + answer <= chat.limit:
            total += chat.user_sizes[index] + answer
            continue
        if start < index:
            yield start, index
        start, total = index, chat.head_size(index) + answer
        if system_size + total > chat.limit:
            counts.add("dropped", "too long")
            start = index + 1
    if start < len(chat.recording.turns):
        yield start, len(chat.recording.turns)


def _size(chat: Chat, start: int, stop: int) -> int:
    return chat.head_size(start) + sum(chat.user_sizes[start + 1 : stop]) + sum(chat.observation_sizes[start:stop])


def _tally(turns: list[Turn], weights: list[float], counts: Counts) -> None:
    for turn, weight in zip(turns, weights, strict=True):
        counts.add("class", turn.turn_class)
        counts.add("status", turn.status)
        if weight:
            counts.add("kept", "transitions")
        else:
            counts.add("dropped", f"masked, kept as context: {turn.turn_class}")
