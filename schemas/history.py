"""What a policy can see."""

from collections.abc import Callable
from typing import Any

from worldtape.schemas.action import Action
from worldtape.schemas.ready import Ready
from worldtape.schemas.step_result import StepResult
from worldtape.schemas.task import Task


class History:
    """The trajectory so far, from the policy's side.

    Args:
        ready: the start.
        task: what is to be done, if anything.
        on_thought: takes what the policy thought; it is kept on the tape and never reaches a corpus.
        look: gives what the newest observation was rendered from, where the environment keeps it.
    """

    def __init__(
        self,
        ready: Ready,
        task: Task | None,
        on_thought: Callable[[dict[str, Any]], None],
        look: Callable[[], Any] | None = None,
    ) -> None:
        self.ready = ready
        self.task = task
        self.turns: list[tuple[Action, StepResult]] = []
        self._on_thought = on_thought
        self._look = look

    @property
    def screen(self) -> str:
        """The newest observation, as the policy sees it."""
        newest = self.turns[-1][1].observation if self.turns else self.ready.observation
        return newest.text if newest.shown is None else newest.shown

    @property
    def tree(self) -> Any:
        """What the newest observation was rendered from (the environment's `tree`), as it keeps it; else None."""
        return None if self._look is None else self._look()

    def think(self, **thought: Any) -> None:
        """Keep reasoning, a prompt or a model's raw reply on the tape."""
        self._on_thought(thought)
