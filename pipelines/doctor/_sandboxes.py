"""Docker, namespaces and control groups: where a recorded terminal can live."""

import os
import platform
import sys
from collections.abc import Iterator
from typing import Any

from worldtape.errors import ComponentError
from worldtape.pipelines.doctor._component import Component, State, by_system

_IMAGES_SHOWN = 4
_DAEMON, _NAMESPACES = "Docker daemon", "namespaces (bubblewrap)"
PLACES = frozenset({_DAEMON, _NAMESPACES})
"""Components of which one is enough to record terminals."""


def docker() -> Iterator[Component]:
    """Yield the daemon and its images."""
    from worldtape.collectors.terminal.sandbox.docker import connect, host

    fix = by_system(
        "apt-get install docker.io && systemctl start docker", "brew install --cask docker && open -a Docker"
    )
    try:
        client = connect(timeout_s=20)
    except ComponentError as error:
        yield Component(_DAEMON, "missing", "terminals in containers", detail=error.what, fix=fix)
        return
    try:
        yield Component(_DAEMON, "ok", "terminals in containers", client.version()["Version"], host())
        yield _images(client)
    finally:
        client.close()


def _images(client: Any) -> Component:
    from worldtape.collectors.terminal.image import PUBLIC, default_image

    names = sorted(tag for image in client.images() for tag in image.get("RepoTags") or [] if tag != "<none>:<none>")
    detail = ", ".join(names[:_IMAGES_SHOWN]) + (
        f" and {len(names) - _IMAGES_SHOWN} more" if names[_IMAGES_SHOWN:] else ""
    )
    usable = {default_image(), PUBLIC} & set(names)
    if usable:
        return Component("Docker image", "ok", "terminals in containers", max(usable), detail)
    fix = f"python -m worldtape.collectors.terminal.image (as root on Debian or Ubuntu), or docker pull {PUBLIC}"
    state: State = "limited" if names else "missing"
    return Component("Docker image", state, "terminals in containers", None, detail or "none is local", fix)


def local() -> Iterator[Component]:
    """Yield namespaces, and what holds the limits in them."""
    from worldtape.collectors.terminal.sandbox.local import namespaces

    missing = namespaces()
    use = "terminals without a daemon"
    if missing is not None:
        what, _, fix = missing.partition("; ")
        yield Component(_NAMESPACES, "missing", use, detail=what, fix=fix)
    else:
        yield Component(_NAMESPACES, "ok", use, platform.release(), "as root" if os.geteuid() == 0 else None)
    if sys.platform == "linux":
        yield _cgroups()


def _cgroups() -> Component:
    from worldtape.collectors.terminal.sandbox.local import make_cgroup

    group = make_cgroup(64, 16, 1.0)
    use = "limits on local terminals"
    if group is not None:
        group.remove()
        return Component("control groups", "ok", use, f"version {group.version}", "memory, pids")
    detail = "memory and processes are limited per process and user by rlimits instead"
    fix = "run as root, or under systemd-run --user --scope -p Delegate=yes"
    return Component("control groups", "limited", use, None, detail, fix)
