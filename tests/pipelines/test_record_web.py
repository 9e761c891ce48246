"""A job in a browser: the solution of a task is played, and judged by what the site holds."""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import Any

import pytest

from tests.collectors.web._needs import needs_chromium
from tests.pipelines._record import job, tapes
from worldtape.collectors.tasks import TaskFile
from worldtape.errors import ConfigError
from worldtape.pipelines.record import JobConfig, record
from worldtape.pipelines.record.web import WebKind
from worldtape.schemas import EventKind

_NOTHING: Any = None
TASK = """
id: t/{name}
instruction: Sign in.
start: {{site: forum, site_seed: 1, url: /login, html: false, screenshot: none, bodies: none}}
solution:
  - {{fill: {{textbox: Name}}, value: lena_k}}
  - {{fill: {{textbox: Password}}, value: soldering9}}
  - {{click: {{button: Sign in}}}}
verifier: {{user: {user}}}
"""


@pytest.mark.web
def test_a_solution_is_played_and_judged(tmp_path: Path) -> None:
    needs_chromium()
    suite = tmp_path / "suite"
    suite.mkdir()
    for name, user in (("right", "lena_k"), ("wrong", "paolo")):
        (suite / f"t-{name}.yaml").write_text(TASK.format(name=name, user=user))
    report = record(job(suite, environment={"kind": "web"}), tmp_path / "lake")
    assert (report.recorded["completed"], report.solved, report.judged, report.steps) == (2, 1, 2, 6)
    for tape in tapes(tmp_path / "lake"):
        events = list(tape.events())
        aims = [event.data["target"]["name"] for event in events if event.kind == EventKind.ACTION]
        assert aims == ["Name", "Password", "Sign in"]
        (verdict,) = [event.data for event in events if event.data.get("code") == "verifier"]
        unmet = [] if tape.header["task"]["id"] == "t/right" else ["user is 'lena_k', not 'paolo'"]
        assert verdict["unmet"] == unmet


def test_what_is_no_step_is_named() -> None:
    for step in ({"jump": 3}, ({"keystrokes": "ls"},)):
        task = TaskFile(id="a", instruction="x", solution=(step,))
        with pytest.raises(ConfigError, match="task a"):
            WebKind.player(task)


def test_a_shell_command_verifies_no_site() -> None:
    with pytest.raises(ConfigError, match="no shell command"):
        asyncio.run(WebKind().verify(_NOTHING, TaskFile(id="a", instruction="x", verifier="true"), timeout_s=1))


def test_the_suite_follows_the_environment() -> None:
    assert JobConfig(name="x").suite == "terminal-core"
    assert JobConfig(name="x", environment={"kind": "web"}).suite == "web-core"
    assert JobConfig(name="x", environment={"kind": "web"}, suite="mine").suite == "mine"
