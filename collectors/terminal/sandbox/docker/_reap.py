"""The containers of recorders that are gone."""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from worldtape.collectors.terminal.sandbox.docker._client import connect
from worldtape.collectors.terminal.sandbox.docker._owner import LABEL, gone
from worldtape.errors import ComponentError


@contextmanager
def _client(given: Any) -> Iterator[Any]:
    """Give the caller's client, or one that is closed again."""
    client = given or connect()
    try:
        yield client
    finally:
        if given is None:
            client.close()


def leftovers(client: Any = None) -> list[dict[str, Any]]:
    """Return Docker's entry of every container whose recorder is gone; none where no daemon answers."""
    from docker.errors import DockerException

    try:
        with _client(client) as docker:
            found = docker.containers(all=True, filters={"label": LABEL})
    except (ComponentError, DockerException, OSError):
        return []
    owned = [entry for entry in found if entry["Labels"][LABEL]]  # an image that was made of a container says ""
    return [entry for entry in owned if gone(entry["Labels"][LABEL]) or _dead_for_long(entry)]


def title(entry: dict[str, Any]) -> str:
    """Return how a container is called in messages."""
    names = entry.get("Names") or [entry["Id"][:12]]
    return f"container {names[0].lstrip('/')}"


def _dead_for_long(entry: dict[str, Any]) -> bool:
    """A stopped container of an earlier boot, or of another machine: nobody will come back for it."""
    return gone(entry["Labels"][LABEL]) is None and entry.get("State") in {"exited", "dead"}


def reap(client: Any = None) -> list[str]:
    """Remove the containers whose recorder is gone; return their names."""
    from docker.errors import DockerException

    removed: list[str] = []
    found = leftovers(client)
    if not found:
        return removed
    with _client(client) as docker:
        for entry in found:
            try:
                docker.remove_container(entry["Id"], force=True, v=True)
            except (DockerException, OSError):
                continue
            removed.append(title(entry))
    return removed
