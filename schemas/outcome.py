"""How an action ended, in facts."""

from worldtape.schemas._model import Model
from worldtape.schemas.error_info import ErrorInfo
from worldtape.schemas.status import Status


class Outcome(Model):
    """Null where unknown, never −1."""

    status: Status
    exit_code: int | None = None
    """Of the last command that the action finished."""
    exit_codes: tuple[int, ...] = ()
    """Of every command it finished: one action can pass several prompts."""
    signal: int | None = None
    error: ErrorInfo | None = None
