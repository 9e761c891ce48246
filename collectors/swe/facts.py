"""What a repository holds in the end, for who judges a trajectory."""

from __future__ import annotations

import io
import tarfile
from typing import Any

from worldtape.collectors.swe.box import Box
from worldtape.collectors.swe.probe import look

_MOST_FILES, _MOST_BYTES = 2000, 1 << 20


async def repository_facts(box: Box) -> dict[str, Any]:
    """Return the state (see `Look.state`; nothing where git cannot be asked) and `files`: path to text.

    Of very many files, of a long one, the first part counts; what is no UTF-8 is null.

    Raises:
        ComponentError: the container is gone.
    """
    seen = await look(box)
    state = {} if seen is None else seen.state()
    return state | {"files": _texts(await box.pack())}


def _texts(archive: bytes) -> dict[str, str | None]:
    found: dict[str, str | None] = {}
    with tarfile.open(fileobj=io.BytesIO(archive)) as tar:
        for member in tar:
            if not member.isreg() or member.name.split("/", 1)[0] == ".git":
                continue
            if len(found) == _MOST_FILES:
                break
            file = tar.extractfile(member)
            data = b"" if file is None else file.read(_MOST_BYTES)
            try:
                found[member.name] = data.decode()
            except UnicodeDecodeError:
                found[member.name] = None
    return found


__all__ = ["repository_facts"]
