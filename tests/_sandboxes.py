"""Whether this machine has the real sandboxes that tests record in."""

from __future__ import annotations

from tests.collectors.terminal._needs import IMAGE, needs


def need_namespaces() -> None:
    """Skip, or fail where everything is required, when local sandboxes cannot be made."""
    needs("local")


def need_docker() -> None:
    """Skip, or fail where everything is required, when there is no daemon or no image."""
    needs("docker")


__all__ = ["IMAGE", "need_docker", "need_namespaces"]
