"""Wire the rooms and run them on Dask: record, import, project, curate, build."""

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from worldtape.pipelines.build import BuildReport, CptConfig, SftConfig, build_cpt, build_sft
    from worldtape.pipelines.curate import CurateConfig, CurateReport, Funnel
    from worldtape.pipelines.exporting import ExportReport, export
    from worldtape.pipelines.importing import ImportReport, import_files
    from worldtape.pipelines.project import ProjectReport
    from worldtape.pipelines.record import JobConfig, RecordReport, open_recorder

_LAZY = {
    "BuildReport": "build",
    "CptConfig": "build",
    "CurateConfig": "curate",
    "CurateReport": "curate",
    "ExportReport": "exporting",
    "Funnel": "curate",
    "ImportReport": "importing",
    "JobConfig": "record",
    "ProjectReport": "project",
    "RecordReport": "record",
    "SftConfig": "build",
    "build_cpt": "build",
    "build_sft": "build",
    "export": "exporting",
    "import_files": "importing",
    "open_recorder": "record",
}


def __getattr__(name: str) -> Any:
    from importlib import import_module

    if name not in _LAZY:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(f"{__name__}.{_LAZY[name]}"), name)


__all__ = [
    "BuildReport",
    "CptConfig",
    "CurateConfig",
    "CurateReport",
    "ExportReport",
    "Funnel",
    "ImportReport",
    "JobConfig",
    "ProjectReport",
    "RecordReport",
    "SftConfig",
    "build_cpt",
    "build_sft",
    "export",
    "import_files",
    "open_recorder",
]
