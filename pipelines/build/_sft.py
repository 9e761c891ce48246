"""SFT: one turn per sample, with the plain observation as its target (recipe 5, without rollouts)."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import accumulate
from typing import Any

from worldtape.pipelines.build import _templates as templates
from worldtape.pipelines.build._chat import Chat, message, transition_ids
from worldtape.pipelines.build._config import SftConfig
from worldtape.pipelines.build._counts import Counts
from worldtape.pipelines.build._draw import choose, draw
from worldtape.pipelines.build._recording import Recording
from worldtape.pipelines.build._text import predictable, prediction_text
from worldtape.pipelines.build._tokens import Counter


def sft_rows(recording: Recording, config: SftConfig, counter: Counter, counts: Counts) -> Iterator[dict[str, Any]]:
    """Yield one row per chosen turn of a recording; every other turn is counted in `dropped`."""
    chat = Chat(recording, config, counter)
    for index in _chosen(recording, config, counts):
        row = _sample(chat, index, config)
        if row is None:
            counts.add("dropped", "too long")
            continue
        turn = recording.turns[index]
        counts.add("kept", "transitions")
        counts.add("class", turn.turn_class)
        counts.add("status", turn.status)
        counts.add("context", "turns dropped from prompts", row["turns_dropped"])
        yield row


def _chosen(recording: Recording, config: SftConfig, counts: Counts) -> list[int]:
    """Draw by class weight, then cap; in order of the steps."""
    drawn = []
    for index, turn in enumerate(recording.turns):
        if not predictable(turn.observation):
            counts.add("dropped", "observation holds the tag")
        elif draw(config.seed, "mask", turn.transition_id) >= turn.weight:
            counts.add("dropped", f"masked, kept as context: {turn.turn_class}")
        else:
            drawn.append(index)
    if config.per_trajectory is None or len(drawn) <= config.per_trajectory:
        return drawn
    counts.add("dropped", "over the cap per trajectory, kept as context", len(drawn) - config.per_trajectory)
    drawn.sort(key=lambda index: draw(config.seed, "cap", recording.turns[index].transition_id))
    return sorted(drawn[: config.per_trajectory])


def _sample(chat: Chat, index: int, config: SftConfig) -> dict[str, Any] | None:
    """Return the row whose target is the `index`-th kept turn, or null where even that turn alone is too long."""
    turn = chat.recording.turns[index]
    template = choose(templates.variants(chat.recording.domain, "sft"), config.seed, turn.transition_id)
    system, system_size = chat.system(template)
    answer = prediction_text(turn.observation)
    answer_size = chat.size(answer)
    start, history_size = _start(chat, index, chat.limit - system_size - answer_size)
    asked = chat.user(index, first=start == index, ask=True)
    prompt_size = system_size + history_size + chat.size(asked)
    if prompt_size + answer_size > chat.limit:
        return None
    prompt = [message("system", system), *chat.history(start, index), message("user", asked)]
    return {
        "prompt": prompt,
        "completion": [message("assistant", answer)],
        "transition_ids": transition_ids(chat.recording.turns[start : index + 1]),
        "transition_id": turn.transition_id,
        "step": turn.step,
        "turn": turn.number,
        "turn_class": turn.turn_class,
        "status": turn.status,
        "turns_dropped": start,
        "template": templates.template_id(template),
        "tokens": prompt_size + answer_size,
        "trained_tokens": answer_size,
    }


def _start(chat: Chat, index: int, room: int) -> tuple[int, int]:
    """Return the earliest turn from which the history and the question fit into `room`, and the history's length."""
    asked = chat.size(chat.user(index, first=False, ask=True))
    pairs = [user + answer for user, answer in zip(chat.user_sizes, chat.observation_sizes, strict=True)]
    sums = [0, *accumulate(pairs[:index])]
    for start in range(index):
        # all pairs from `start` on, with the first user turn in its longer form
        size = sums[index] - sums[start] - chat.user_sizes[start] + chat.head_size(start)
        if size + asked <= room:
            return start, size
    return index, 0
