"""Several actions of one model turn."""

from worldtape.schemas._model import Model


class Batch(Model):
    """Marks transitions that came from one turn; they are marked, never copied."""

    id: str
    index: int
    size: int
    shared: bool = False
    """True where the whole batch has one observation."""
