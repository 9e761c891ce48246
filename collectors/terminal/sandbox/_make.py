"""From a configuration to a sandbox, and the removal of what dead recorders left."""

from worldtape.collectors.terminal.sandbox._protocol import Sandbox
from worldtape.collectors.terminal.sandbox.config import SandboxConfig


def make_sandbox(config: SandboxConfig) -> Sandbox:
    """Return the sandbox that `config` asks for; nothing runs before its `start`."""
    if config.kind == "docker":
        from worldtape.collectors.terminal.sandbox.docker import Docker

        return Docker(config)
    if config.kind == "local":
        from worldtape.collectors.terminal.sandbox.local import Local

        return Local(config)
    from worldtape.collectors.terminal.sandbox.unsafe import UnsafeLocal

    return UnsafeLocal(config)


def reap() -> list[str]:
    """Remove the containers and control groups whose recorder is gone; return their names."""
    from worldtape.collectors.terminal.sandbox.docker import reap as reap_containers
    from worldtape.collectors.terminal.sandbox.local import reap as reap_groups

    return reap_groups() + reap_containers()
