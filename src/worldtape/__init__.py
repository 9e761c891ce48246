"""Worldtape: record what real environments do, and curate the corpora that language world models are trained on."""

from importlib.metadata import version as _version

__version__ = _version("worldtape")

__all__ = ["__version__"]
