"""How our own image is built: a minimal system of this machine's own release, from the mirror it uses itself."""

from __future__ import annotations

import hashlib
import os
import re
import shutil
import subprocess
import tempfile
from pathlib import Path
from typing import Any

from worldtape.collectors.terminal.sandbox.docker._pull import split
from worldtape.errors import ComponentError

PACKAGES = ("python3-minimal", "git", "procps", "tmux", "less", "vim-tiny", "nano")
"""What is added to a minimal system."""
LABEL = "worldtape.recipe"
_CHANGES = ("ENV LANG=C.UTF-8", 'CMD ["/bin/bash"]')
_BUILDS = ("debian", "ubuntu")


def default_image() -> str:
    """Return the name of the image that this machine would build."""
    release = _release()
    if release.get("ID") in _BUILDS and release.get("VERSION_CODENAME"):
        return f"worldtape/{release['ID']}:{release['VERSION_CODENAME']}"
    return "worldtape/debian:bookworm"


def _release() -> dict[str, str]:
    path = Path("/etc/os-release")
    lines = path.read_text().splitlines() if path.is_file() else []
    pairs = (line.partition("=") for line in lines if "=" in line)
    return {key: value.strip("\"'") for key, _, value in pairs}


def recipe_hash() -> str:
    """Return the hash of everything that decides what is built."""
    recipe = "\n".join((default_image(), *PACKAGES, *_CHANGES))
    return hashlib.sha256(recipe.encode()).hexdigest()[:16]


def mirror(folder: Path = Path("/etc/apt"), suite: str | None = None) -> str | None:
    """Return the address of the mirror that this machine takes its own packages of `suite` from."""
    suite = suite or _release().get("VERSION_CODENAME", "")
    paths = [folder / "sources.list", *sorted((folder / "sources.list.d").glob("*"))]
    for path in paths:
        if not path.is_file():
            continue
        text = path.read_text(errors="replace")
        found = _from_stanzas(text, suite) if path.suffix == ".sources" else _from_lines(text, suite)
        if found is not None:
            return found
    return None


def _from_lines(text: str, suite: str) -> str | None:
    for line in text.splitlines():
        words = re.sub(r"\[[^]]*]", "", line).split()
        if len(words) > 3 and words[0] == "deb" and words[2] == suite and "main" in words[3:]:  # noqa: PLR2004
            return words[1]
    return None


def _from_stanzas(text: str, suite: str) -> str | None:
    for stanza in re.split(r"\n\s*\n", text):
        fields = dict(re.findall(r"^([\w-]+):[ \t]*(.*)$", stanza, re.MULTILINE))
        known = fields.get("Enabled", "yes") != "no" and "deb" in fields.get("Types", "").split()
        if known and suite in fields.get("Suites", "").split() and "main" in fields.get("Components", "").split():
            return str(fields["URIs"]).split()[0]
    return None


def build(client: Any, name: str) -> None:
    """Make a minimal system by debootstrap and import it as an image.

    Raises:
        ComponentError: this machine cannot, and why.
    """
    release = _release()
    if os.geteuid() != 0 or release.get("ID") not in _BUILDS:
        raise ComponentError("not built: that needs root on Debian or Ubuntu")
    source = mirror()
    if source is None:
        raise ComponentError("not built: apt's sources name no mirror of this release")
    if shutil.which("debootstrap") is None:
        raise ComponentError("not built: debootstrap is missing (apt-get install debootstrap)")
    with tempfile.TemporaryDirectory(prefix="image-") as folder:
        root = str(Path(folder, "root"))
        options = ["--variant=minbase", f"--include={','.join(PACKAGES)}"]
        done = subprocess.run(
            ["debootstrap", *options, release["VERSION_CODENAME"], root, source],
            capture_output=True,
            text=True,
            check=False,
        )
        if done.returncode != 0:
            lines = (done.stdout + done.stderr).strip().splitlines()
            raise ComponentError(f"not built: debootstrap says {lines[-1] if lines else done.returncode}")
        _import(client, root, name)


def _import(client: Any, root: str, name: str) -> None:
    repository, tag = split(name)
    with tempfile.TemporaryFile() as archive:
        subprocess.run(
            ["tar", "-C", root, "--exclude=./var/cache/apt/archives/*.deb", "-c", "."], stdout=archive, check=True
        )
        archive.seek(0)
        changes = [*_CHANGES, f"LABEL {LABEL}={recipe_hash()}"]
        client.import_image_from_data(archive, repository=repository, tag=tag, changes=changes)
