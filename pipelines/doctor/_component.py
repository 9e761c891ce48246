"""One thing that Worldtape can use."""

import platform
from dataclasses import dataclass
from typing import Literal

State = Literal["ok", "limited", "missing"]


@dataclass(frozen=True, slots=True)
class Component:
    """A component as it was found."""

    name: str
    """As a person calls it."""
    state: State
    """`limited`: it works, but not all of it."""
    needed_for: str
    """What goes without it when it is missing."""
    version: str | None = None
    detail: str | None = None
    """What is limited or missing, in a few words."""
    fix: str | None = None
    """The command that brings it; null where nothing is to be done."""
    required: bool = False
    """Whether a command of today does not work without it."""


def by_system(linux: str, mac: str | None = None) -> str:
    """Return the command for the system that this runs on."""
    return mac if mac is not None and platform.system() == "Darwin" else linux
