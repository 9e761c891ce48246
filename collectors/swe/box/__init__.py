"""A container whose files and processes are reached from outside."""

from worldtape.collectors.swe.box.box import Box
from worldtape.collectors.swe.box.entry import Entry
from worldtape.collectors.swe.box.ran import Ran

__all__ = ["Box", "Entry", "Ran"]
