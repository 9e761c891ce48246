"""How a turn is written, and how each part is read back exactly.

The user turn is the action, the assistant turn is the observation (recipe 2, the layout of AgentWorldBench). The
observation stands unfenced after its heading and runs to the end of the message: nothing is escaped, trimmed or
quoted, so what follows the heading is the lake's text byte for byte. The action stands in a fence longer than any run
of backticks inside it.
"""

from __future__ import annotations

import re

from worldtape.errors import FormatError

OBSERVATION = "**Environment Observation:**\n"
"""What every observation in a history begins with."""
OPEN, CLOSE = "<predicted_observation>\n", "\n</predicted_observation>"
"""What a prediction stands between."""
ASK = "Predict the observation. Answer with exactly one <predicted_observation> … </predicted_observation> block."
"""The output instruction at the end of a prompt; it holds no backtick, so that `read_action` finds the fence."""

_ACTION, _STATE, _INSTRUCTION = "**Action:**\n", "**Current State:**\n", "**Task Instruction:**\n"
_CONTROL = "**Simulation Instruction:**\n"
_JSON = ("keystrokes", "prompt_get", "resize", "resource_read", "tool_call", "ui_action")
_LANGUAGES = dict.fromkeys(_JSON, "json") | {"python": "python"}
"""A `browser_call` is a call as text, and has none."""
_RUNS = re.compile("`+")
_LAST_FENCE = re.compile(r"\n(`{3,})(?=\n|\Z)")


def fence(text: str, language: str = "") -> str:
    """Return `text` in a fenced block that nothing inside can close."""
    longest = max((len(run) for run in _RUNS.findall(text)), default=0)
    ticks = "`" * max(3, longest + 1)
    return f"{ticks}{language}\n{text}\n{ticks}"


def action_block(kind: str, action: str) -> str:
    """Return the action in its fence, which names the language of that kind of action."""
    return fence(action, _LANGUAGES.get(kind, ""))


def user_text(
    number: int, block: str, *, instruction: str | None = None, control: str | None = None, state: str | None = None
) -> str:
    """Return a user turn.

    Args:
        number: counts from 1.
        block: the action as `action_block` writes it.
        instruction: what the agent was asked to do, where it is shown.
        control: the instruction of a fault that is in force in this turn, but not in all.
        state: the observation before the action, where no turn above shows it.
    """
    head = f"### Turn {number}\n"
    told = "" if instruction is None else f"{_INSTRUCTION}{instruction}\n\n"
    fault = "" if control is None else f"{_CONTROL}{control}\n\n"
    carried = "" if state is None else f"{_STATE}{state}\n\n"
    return f"{head}{told}{fault}{carried}{_ACTION}{block}"


def asked(user: str) -> str:
    """Return a user turn with the output instruction at its end."""
    return f"{user}\n\n{ASK}"


def observation_text(observation: str) -> str:
    """Return an assistant turn of a history."""
    return OBSERVATION + observation


def prediction_text(observation: str) -> str:
    """Return the answer that is asked for."""
    return f"{OPEN}{observation}{CLOSE}"


def predictable(observation: str) -> bool:
    """Tell whether the observation can stand in exactly one tagged block: it holds no such tag itself."""
    return OPEN.strip() not in observation and CLOSE.strip() not in observation


def read_observation(content: str) -> str:
    """Return the observation of an assistant turn, exactly.

    Raises:
        FormatError: it does not begin with the heading.
    """
    if not content.startswith(OBSERVATION):
        raise FormatError("an assistant turn does not begin with its heading", where=content[:60])
    return content[len(OBSERVATION) :]


def read_prediction(content: str) -> str:
    """Return the observation of a tagged answer, exactly; the last block counts.

    Raises:
        FormatError: there is no such block at the end.
    """
    start = content.rfind(OPEN)
    if start < 0 or not content.endswith(CLOSE) or len(content) < start + len(OPEN) + len(CLOSE):
        raise FormatError("the answer does not end with a <predicted_observation> block", where=content[-60:])
    return content[start + len(OPEN) : -len(CLOSE)]


def read_action(content: str) -> str:
    """Return the action of a user turn, exactly.

    Raises:
        FormatError: there is no fenced action.
    """
    start, end = _fenced(content)
    return content[start:end]


def read_state(content: str) -> str | None:
    """Return the carried state of a user turn, or null.

    Exact unless an instruction before it holds the same heading.

    Raises:
        FormatError: there is no fenced action.
    """
    start, _ = _fenced(content)
    head = content[: content.rfind(_ACTION, 0, start)]
    _, found, state = head.partition("\n" + _STATE)
    return state.removesuffix("\n\n") if found else None


def _fenced(content: str) -> tuple[int, int]:
    closing = None
    for closing in _LAST_FENCE.finditer(content):  # noqa: B007
        pass
    if closing is None:
        raise FormatError("a user turn has no fenced action", where=content[:60])
    opening = content.rfind(_ACTION + closing[1], 0, closing.start() + 1)
    start = content.find("\n", opening + len(_ACTION)) + 1
    if opening < 0 or start > closing.start() + 1:
        raise FormatError("a user turn has no fenced action", where=content[:60])
    return start, max(start, closing.start())
