"""The Docker daemon, found as Docker's own command line finds it."""

from __future__ import annotations

import os
import socket
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from typing import TYPE_CHECKING

from worldtape.errors import ComponentError

if TYPE_CHECKING:
    from docker import APIClient

_DEFAULT = "unix:///var/run/docker.sock"
_START = "start it (systemctl start docker, or dockerd &, or Docker Desktop), or use the sandbox 'local'"


def host() -> str:
    """Return the daemon's address: DOCKER_HOST, else the current context's, else Docker's default."""
    if os.environ.get("DOCKER_HOST"):
        return os.environ["DOCKER_HOST"]
    with suppress(Exception):
        from docker.context import ContextAPI

        return str(ContextAPI.get_current_context().Host or _DEFAULT)
    return _DEFAULT


def connect(*, timeout_s: int = 60) -> APIClient:
    """Return a client of a daemon that answers.

    Raises:
        ComponentError: none does; the message says how to start one.
    """
    from docker import APIClient
    from docker.errors import DockerException
    from docker.utils import kwargs_from_env

    where = host()
    settings = kwargs_from_env()
    settings.setdefault("base_url", where)
    try:
        _knock(settings["base_url"])
        return APIClient(version="auto", timeout=timeout_s, **settings)
    except (DockerException, OSError) as error:
        why = _root_cause(error)
        raise ComponentError(f"the Docker daemon does not answer ({why})", where=where, fix=_START) from error


def _knock(address: str) -> None:
    """Connect once to a local socket; docker-py would leave a failed one open."""
    if address.startswith("unix://"):
        with socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as door:
            door.settimeout(10)
            door.connect("/" + address.removeprefix("unix://").lstrip("/"))


def _root_cause(error: BaseException) -> str:
    """Return what the operating system said, below what each library wrapped around it; else the innermost words."""
    found = list(_within(error, set()))
    for inner in found:
        if isinstance(inner, TimeoutError) or "timed out" in str(inner):
            return "timed out"
        if isinstance(inner, OSError) and inner.errno is not None and inner.strerror:
            return inner.strerror.lower()
    text = next((text for inner in found if (text := str(inner).strip())), type(error).__name__)
    return text.splitlines()[0]


def _within(error: object, seen: set[int]) -> Iterator[BaseException]:
    """Yield the errors that `error` holds or came from, the innermost first."""
    if id(error) in seen:
        return
    seen.add(id(error))
    if isinstance(error, tuple):
        for part in error:
            yield from _within(part, seen)
    elif isinstance(error, BaseException):
        for part in (*error.args, getattr(error, "reason", None), error.__cause__, error.__context__):
            yield from _within(part, seen)
        yield error


@contextmanager
def explained(where: str) -> Iterator[None]:
    """Turn what the daemon refuses into one line of ours."""
    from docker.errors import APIError, DockerException
    from requests.exceptions import RequestException

    try:
        yield
    except APIError as error:
        raise ComponentError(str(error.explanation or error).strip(), where=where) from error
    except (DockerException, RequestException, OSError) as error:
        raise ComponentError(f"the Docker daemon is gone ({_root_cause(error)})", where=where, fix=_START) from error
