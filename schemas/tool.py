"""A tool that an environment offers."""

from worldtape.schemas._model import Model


class Tool(Model):
    """A tool as it was declared when it was called."""

    name: str
    description: str | None = None
    input_schema: str | None = None
    """JSON schema of the arguments, as canonical JSON."""
