"""An error in the environment's own words."""

from worldtape.schemas._model import Model


class ErrorInfo(Model):
    """Type, message and code of an error."""

    type: str | None = None
    message: str | None = None
    code: int | None = None
