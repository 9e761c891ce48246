"""When things happened."""

from worldtape.schemas._model import Model


class Timing(Model):
    """Wall times are microseconds since 1970 UTC; the duration is measured by the monotonic clock."""

    started_at: int | None = None
    first_output_at: int | None = None
    ended_at: int | None = None
    duration_ms: float | None = None
