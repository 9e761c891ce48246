"""What an environment may use."""

from worldtape.schemas._model import Model


class Limits(Model):
    """Limits on a sandbox; they hold for root too."""

    memory_mb: int = 1024
    """Memory of all processes together, MiB."""
    cpus: float = 1.0
    """CPU cores."""
    pids: int = 256
    """Processes and threads alive at once."""
    disk_mb: int = 512
    """Each writable file system, MiB."""
    file_mb: int = 512
    """The largest file, MiB."""
