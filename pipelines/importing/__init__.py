"""Other people's recordings onto tapes."""

from worldtape.pipelines.importing._import import import_files
from worldtape.pipelines.importing._report import FormatReport, ImportReport, Quarantined

__all__ = ["FormatReport", "ImportReport", "Quarantined", "import_files"]
