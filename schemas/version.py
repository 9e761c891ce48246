"""The version of the schema, and how older recordings are lifted to it."""

from collections.abc import Callable, Mapping
from typing import Any

from worldtape.errors import VersionError

SCHEMA_VERSION = "1.0"
"""MAJOR.MINOR. A minor step only adds fields; a major step comes with one function in `UPGRADES`."""

Upgrade = Callable[[dict[str, Any]], dict[str, Any]]
"""A pure function that lifts one event (`kind`, `data`, …) by one major version."""

UPGRADES: dict[int, Upgrade] = {}
"""From major version n to n + 1, applied one after the other. Empty while there is only version 1."""


def major(version: str) -> int:
    """Return the major number of `version`.

    Raises:
        VersionError: `version` is not MAJOR.MINOR.
    """
    head, dot, tail = str(version).partition(".")
    if not (dot and head.isdigit() and tail.isdigit()):
        raise VersionError(f"{version!r} is not a schema version", fix="expected MAJOR.MINOR, as in 1.0")
    return int(head)


def upgrader(
    version: str, *, where: object = None, current: str = SCHEMA_VERSION, upgrades: Mapping[int, Upgrade] = UPGRADES
) -> Upgrade:
    """Return the function that lifts one event of `version` to the current schema.

    Raises:
        VersionError: `version` has a newer major number than this Worldtape can read.
    """
    found, ours = major(version), major(current)
    if found > ours:
        raise VersionError(
            f"written with schema {version}, newer than {current}", where=where, fix="install a newer worldtape"
        )
    chain = [upgrades[step] for step in range(found, ours)]

    def lift(event: dict[str, Any]) -> dict[str, Any]:
        for step in chain:
            event = step(event)
        return event

    return lift
