"""What an environment may use."""

from pydantic import Field

from worldtape.schemas._model import Model


class Limits(Model):
    """Limits on a sandbox; they hold for root too."""

    memory_mb: int = Field(default=1024, ge=32)
    """Memory of all processes together, MiB."""
    cpus: float = Field(default=1.0, ge=0.01, le=4096)
    """CPU cores."""
    pids: int = Field(default=256, ge=8)
    """Processes and threads alive at once."""
    disk_mb: int = Field(default=512, ge=1)
    """Each writable file system, MiB."""
    file_mb: int = Field(default=512, ge=1)
    """The largest file, MiB."""
