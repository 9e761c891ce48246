"""A container as a terminal's sandbox makes it, with a runner in the place of a shell."""

from __future__ import annotations

import asyncio
from contextlib import suppress
from typing import Any

from worldtape.collectors.swe.box._link import Link
from worldtape.collectors.terminal.sandbox.docker._client import explained
from worldtape.collectors.terminal.sandbox.docker._sandbox import Docker
from worldtape.errors import ComponentError


class Container(Docker):
    """Made, limited, watched and removed like any other container of ours."""

    @property
    def name(self) -> str:
        """How it is called in messages."""
        return "container" if self._container is None else f"container {self._container[:12]}"

    def _image(self) -> dict[str, Any]:
        from worldtape.collectors.swe.image import IMAGE

        return self._named(self.config.image or IMAGE.ensure().name)

    async def link(self, user: str | None = None) -> Link:
        """Start a runner.

        Args:
            user: who it runs as, and everything that it is asked to run; none: the image's own.

        Raises:
            LinkLostError: it does not start.
            ComponentError: the daemon or the container is gone.
        """
        if self._container is None:
            raise ComponentError("the container is not running", where="docker", fix="use the box with `async with`")
        with explained(self.name):
            options = self._options() | ({"user": user} if user else {})
            return await Link.open(self._client, self._container, options)

    async def running(self) -> bool:
        """Ask the daemon whether it runs."""
        from docker.errors import DockerException
        from requests.exceptions import RequestException

        if self._container is None:
            return False
        with suppress(DockerException, RequestException):
            found = await asyncio.to_thread(self._client.inspect_container, self._container)
            return bool(found["State"]["Running"])
        return False


__all__ = ["Container"]
