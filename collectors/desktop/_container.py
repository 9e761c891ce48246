"""The container of a desktop, made and removed like that of a terminal, with a session in the place of a shell."""

from __future__ import annotations

import asyncio
import io
import tarfile
from contextlib import suppress
from pathlib import Path
from typing import Any

from worldtape.collectors.desktop._link import LOG, Link
from worldtape.collectors.desktop.config import CODE
from worldtape.collectors.terminal.sandbox.docker._client import explained
from worldtape.collectors.terminal.sandbox.docker._sandbox import Docker
from worldtape.errors import ComponentError, WorldtapeError

_INSIDE = Path(__file__).with_name("inside")
_NAME = "container"
_ANSWER_S = 10.0


class Container(Docker):
    """Made, limited, watched and removed like any other container of ours."""

    @property
    def id(self) -> str | None:
        """Docker's id of it; None before the start and after the end."""
        return self._container

    def _image(self) -> dict[str, Any]:
        from worldtape.collectors.desktop.image import IMAGE

        found = IMAGE.ensure(self.config.image)
        with explained(found.name):
            return dict(self._client.inspect_image(found.name)) | {"Name": found.name}

    async def link(self) -> Link:
        """Put our code into the container and start the session.

        Raises:
            ComponentError: the daemon or the container is gone.
        """
        if self._container is None:
            raise ComponentError("the container is not running", where="docker")
        with explained(_NAME):
            await asyncio.to_thread(self._client.put_archive, self._container, "/", _archive())
            return await Link.open(self._client, self._container, self._options())

    async def answers(self) -> bool:
        """Whether it still runs commands: the daemon learns late that a container has died."""
        with suppress(WorldtapeError, OSError):
            return (await self.run(["true"], timeout_s=_ANSWER_S)).exit_code == 0
        return False

    async def log(self) -> str:
        """Return the last line that the session wrote before it failed; "" where there is none."""
        with suppress(WorldtapeError, OSError):
            return (await self.run(["tail", "-n", "1", LOG], timeout_s=10)).text.strip()
        return ""


def _archive() -> bytes:
    """Return our code as a tar archive, below the root of the container."""
    data = io.BytesIO()
    with tarfile.open(fileobj=data, mode="w") as archive:
        for path in sorted(_INSIDE.glob("*.py")):
            archive.add(path, f"{CODE[1:]}/worldtape/collectors/desktop/inside/{path.name}", filter=_owned)
        archive.add(_INSIDE / "pyautogui.py", f"{CODE[1:]}/pyautogui.py", filter=_owned)
    return data.getvalue()


def _owned(entry: tarfile.TarInfo) -> tarfile.TarInfo:
    entry.uid = entry.gid = 0
    entry.uname = entry.gname = "root"
    entry.mode = 0o644
    return entry


__all__ = ["Container"]
