"""Worldtape: record what real environments do, and curate the corpora that language world models are trained on.

The main calls stand here, loaded when used: `record`, `import_files`, `project`, `curate`, `build_cpt`, `build_sft`,
`export` and `query` do what the commands of these names do; `open_recorder` records a loop of your own; `Lake` is
where it all lies.
"""

from importlib.metadata import version as _version
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from worldtape.pipelines.build import build_cpt, build_sft
    from worldtape.pipelines.curate import curate
    from worldtape.pipelines.exporting import export
    from worldtape.pipelines.importing import import_files
    from worldtape.pipelines.project import project
    from worldtape.pipelines.record import open_recorder, record
    from worldtape.storage import Lake, query

__version__ = _version("worldtape")

_LAZY = {
    "Lake": "storage",
    "build_cpt": "pipelines.build",
    "build_sft": "pipelines.build",
    "curate": "pipelines.curate",
    "export": "pipelines.exporting",
    "import_files": "pipelines.importing",
    "open_recorder": "pipelines.record",
    "project": "pipelines.project",
    "query": "storage",
    "record": "pipelines.record",
}


def __getattr__(name: str) -> Any:
    from importlib import import_module

    if name not in _LAZY:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(f"{__name__}.{_LAZY[name]}"), name)


__all__ = [
    "Lake",
    "__version__",
    "build_cpt",
    "build_sft",
    "curate",
    "export",
    "import_files",
    "open_recorder",
    "project",
    "query",
    "record",
]
