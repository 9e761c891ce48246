"""One intended call, and what came of it."""

from __future__ import annotations

from collections.abc import Generator, Mapping
from dataclasses import dataclass, field
from typing import Any, TypeVar

from worldtape.schemas import Status, StepResult

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class Step:
    """A call of a tool.

    Attributes:
        name: of the tool.
        arguments: as they are sent.
        role: what it is aimed at: `file`, `directory`, `pattern`, `command`, `list`.
        target: the path, pattern or command itself.
        why: what the policy is about; kept as its thought.
    """

    name: str
    arguments: Mapping[str, Any]
    role: str = ""
    target: str = ""
    why: str = ""


@dataclass(frozen=True, slots=True)
class Heard:
    """An answer, as far as the policy listens.

    Attributes:
        text: what the policy was shown.
        ok: the call did what it was for; a command that fails is not ok.
        exit_code: of a command.
        tests: what tests it ran, as in `state_after.tests`.
        changed: whether the repository is another one now.
    """

    text: str
    ok: bool
    exit_code: int | None = None
    tests: Mapping[str, Any] | None = None
    changed: bool = False
    done: bool = field(default=False)

    @classmethod
    def of(cls, result: StepResult) -> Heard:
        """Listen to a result."""
        state = result.state_after or {}
        seen = result.observation
        return cls(
            text=seen.text if seen.shown is None else seen.shown,
            ok=result.outcome.status == Status.OK,
            exit_code=result.outcome.exit_code,
            tests=state.get("tests"),
            changed=state.get("changed") is True,
            done=result.done,
        )

    @property
    def broken(self) -> list[str]:
        """Ids of tests that failed or could not run."""
        return [*self.tests["failed"], *self.tests["errors"]] if self.tests else []


Routine = Generator[Step, Heard, T]
"""Yields steps, is sent what was heard, returns what it found out."""
