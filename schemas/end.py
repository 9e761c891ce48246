"""The last event of a tape."""

from worldtape.schemas._model import Model
from worldtape.schemas.end_status import EndStatus


class End(Model):
    """How and why the recording ended."""

    status: EndStatus
    reason: str | None = None
    reward: float | None = None
    steps: int = 0
