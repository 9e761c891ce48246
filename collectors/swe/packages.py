"""Real packages of the package index as sources with their tests, kept in a cache.

    python -m worldtape.collectors.swe.packages [NAME…]

fetches them (all three without a name) and prints where they are.
"""

from __future__ import annotations

import re
import subprocess
import sys
import tempfile
from dataclasses import dataclass
from pathlib import Path

from worldtape.collectors.cache import cache_folder
from worldtape.errors import ComponentError, ConfigError

_FETCH_S = 600


@dataclass(frozen=True, slots=True)
class Package:
    """One release whose sources hold its tests, and need nothing but Python and pytest."""

    name: str
    version: str
    sha256: str
    """Of the source archive."""
    test_command: str = "python3 -m pytest -q"


KNOWN = {
    one.name: one
    for one in (
        Package("inflection", "0.5.1", "1a29730d366e996aaacffb2f1f1cb9593dc38e2ddd30c91250c6dde09ea9b417"),
        Package("tabulate", "0.8.10", "6c57f3f3dd7ac2782770155f3adb2db0b1a269637e42f27599925e64b114f519"),
        Package("toolz", "1.0.0", "2c86e3d9a04798ac556793bced838816296a2f085017664e4995cb40a1047a02"),
    )
}
"""Packages that are tried: pure Python, 175 to 455 tests each, run in about a second."""
_PINNED = re.compile(r"(?P<name>[A-Za-z0-9][A-Za-z0-9._-]*)==(?P<version>[A-Za-z0-9.!+_-]+)")


def folder() -> Path:
    """Return where they are kept."""
    return cache_folder("sdists")


def find(wanted: str) -> Package:
    """Return the package of a name that is known here, or of any `name==version`.

    Raises:
        ConfigError: it is neither.
    """
    if wanted in KNOWN:
        return KNOWN[wanted]
    pinned = _PINNED.fullmatch(wanted)
    if pinned is None:
        fix = f"write name==version, or one of {', '.join(KNOWN)}"
        raise ConfigError(f"{wanted!r} names no release", where="package", fix=fix)
    known = KNOWN.get(pinned["name"])
    return known if known and known.version == pinned["version"] else Package(pinned["name"], pinned["version"], "")


def sdist(wanted: str) -> Path:
    """Return the source archive of a package (see `find`), fetched by pip where the cache has none.

    pip runs the package's own build script to read its metadata: name packages that you trust.

    Raises:
        ConfigError: `wanted` names no release.
        ComponentError: pip is missing, or cannot get it.
    """
    package = find(wanted)
    path = folder() / f"{package.name}-{package.version}.tar.gz"
    if not path.is_file():
        _fetch(package, path)
    return path


def _fetch(package: Package, path: Path) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(dir=path.parent, prefix=".") as place:
        asked = Path(place, "requirements.txt")
        pin = f" --hash=sha256:{package.sha256}" if package.sha256 else ""
        asked.write_text(f"{package.name}=={package.version}{pin}\n", encoding="utf-8")
        words = ["download", "--quiet", "--no-deps", "--no-binary", ":all:", "-d", place, "-r", str(asked)]
        try:
            done = subprocess.run(
                [sys.executable, "-m", "pip", *words],
                capture_output=True,
                text=True,
                timeout=_FETCH_S,
                check=False,
            )
        except subprocess.TimeoutExpired as error:
            raise ComponentError(f"pip did not end within {_FETCH_S} s", where=package.name) from error
        found = sorted(Path(place).glob("*.tar.gz"))
        if done.returncode != 0 or not found:
            lines = [line for line in done.stderr.splitlines() if line.startswith("ERROR") or "No module" in line]
            said = lines[-1] if lines else "there is no source archive"
            fix = f"put {path.name} into {path.parent} yourself"
            raise ComponentError(f"not fetched: {said}", where=f"{package.name}=={package.version}", fix=fix)
        found[0].replace(path)


def main(words: list[str]) -> int:
    """Fetch what is named, or everything known."""
    try:
        for name in words or KNOWN:
            sys.stdout.write(f"{sdist(name)}\n")
    except (ComponentError, ConfigError) as error:
        sys.stderr.write(f"worldtape: {error}\n")
        return 1
    return 0


__all__ = ["KNOWN", "Package", "find", "folder", "sdist"]

if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
