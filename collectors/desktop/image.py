"""The container image that a recorded desktop runs in: Debian's packages on top of the terminal's image.

    python -m worldtape.collectors.desktop.image

makes sure that it is there, and prints its name and digest. The packages come from the mirrors that apt knows inside
the image, over this machine's network: any Docker daemon that reaches one can build it.
"""

from __future__ import annotations

import hashlib
import os
import sys
import time
from typing import Any

from worldtape.collectors.terminal.image import ImageFound
from worldtape.collectors.terminal.image import ensure_image as ensure_base
from worldtape.collectors.terminal.sandbox.docker._client import connect, explained
from worldtape.collectors.terminal.sandbox.docker._owner import LABEL as OWNER
from worldtape.collectors.terminal.sandbox.docker._owner import own
from worldtape.collectors.terminal.sandbox.docker._pull import split
from worldtape.collectors.terminal.sandbox.docker._recipe import LABEL, default_image
from worldtape.errors import ComponentError

PROGRAMS = ("mousepad", "thunar", "galculator")
"""The programs that are used: a text editor, a file manager, a calculator; all GTK 3, since GTK 2 does not say which of
its menus is open."""
PACKAGES = (
    *("xvfb", "openbox", "xdotool", "dbus", "at-spi2-core"),
    *("python3", "python3-gi", "python3-xlib"),
    *("adwaita-icon-theme", "fonts-dejavu-core", "shared-mime-info", "tzdata"),
    *PROGRAMS,
)
USER = "user"
"""Who uses the desktop; the home directory is `/home/user`."""
_INSTALL = """
set -e
export DEBIAN_FRONTEND=noninteractive
echo force-unsafe-io > /etc/dpkg/dpkg.cfg.d/worldtape
for left in doc man locale; do echo "path-exclude=/usr/share/$left/*" >> /etc/dpkg/dpkg.cfg.d/worldtape; done
if [ -f /etc/apt/sources.list ] && grep -qs ubuntu /etc/os-release; then
    sed -i 's/ main$/ main universe/' /etc/apt/sources.list
fi
apt-get update -qq
apt-get install -y -qq --no-install-recommends $PACKAGES
id user >/dev/null 2>&1 || useradd --create-home --shell /bin/bash user
mkdir -p /tmp/.X11-unix /etc/xdg/xfce4/xfconf/xfce-perchannel-xml
details='<property name="last-view" type="string" value="ThunarDetailsView"/>'  # its icon view is mute
echo '<channel name="thunar" version="1.0">'"$details</channel>" > /etc/xdg/xfce4/xfconf/xfce-perchannel-xml/thunar.xml
rm -rf /var/lib/apt/lists/* /var/cache/apt/* /var/log/*
"""
_PROXIES = ("http_proxy", "https_proxy", "no_proxy")
_LIMIT_S = 900


def image_name() -> str:
    """Return the name of the image that is built here; its tag is the release, as of the terminal's."""
    return f"worldtape/desktop:{split(default_image())[1]}"


def recipe_hash() -> str:
    """Return the hash of everything that decides what is built."""
    return hashlib.sha256("\n".join((*PACKAGES, _INSTALL)).encode()).hexdigest()[:16]


def ensure_image(name: str | None = None) -> ImageFound:
    """Return an image that the daemon holds, after building ours where it is missing or of an older recipe.

    Args:
        name: another image, which must be there; none: ours.

    Raises:
        ComponentError: no daemon answers, the image is not there, or it cannot be built; the message says why.
    """
    ours = image_name()
    client: Any = connect(timeout_s=_LIMIT_S)
    try:
        found = _inspect(client, name or ours)
        labels = ((found or {}).get("Config") or {}).get("Labels") or {}
        if found is not None and (name not in {None, ours} or labels.get(LABEL) == recipe_hash()):
            return ImageFound(name or ours, str(found["Id"]), "local")
        if name not in {None, ours}:
            raise ComponentError("there is no such image", where=name, fix=f"docker pull {name}, or leave it out")
        with explained(ours):
            _build(client, ours)
            return ImageFound(ours, str(client.inspect_image(ours)["Id"]), "built")
    finally:
        client.close()


def _inspect(client: Any, name: str) -> dict[str, Any] | None:
    from docker.errors import ImageNotFound

    with explained(name):
        try:
            return dict(client.inspect_image(name))
        except ImageNotFound:
            return None


def _build(client: Any, name: str) -> None:
    repository, tag = split(name)
    proxies = {key: os.environ[key] for key in _PROXIES if os.environ.get(key)}
    made = client.create_container(
        ensure_base().name,
        command=["sh", "-c", f"PACKAGES=$*\n{_INSTALL}", "sh", *PACKAGES],
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
            raise ComponentError(what, where=name, fix="see that this machine reaches a Debian mirror")
        env = ["LANG=C.UTF-8", "PATH=/usr/local/bin:/usr/bin:/bin:/usr/games", *(f"{key}=" for key in proxies)]
        conf = {"Env": env, "Cmd": ["/bin/bash"]}
        labels = {LABEL: recipe_hash(), OWNER: ""}  # else its containers were taken for those of this process
        client.commit(made, repository=repository, tag=tag, conf=conf | {"Labels": labels, "WorkingDir": "/home/user"})
    finally:
        client.remove_container(made, force=True, v=True)


def main() -> int:
    """Make sure that the image is there."""
    start = time.monotonic()
    try:
        found = ensure_image()
    except ComponentError as error:
        sys.stderr.write(f"worldtape: {error}\n")
        return 1
    sys.stderr.write(f"{found.how} in {time.monotonic() - start:.1f} s\n")
    sys.stdout.write(f"{found.name} {found.digest}\n")
    return 0


__all__ = ["PACKAGES", "PROGRAMS", "USER", "ensure_image", "image_name", "recipe_hash"]

if __name__ == "__main__":
    sys.exit(main())
