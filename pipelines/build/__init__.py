"""Corpora from a curated lake: CPT and SFT, as Parquet that `datasets` loads."""

from worldtape.pipelines.build._build import build_cpt, build_sft
from worldtape.pipelines.build._config import BuildConfig, CptConfig, SftConfig
from worldtape.pipelines.build._report import BuildReport
from worldtape.pipelines.build._text import read_action, read_observation, read_prediction, read_state

__all__ = [
    "BuildConfig",
    "BuildReport",
    "CptConfig",
    "SftConfig",
    "build_cpt",
    "build_sft",
    "read_action",
    "read_observation",
    "read_prediction",
    "read_state",
]
