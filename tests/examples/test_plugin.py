"""examples/plugin: a policy and a filter that an installed package brings."""

from __future__ import annotations

import tomllib
from pathlib import Path

import pytest

from tests.filters.frames import frame
from tests.pipelines._backend import install
from tests.pipelines._record import job, tapes, write_suite
from worldtape.collectors.policies import POLICIES
from worldtape.errors import ConfigError
from worldtape.filters import judge
from worldtape.pipelines.curate import CurateConfig
from worldtape.pipelines.record import record

PLUGIN = Path(__file__).resolve().parents[2] / "examples" / "plugin"


@pytest.fixture(autouse=True)
def _installed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    points = tomllib.loads((PLUGIN / "pyproject.toml").read_text())["project"]["entry-points"]
    lines = {
        group.partition(".")[2]: "\n".join(f"{name} = {value}" for name, value in found.items())
        for group, found in points.items()
    }
    install(tmp_path, monkeypatch, environments="backed = tests.pipelines._backend:BackedKind", **lines)
    monkeypatch.syspath_prepend(str(PLUGIN))


def test_the_policy_acts_and_gets_the_items_seed(tmp_path: Path) -> None:
    (tmp_path / "backend").write_text("")
    environment = {"kind": "backed", "backend": str(tmp_path / "backend")}
    wanted = job(write_suite(tmp_path / "s"), environment=environment, policy={"kind": "knock", "words": ["a", "b"]})
    assert record(wanted, tmp_path / "lake").steps == 2
    (tape,) = tapes(tmp_path / "lake")
    assert tape.header["policy"]["seed"] == tape.header["extra"]["seed"]
    with pytest.raises(ConfigError, match="did you mean 'words'"):
        POLICIES["knock"].from_config({"word": ["a"]})


def test_the_filter_judges() -> None:
    settings = CurateConfig.model_validate({"rules": {"plugins": {"too_wide": {"most": 5}}}})
    *_, chosen = settings.rules.filters()
    judged = judge(chosen, frame({"observation_text": "ab\nabcdef"}, {"observation_text": "ab\n\nabcde"}))
    assert judged["keep"].to_list() == [False, True]
    assert judged["reason"].to_list() == ["too_wide", None]
    assert judged["score"].to_list() == [6.0, 5.0]
