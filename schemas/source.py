"""Where a trajectory comes from."""

from worldtape.schemas._model import Model


class Source(Model):
    """Recorded by us, or imported from somebody's file."""

    kind: str = "recorded"
    """`recorded` or `imported`."""
    format: str | None = None
    """The importer's name and the version of the source format."""
    uri: str | None = None
    digest: str | None = None
    """SHA-256 of the source file."""
    locator: str | None = None
    """Where in the source the record lies."""
    licence: str | None = None
