"""The image that repositories live in: a terminal's own, with Python's whole library and pytest.

    python -m worldtape.collectors.swe.image

makes sure that it is there, and prints its name and digest.
"""

from __future__ import annotations

import hashlib
import sys
import time
from contextlib import suppress
from typing import Any

from worldtape.collectors.terminal.image import default_image, ensure_image, local_image
from worldtape.collectors.terminal.sandbox.docker._client import connect, explained
from worldtape.collectors.terminal.sandbox.docker._owner import LABEL as OWNER
from worldtape.collectors.terminal.sandbox.docker._owner import own
from worldtape.errors import ComponentError

PACKAGES = ("make", "patch", "python3", "python3-pytest", "ripgrep")
"""What is added."""
LABEL = "worldtape.swe"
_BUILD_S = 900
_INSTALL = (
    "apt-get update -qq && DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends {packages}"
    " && rm -rf /var/lib/apt/lists/* /var/cache/apt/archives/*.deb"
)
_CHANGES = ("ENV LANG=C.UTF-8", 'CMD ["/bin/bash"]')


def image_name() -> str:
    """Return the name under which it is kept."""
    return f"worldtape/swe:{default_image().rpartition(':')[2]}"


def ensure() -> str:
    """Return the name of the image, after building it where it is missing or of an older recipe.

    Raises:
        ComponentError: no daemon answers, or the container that is to become it reaches no mirror of packages.
    """
    client = connect(timeout_s=_BUILD_S)
    try:
        held = _labelled(client, image_name())
        base = local_image(client)
        if held is None or (base is not None and held != _recipe(base.digest)):
            base = ensure_image()
            _build(client, base.name, _recipe(base.digest))
    finally:
        client.close()
    return image_name()


def _recipe(base: str) -> str:
    return hashlib.sha256("\n".join((base, *PACKAGES, _INSTALL, *_CHANGES)).encode()).hexdigest()[:16]


def _labelled(client: Any, name: str) -> str | None:
    from docker.errors import DockerException

    with suppress(DockerException):
        labels = (client.inspect_image(name).get("Config") or {}).get("Labels") or {}
        return str(labels.get(LABEL, ""))
    return None


def _build(client: Any, base: str, recipe: str) -> None:
    """Install the packages in a container of the base, which has this machine's mirror, and keep it as an image."""
    name, _, tag = image_name().partition(":")
    with explained(image_name()):
        words = ["sh", "-c", _INSTALL.format(packages=" ".join(PACKAGES))]
        made = client.create_container(
            base,
            words,
            labels={OWNER: own()},
            host_config=client.create_host_config(network_mode="bridge"),
        )["Id"]
        try:
            client.start(made)
            if client.wait(made, timeout=_BUILD_S)["StatusCode"] != 0:
                said = client.logs(made, tail=1).decode(errors="replace").strip()
                fix = "let containers reach the mirror of this machine's packages, or name an image in the job"
                raise ComponentError(f"not built: {said}", where=image_name(), fix=fix)
            changes = [*_CHANGES, f"LABEL {LABEL}={recipe} {OWNER}="]
            client.commit(made, repository=name, tag=tag, changes=changes)
        finally:
            client.remove_container(made, force=True, v=True)


def main() -> int:
    """Make sure that the image is there."""
    began = time.monotonic()
    try:
        name = ensure()
    except ComponentError as error:
        sys.stderr.write(f"worldtape: {error}\n")
        return 1
    sys.stderr.write(f"ready in {time.monotonic() - began:.1f} s\n")
    sys.stdout.write(f"{name} {ensure_image(name).digest}\n")
    return 0


__all__ = ["LABEL", "PACKAGES", "ensure", "image_name"]

if __name__ == "__main__":
    sys.exit(main())
