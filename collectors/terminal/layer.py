"""Container images that other domains need: Debian's packages on top of the terminal's image."""

from __future__ import annotations

import fcntl
import hashlib
import os
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

from worldtape.collectors.cache import cache_folder
from worldtape.collectors.terminal.image import ImageFound
from worldtape.collectors.terminal.image import ensure_image as ensure_base
from worldtape.collectors.terminal.sandbox.docker._client import connect, explained
from worldtape.collectors.terminal.sandbox.docker._owner import LABEL as OWNER
from worldtape.collectors.terminal.sandbox.docker._owner import own
from worldtape.collectors.terminal.sandbox.docker._pull import split
from worldtape.collectors.terminal.sandbox.docker._recipe import LABEL, default_image, recipe_hash
from worldtape.errors import ComponentError, boundary

_INSTALL = """
set -e
export DEBIAN_FRONTEND=noninteractive
echo force-unsafe-io > /etc/dpkg/dpkg.cfg.d/worldtape
for left in doc man locale; do echo "path-exclude=/usr/share/$left/*" >> /etc/dpkg/dpkg.cfg.d/worldtape; done
if [ -f /etc/apt/sources.list ] && grep -qs ubuntu /etc/os-release; then
    sed -i 's/ main$/ main universe/' /etc/apt/sources.list
fi
apt-get update -qq
apt-get install -y -qq --no-install-recommends "$@"
rm -rf /var/lib/apt/lists/* /var/cache/apt/* /var/log/*
"""
_PROXIES = ("http_proxy", "https_proxy", "no_proxy")
_LIMIT_S = 900


@dataclass(frozen=True, slots=True)
class Layer:
    """What is added to the terminal's image; the packages come from the mirrors that apt knows inside it.

    They are fetched over this machine's network: any Docker daemon that reaches a mirror can build it.

    Attributes:
        repository: the image's name, without a tag.
        packages: names of Debian's packages.
        script: shell commands that root runs after they are installed.
        path: the image's PATH; none: that of the terminal's.
        workdir: where its programs start.
    """

    repository: str
    packages: tuple[str, ...]
    script: str = ""
    path: str | None = None
    workdir: str = "/"

    @property
    def name(self) -> str:
        """The image's name; its tag is the release, as of the terminal's."""
        return f"{self.repository}:{split(default_image())[1]}"

    @property
    def recipe(self) -> str:
        """The hash of everything that decides what is built."""
        words = (recipe_hash(), *self.packages, _INSTALL, self.script, self.path or "", self.workdir)
        return hashlib.sha256("\n".join(words).encode()).hexdigest()[:16]

    def ensure(self, name: str | None = None) -> ImageFound:
        """Return an image that the daemon holds, after building ours where it is missing or of an older recipe.

        Args:
            name: another image, which must be there; none: ours.

        Raises:
            ComponentError: no daemon answers, the image is not there, or it cannot be built; the message says why.
        """
        ours = self.name
        client: Any = connect(timeout_s=_LIMIT_S)
        try:
            found = _inspect(client, name or ours)
            if found is not None and (name not in {None, ours} or _label(found) == self.recipe):
                return ImageFound(name or ours, str(found["Id"]), "local")
            if name not in {None, ours}:
                raise ComponentError("there is no such image", where=name, fix=f"docker pull {name}, or leave it out")
            with explained(ours), _alone():
                if _label(_inspect(client, ours)) != self.recipe:  # else somebody has built it meanwhile
                    self._build(client)
                return ImageFound(ours, str(client.inspect_image(ours)["Id"]), "built")
        finally:
            client.close()

    def main(self) -> int:
        """Make sure that the image is there; print its name and digest, and return the exit code."""
        start = time.monotonic()
        try:
            found = self.ensure()
        except ComponentError as error:
            sys.stderr.write(f"worldtape: {error}\n")
            return 1
        sys.stderr.write(f"{found.how} in {time.monotonic() - start:.1f} s\n")
        sys.stdout.write(f"{found.name} {found.digest}\n")
        return 0

    def _build(self, client: Any) -> None:
        repository, tag = split(self.name)
        proxies = {key: os.environ[key] for key in _PROXIES if os.environ.get(key)}
        made = client.create_container(
            ensure_base().name,
            command=["sh", "-c", _INSTALL + self.script, "sh", *self.packages],
            entrypoint=[],
            user="0",
            environment=proxies,
            labels={OWNER: own()},
            host_config=client.create_host_config(network_mode="host"),
        )["Id"]
        try:
            client.start(made)
            code = int(client.wait(made, timeout=_LIMIT_S)["StatusCode"])
            if code != 0:
                said = client.logs(made, tail=5).decode(errors="replace").strip().splitlines()
                what = f"not built: apt-get failed with {code}: {said[-1] if said else 'no message'}"
                fix = "see that this machine reaches a Debian mirror, or name an image in the job"
                raise ComponentError(what, where=self.name, fix=fix)
            env = ["LANG=C.UTF-8", *([f"PATH={self.path}"] if self.path else []), *(f"{key}=" for key in proxies)]
            labels = {LABEL: self.recipe, OWNER: ""}  # else its containers were taken for those of this process
            conf = {"Env": env, "Cmd": ["/bin/bash"], "Labels": labels, "WorkingDir": self.workdir}
            client.commit(made, repository=repository, tag=tag, conf=conf)
        finally:
            client.remove_container(made, force=True, v=True)


def _inspect(client: Any, name: str) -> dict[str, Any] | None:
    from docker.errors import ImageNotFound

    with explained(name):
        try:
            return dict(client.inspect_image(name))
        except ImageNotFound:
            return None


def _label(found: dict[str, Any] | None) -> str | None:
    labels = ((found or {}).get("Config") or {}).get("Labels") or {}
    value: str | None = labels.get(LABEL)
    return value


@contextmanager
def _alone() -> Iterator[None]:
    """Let one process of this user build at a time: several workers begin a job together."""
    folder = cache_folder("images")
    with boundary(folder):
        folder.mkdir(parents=True, exist_ok=True)
    fd = os.open(folder, os.O_RDONLY | os.O_DIRECTORY)
    try:
        fcntl.flock(fd, fcntl.LOCK_EX)
        yield
    finally:
        os.close(fd)


__all__ = ["Layer"]
