"""A backend that stops to answer costs no item: the run stops, and the same command goes on."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from tests.pipelines._backend import install
from tests.pipelines._record import job, tapes, write_suite
from worldtape.errors import ConfigError
from worldtape.pipelines.record import JobConfig, record
from worldtape.storage import validate

PATIENCE: dict[str, Any] = {"patience_seconds": 0, "concurrency": 1, "retries": 0}


@pytest.fixture
def backend(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    install(
        tmp_path,
        monkeypatch,
        environments="backed = tests.pipelines._backend:BackedKind\ncalls = tests.pipelines._backend:CallsKind",
    )
    path = tmp_path / "backend"
    path.write_text("")
    return path


def backed(tmp_path: Path, backend: Path, *, steps: str = "ls", **fields: Any) -> JobConfig:
    """Return a job over six tasks in the backed environment; fields of `BackendConfig` go there."""
    suite = tmp_path / "suite"
    if not suite.exists():
        write_suite(suite, 6, steps=steps)
    own = {name: fields.pop(name) for name in ("starts", "back") if name in fields}
    return job(suite, environment={"kind": "backed", "backend": str(backend)} | own, **(PATIENCE | fields))


def test_an_outage_stops_the_run_and_uses_up_nothing(tmp_path: Path, backend: Path) -> None:
    wanted = backed(tmp_path, backend, starts=2)
    report = record(wanted, tmp_path / "lake")
    assert (report.solved, report.failed, report.not_started) == (2, 0, 4)
    assert report.stopped is not None
    assert "the backend does not answer" in report.stopped
    assert "the same command goes on" in report.stopped
    backend.write_text("x" * 9)
    again = record(wanted, tmp_path / "lake")
    assert (again.present_solved, again.solved, again.stopped, again.failed) == (2, 4, None, 0)


def test_a_short_outage_is_waited_for(tmp_path: Path, backend: Path) -> None:
    report = record(backed(tmp_path, backend, starts=4, back=True, patience_seconds=30), tmp_path / "lake")
    assert (report.solved, report.retried, report.stopped) == (6, 1, None)
    assert len(tapes(tmp_path / "lake")) == 7


def test_items_that_failed_for_good_are_recorded_again_when_asked(tmp_path: Path, backend: Path) -> None:
    policy = {"kind": "llm", "endpoint": "http://127.0.0.1:1/v1", "model": "none", "retries": 0}
    wanted = backed(tmp_path, backend, policy=policy, limit=1)
    said: list[str] = []
    assert record(wanted, tmp_path / "lake", watch=said.append).failed == 1
    assert said[:2] == ["starting one environment (backed)", "recording"]
    assert said[2].startswith("recording; 1 failed, the newest: the policy failed: ComponentError: ")
    assert record(wanted, tmp_path / "lake").present_failed == 1
    again = record(wanted, tmp_path / "lake", retry_failed=True)
    assert (again.present, again.failed) == (0, 1)
    assert [tape.header["extra"]["attempt"] for tape in tapes(tmp_path / "lake")] == [0, 1]


def test_what_does_not_answer_in_time_is_the_limit(tmp_path: Path, backend: Path) -> None:
    wanted = backed(tmp_path, backend, steps="ls, hang, ls", limit=1, max_seconds=0.3)
    report = record(wanted, tmp_path / "lake")
    assert (report.recorded["limit"], report.steps, report.failed) == (1, 1, 0)
    (tape,) = tapes(tmp_path / "lake")
    assert not validate(tape.path).problems


@pytest.mark.parametrize("policy", [{"kind": "script"}, {"kind": "explore"}, {"kind": "script", "actions": ["ls"]}])
def test_keystrokes_are_for_terminals(tmp_path: Path, backend: Path, policy: dict[str, Any]) -> None:
    environment = {"kind": "calls", "backend": str(backend)}
    with pytest.raises(ConfigError, match="acts by keystrokes; calls takes tool_call; a string of a script"):
        record(job(write_suite(tmp_path / "s"), environment=environment, policy=policy), tmp_path / "lake")
    assert not (tmp_path / "lake").exists()
    call = {"kind": "tool_call", "text": "ls"}
    wanted = job(tmp_path / "s", environment=environment, policy={"kind": "script", "actions": [call]})
    assert record(wanted, tmp_path / "lake").solved == 1
