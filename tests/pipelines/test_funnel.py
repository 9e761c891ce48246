"""Everything that came in either stayed or left for a reason."""

from __future__ import annotations

import json
from collections import Counter

import pytest
from typer.testing import CliRunner

from tests.pipelines.lakes import Written
from tests.pipelines.tapes import write_tapes
from worldtape.cli._app import app
from worldtape.errors import FormatError
from worldtape.pipelines.curate import curate
from worldtape.pipelines.curate._funnel import Counts, make_funnel
from worldtape.pipelines.project import project


def test_the_golden_funnel(tmp_path):
    write_tapes(tmp_path, 50, steps=8)
    odd = Written(tmp_path, "odd")
    odd.ready()
    odd.step(0)
    odd.step(0)
    odd.seal()
    project(tmp_path, part_size=9, workers=0)
    live = Written(tmp_path, "now")
    report = curate(tmp_path, workers=0)
    live.tape.close()
    found = [(line.stage, line.reason, line.trajectories, line.transitions) for line in report.funnel.lines]
    assert found == [
        ("recorded", None, 52, None),
        ("project", "not_projected", 1, None),
        ("project", "set_aside", 1, None),
        ("projected", None, 50, 50 * 8 - 7 - 1 - 3),
        ("rules", "few_turns", 1, 1),
        ("rules", "infra_error", 0, 1),
        ("rules", "no_observation", 0, 1),
        ("exact_duplicates", "same_trajectory", 1, 8),
        ("kept", None, 48, 378),
    ]
    assert sum(pool["transitions"] for pool in report.funnel.pools.values()) == 378
    assert sum(report.classes.values()) == 378
    assert json.loads((tmp_path / "notes" / "funnel.json").read_text()) == report.funnel.to_dict()


def test_a_trajectory_without_a_turn_left_is_named(tmp_path):
    tape = Written(tmp_path)
    tape.ready()
    for step in range(2):
        tape.step(step, output=f"{step}\r\n", outcome={"status": "unknown"})
    tape.seal()
    project(tmp_path, workers=0)
    funnel = curate(tmp_path, workers=0).funnel
    assert (funnel.line("kept", "no_turn_left").trajectories, funnel.line("kept").trajectories) == (1, 0)
    assert funnel.line("rules", "no_observation").transitions == 2
    assert funnel.line("rules", "nothing").transitions == 0


def test_sums_that_do_not_add_up_are_never_returned():
    counts: Counts = Counter({("projected", None, "trajectories"): 2, ("kept", None, "trajectories"): 1})
    counts["pool", "cpt", "trajectories"] = 1
    with pytest.raises(FormatError, match="does not add up"):
        make_funnel(2, {}, [counts])
    counts["rules", "few_turns", "trajectories"] = 1
    assert make_funnel(2, {}, [counts]).line("kept").trajectories == 1
    with pytest.raises(FormatError, match="does not add up"):
        make_funnel(3, {}, [counts])


def test_the_commands_say_it_too(tmp_path):
    write_tapes(tmp_path / "lake", 20, steps=3)
    run = CliRunner()
    projected = run.invoke(app, ["project", str(tmp_path / "lake"), "--json", "--workers", "0"], catch_exceptions=False)
    assert json.loads(projected.stdout)["trajectories"] == 20
    again = run.invoke(app, ["project", str(tmp_path / "lake"), "--workers", "0"], catch_exceptions=False)
    assert "1 parts, 0 written now" in again.output
    settings = tmp_path / "curate.yaml"
    settings.write_text("rules:\n  few_turns:\n    minimum: 3\n")
    arguments = ["curate", str(tmp_path / "lake"), "--config", str(settings), "--workers", "0"]
    table = run.invoke(app, arguments, catch_exceptions=False)
    assert "rules: few_turns" in table.stdout
    told = json.loads(run.invoke(app, [*arguments, "--json"], catch_exceptions=False).stdout)
    assert told["funnel"]["lines"][0] == {"stage": "recorded", "reason": None, "trajectories": 20, "transitions": None}
    assert {stage["ran"] for stage in told["stages"]} == {0}
