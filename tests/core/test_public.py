"""What others may rely on is pinned: a name that goes or comes is a decision, not an accident."""

from __future__ import annotations

from importlib import import_module

import pytest

import worldtape

PUBLIC = {
    "worldtape": "Lake __version__ build_cpt build_sft curate export import_files open_recorder project query record",
    "worldtape.testing": "FakeEnvironment ListTape",
    "worldtape.pipelines.record": "JobConfig Outcome RecordReport Verdict job_schema open_recorder read_job record",
    "worldtape.pipelines.exporting": "EXPORTERS ExportReport LeftOut export",
    "worldtape.pipelines.importing": "FormatReport ImportReport Quarantined import_files",
    "worldtape.pipelines.project": "ProjectReport project unprojected",
    "worldtape.pipelines.build": (
        "BuildConfig BuildReport CptConfig SftConfig build_cpt build_sft read_action read_observation read_prediction"
        " read_state"
    ),
    "worldtape.collectors.policies": (
        "Explore ExploreConfig ExploreDesktop ExploreDesktopConfig ExploreRepo ExploreRepoConfig ExploreTools"
        " ExploreToolsConfig ExploreUi ExploreUiConfig ExploreWeb ExploreWebConfig Human HumanConfig Llm LlmConfig"
        " POLICIES Replay ReplayConfig Script ScriptConfig"
    ),
    "worldtape.collectors.tasks": "Setup Stroke Suite TaskFile load_suite suites unmet",
}


@pytest.mark.parametrize(("module", "names"), PUBLIC.items())
def test_names_are_pinned(module: str, names: str) -> None:
    assert set(import_module(module).__all__) == set(names.split())


@pytest.mark.parametrize("module", [*PUBLIC, "worldtape.collectors", "worldtape.storage", "worldtape.schemas"])
def test_every_name_is_there_and_explained(module: str) -> None:
    found = import_module(module)
    for name in found.__all__:
        value = getattr(found, name)
        assert not callable(value) or value.__doc__, name


def test_an_unknown_name_is_an_attribute_error() -> None:
    with pytest.raises(AttributeError, match="no attribute 'recrod'"):
        _ = worldtape.recrod
