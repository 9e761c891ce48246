"""Importers: one file and one small class for each foreign format."""

from worldtape.schemas import Registry

IMPORTERS = Registry("format", {}, group="worldtape.importers")
"""Format name to importer class; other packages add theirs by entry points of the group `worldtape.importers`."""

__all__ = ["IMPORTERS"]
