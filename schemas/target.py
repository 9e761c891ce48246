"""The element an action was aimed at."""

from worldtape.schemas._model import Model


class Target(Model):
    """Kept since element ids drift between renderings."""

    id: str | None = None
    role: str | None = None
    name: str | None = None
    box: tuple[float, float, float, float] | None = None
    """Left, top, width, height in CSS pixels."""
    selector: str | None = None
