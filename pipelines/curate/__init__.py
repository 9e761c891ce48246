"""Judge every part of a lake: rules, exact duplicates, turn classes, pools, and the funnel."""

from worldtape.pipelines.curate._config import CurateConfig, DuplicatesConfig, PoolsConfig, RulesConfig
from worldtape.pipelines.curate._curate import curate
from worldtape.pipelines.curate._funnel import Funnel, FunnelLine
from worldtape.pipelines.curate._report import CurateReport
from worldtape.pipelines.curate._seal import Seal, check_curated, read_seal

__all__ = [
    "CurateConfig",
    "CurateReport",
    "DuplicatesConfig",
    "Funnel",
    "FunnelLine",
    "PoolsConfig",
    "RulesConfig",
    "Seal",
    "check_curated",
    "curate",
    "read_seal",
]
