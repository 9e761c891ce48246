"""The container image that a recorded terminal runs in: found, pulled, or built from this machine's own packages.

    python -m worldtape.collectors.terminal.image [NAME]

makes sure that it is there, and prints its name and digest.
"""

from __future__ import annotations

import sys
import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Literal

from worldtape.collectors.terminal.sandbox.docker._pull import pull
from worldtape.collectors.terminal.sandbox.docker._recipe import LABEL, build, default_image, recipe_hash
from worldtape.errors import ComponentError

PUBLIC = "debian:bookworm-slim"
"""Pulled where nothing was asked for, nothing of ours is there, and nothing can be built."""


@dataclass(frozen=True, slots=True)
class ImageFound:
    """An image that the Docker daemon holds."""

    name: str
    digest: str
    """`sha256:…` of the registry's manifest where it was pulled, of the image's configuration otherwise."""
    how: Literal["local", "pulled", "built"]


def ensure_image(name: str | None = None, *, pull_s: float = 20) -> ImageFound:
    """Return an image that the daemon holds, after pulling or building it where that is needed.

    Args:
        name: any image; none: ours, else a small public one.
        pull_s: so long a pull may take; 0: never pull.

    Raises:
        ComponentError: no daemon answers, or the image can be had in no way; the message says what was tried.
    """
    from worldtape.collectors.terminal.sandbox.docker._client import connect

    client = connect()
    try:
        return _ensure(client, name, pull_s)
    finally:
        client.close()


def _ensure(client: Any, name: str | None, pull_s: float) -> ImageFound:
    ours = default_image()
    tried: list[str] = []
    local = _local(client, (name,)) if name else local_image(client)
    if local is not None and not _stale(client, local.name):
        return local
    ways: list[tuple[str, Callable[[], None]]] = [(name or PUBLIC, lambda: pull(client, name or PUBLIC, pull_s))]
    if name in {None, ours}:
        ways.append((ours, lambda: build(client, ours)))
    if name == ours or local is not None:
        del ways[0]  # no registry holds it
    for made, make in ways:
        try:
            make()
        except ComponentError as error:
            tried.append(error.what)
            continue
        found = _inspect(client, made)
        if found is not None:
            return ImageFound(made, _digest(found), "built" if made == ours else "pulled")
    if local is not None:
        return local
    fix = f"docker pull {name or PUBLIC}" if name != ours else "run this as root on Debian or Ubuntu, or name an image"
    raise ComponentError(f"there is no such image ({', '.join(tried)})", where=name or ours, fix=fix)


def local_image(client: Any) -> ImageFound | None:
    """Return ours, else the public one, where the daemon holds it; nothing is pulled or built."""
    return _local(client, (default_image(), PUBLIC))


def _inspect(client: Any, name: str) -> dict[str, Any] | None:
    from docker.errors import DockerException

    try:
        return dict(client.inspect_image(name))
    except DockerException:
        return None


def _stale(client: Any, name: str) -> bool:
    """Whether it is ours, and of an older recipe."""
    labels = ((_inspect(client, name) or {}).get("Config") or {}).get("Labels") or {}
    return LABEL in labels and labels[LABEL] != recipe_hash()


def _local(client: Any, names: tuple[str, ...]) -> ImageFound | None:
    for name in names:
        found = _inspect(client, name)
        if found is not None:
            return ImageFound(name, _digest(found), "local")
    return None


def _digest(image: dict[str, Any]) -> str:
    repos = [entry.partition("@")[2] for entry in image.get("RepoDigests") or []]
    return str(repos[0] if repos else image["Id"])


def main(words: list[str]) -> int:
    """Make sure that the named image, or ours, is there."""
    start = time.monotonic()
    try:
        found = ensure_image(words[0] if words else None)
    except ComponentError as error:
        sys.stderr.write(f"worldtape: {error}\n")
        return 1
    sys.stderr.write(f"{found.how} in {time.monotonic() - start:.1f} s\n")
    sys.stdout.write(f"{found.name} {found.digest}\n")
    return 0


__all__ = ["PUBLIC", "ImageFound", "default_image", "ensure_image", "local_image"]

if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
