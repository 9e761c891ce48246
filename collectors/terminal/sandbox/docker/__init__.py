"""A sandbox in a container of a Docker daemon."""

from worldtape.collectors.terminal.sandbox.docker._client import connect, host
from worldtape.collectors.terminal.sandbox.docker._reap import leftovers, reap, title
from worldtape.collectors.terminal.sandbox.docker._sandbox import Docker

__all__ = ["Docker", "connect", "host", "leftovers", "reap", "title"]
