"""One turn of a sample, before it is text."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Turn:
    """A transition that stays: what is shown of it and how much its answer weighs."""

    transition_id: str
    step: int
    number: int
    """Its place among the kept turns of its trajectory, from 1."""
    kind: str
    """The kind of action, as in the lake."""
    action: str
    observation: str
    before: str | None
    """The observation that stood before the action; null where the recording does not tell."""
    broken: bool
    """True where the turn before it is not shown, so that the state must be carried over."""
    status: str
    turn_class: str
    weight: float
    """Of its class, 0 to 1."""
    instruction: str | None = None
    """The control instruction of the fault in force in this turn."""
