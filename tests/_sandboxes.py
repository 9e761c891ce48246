"""Whether this machine has the real sandboxes that tests record in."""

from __future__ import annotations

from tests._components import require

IMAGE = "worldtape/debian:bookworm"


def need_namespaces() -> None:
    """Skip, or fail where everything is required, when local sandboxes cannot be made."""
    from worldtape.collectors.terminal.sandbox.local import namespaces

    missing = namespaces()
    require("the local sandbox", missing is None, missing or "")


def need_docker() -> None:
    """Skip, or fail where everything is required, when there is no daemon or no image."""
    import docker

    try:
        found = bool(docker.from_env().images.list(IMAGE))
    except docker.errors.DockerException:
        found = False
    require(f"Docker with {IMAGE}", found, "start dockerd and build the image (CONTRIBUTING.md)")
