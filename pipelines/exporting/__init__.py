"""A lake in the formats of others."""

from worldtape.pipelines.exporting._export import export
from worldtape.pipelines.exporting._report import ExportReport, LeftOut
from worldtape.pipelines.exporting.formats import EXPORTERS

__all__ = ["EXPORTERS", "ExportReport", "LeftOut", "export"]
