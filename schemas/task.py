"""What a trajectory was asked to do."""

from worldtape.schemas._model import Model


class Task(Model):
    """One task of a suite or benchmark."""

    id: str
    """Unique in its suite: `files/count-lines`."""
    instruction: str = ""
    benchmark: str | None = None
    """The suite or benchmark it comes from."""
    reference: str | None = None
    """The reference answer, where there is one; it never reaches a prompt."""
    tags: tuple[str, ...] = ()
