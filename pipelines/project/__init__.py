"""Tapes into the two tables of the lake: a pure function, run again whenever it was wrong."""

from worldtape.pipelines.project._missing import unprojected
from worldtape.pipelines.project._project import project
from worldtape.pipelines.project._report import ProjectReport

__all__ = ["ProjectReport", "project", "unprojected"]
