"""That something was cut, by whom, and from what size."""

from worldtape.schemas._model import Model


class Truncation(Model):
    """A cut is never silent."""

    by: str
    """`environment`, `harness`, `importer` or `recorder`."""
    full_bytes: int | None = None
    """The size before the cut; null when unknown."""
