"""Python, the packages of the base installation, and the extras."""

import platform
import re
import sys
from collections.abc import Iterator
from importlib import metadata

from worldtape.pipelines.doctor._component import Component, State

_EXTRAS = {
    "s3": "lakes on object storage",
    "tokens": "token counts by a model's own tokenizer",
    "search": "pages as Markdown, for recorded searches",
    "prove": "training a small model on a corpus",
}
_OLDEST = (3, 11)


def python() -> Iterator[Component]:
    """Yield Python itself, the base packages, and each extra."""
    state: State = "ok" if sys.version_info[:2] >= _OLDEST else "missing"
    yield Component(
        "Python",
        state,
        "everything",
        platform.python_version(),
        fix=None if state == "ok" else "python 3.11",
        required=True,
    )
    wanted = _requirements()
    missing = sorted(name for name in wanted[None] if _version(name) is None)
    yield Component(
        "Python packages",
        "missing" if missing else "ok",
        "everything",
        _version("worldtape"),
        f"not installed: {', '.join(missing)}" if missing else f"{len(wanted[None])} installed",
        "pip install worldtape" if missing else None,
        required=True,
    )
    for extra, purpose in _EXTRAS.items():
        found = [_version(name) for name in wanted.get(extra, ())]
        there = bool(found) and None not in found
        names = ", ".join(wanted.get(extra, ()))
        fix = None if there else f"pip install 'worldtape[{extra}]'"
        yield Component(
            f"extra {extra} ({names})", "ok" if there else "missing", purpose, found[0] if found else None, fix=fix
        )


def _requirements() -> dict[str | None, list[str]]:
    """Return the distributions of the base (key null) and of each extra that belong on this system."""
    found: dict[str | None, list[str]] = {None: []}
    try:
        lines = metadata.requires("worldtape") or []
    except metadata.PackageNotFoundError:
        lines = []
    for line in lines:
        name = re.split(r"[\s<>=!~;\[(]", line, maxsplit=1)[0]
        extra = re.search(r"extra == ['\"]([\w-]+)['\"]", line)
        if "sys_platform == 'linux'" in line.replace('"', "'") and sys.platform != "linux":
            continue
        if name != "worldtape":
            found.setdefault(extra[1] if extra else None, []).append(name)
    return found


def _version(name: str) -> str | None:
    try:
        return metadata.version(name)
    except metadata.PackageNotFoundError:
        return None
