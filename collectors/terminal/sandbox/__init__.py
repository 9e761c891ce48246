"""Where a recorded shell lives: a container, Linux namespaces, or (unprotected) this machine."""

from worldtape.collectors.terminal.sandbox._make import make_sandbox, reap
from worldtape.collectors.terminal.sandbox._protocol import Sandbox
from worldtape.collectors.terminal.sandbox._ran import Ran
from worldtape.collectors.terminal.sandbox.config import SandboxConfig

__all__ = ["Ran", "Sandbox", "SandboxConfig", "make_sandbox", "reap"]
