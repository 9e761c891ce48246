"""`record`: every item once, whatever happened before."""

from __future__ import annotations

import asyncio
import json
from typing import Any

import pytest

from tests.collectors.terminal._needs import IMAGE, needs
from tests.pipelines._record import by_item, cli, end_of, job, tapes, write_suite
from worldtape.collectors.tasks import load_suite
from worldtape.collectors.terminal import Terminal, TerminalConfig
from worldtape.errors import ConfigError, NotFoundError
from worldtape.pipelines.record import open_recorder, record
from worldtape.storage import validate


@pytest.fixture
def suite(tmp_path):
    return write_suite(tmp_path / "suite", 3)


@pytest.fixture
def lake(tmp_path):
    return tmp_path / "lake"


@pytest.fixture
def _namespaces():
    needs("local")


pytestmark = [pytest.mark.sandbox, pytest.mark.usefixtures("_namespaces")]


def test_end_to_end(suite, lake):
    seen = []
    report = record(job(suite, repeats=2), lake, progress=lambda done, total: seen.append((done, total)))
    assert (report.items, report.recorded["completed"], report.solved, report.judged) == (6, 6, 6, 6)
    assert seen == [(n, 6) for n in range(1, 7)]
    for tape in tapes(lake):
        assert tape.sealed
        assert not validate(tape.path).problems
        assert end_of(tape) == {"status": "completed", "reason": None, "reward": 1.0, "steps": 2}
        assert tape.header["task"]["benchmark"] == "suite"
        assert tape.header["extra"]["setup"]["files"] == {"a.txt": "hello"}
        assert tape.header["policy"]["kind"] == "script"


def test_a_second_run_records_nothing_twice(suite, lake):
    record(job(suite), lake)
    before = [tape.path for tape in tapes(lake)]
    report = record(job(suite), lake)
    assert (report.present, report.present_solved, report.outcomes) == (3, 3, [])
    assert [tape.path for tape in tapes(lake)] == before


def test_only_what_is_missing_is_recorded(suite, lake):
    record(job(suite, tasks=["t/01"]), lake)
    report = record(job(suite, repeats=2, concurrency=2), lake)
    assert (report.items, report.present, report.recorded["completed"]) == (6, 1, 5)
    assert all(len(found) == 1 for found in by_item(lake).values())


def test_what_a_job_is_decides_what_is_there(suite, lake):
    first = job(suite)
    record(first, lake)
    same: list[dict[str, Any]] = [
        {"workers": 0, "concurrency": 1},
        {"name": "other"},
        {"retries": 3},
        {"durability": "none"},
    ]
    same += [{"environment": {"kind": "terminal", "cols": 160}}, {"policy": {"kind": "script"}}]
    for fields in same:
        assert record(job(suite, **fields), lake).outcomes == [], fields
    others: list[dict[str, Any]] = [
        {"seed": 1},
        {"environment": {"cols": 100}},
        {"max_steps": 1},
        {"policy": {"kind": "explore"}},
    ]
    for fields in others:
        report = record(job(suite, limit=1, **({"max_steps": 2} | fields)), lake)
        assert len(report.outcomes) == 1, fields


def test_limits_end_a_trajectory_and_it_is_judged(suite, lake):
    report = record(job(suite, limit=1, max_steps=1), lake)
    assert (report.recorded["limit"], report.judged, report.solved) == (1, 1, 0)
    assert end_of(tapes(lake)[0])["reward"] == 0.0


def test_a_shell_that_is_left_is_no_failure(tmp_path, lake):
    report = record(job(write_suite(tmp_path / "s", 1, steps="cp a.txt b.txt, exit")), lake)
    assert (report.recorded["env_ended"], report.retried) == (1, 0)
    report = record(job(write_suite(tmp_path / "t", 1, steps="cp a.txt b.txt, kill -9 $$")), tmp_path / "other")
    assert (report.recorded["env_ended"], report.retried, report.solved) == (1, 0, 1)


def test_a_time_limit_holds_for_what_runs(tmp_path, lake):
    steps = 'ls, [{keystrokes: "sleep 98\\n", duration: 97}, {keystrokes: "echo late\\n"}], pwd'
    report = record(job(write_suite(tmp_path / "s", steps=steps), max_seconds=1.5), lake)
    assert (report.recorded["limit"], report.judged, report.steps) == (1, 1, 2)
    (tape,) = tapes(lake)
    *_, last = (event.data for event in tape.events() if event.kind == "result")
    assert last["outcome"]["status"] == "timeout_still_running"
    assert last["timing"]["duration_ms"] < 50_000
    assert not validate(tape.path).problems


@pytest.mark.parametrize(
    ("verifier", "code", "reward"),
    [
        ("echo looked; false", 1, 0.0),
        ("echo before; sleep 99", None, None),
        ("no-such-verifier", 127, None),
        ("/etc/passwd", 126, None),
        ("cat a.txt", 0, 1.0),
    ],
)
def test_a_verifier_that_cannot_say_says_nothing(tmp_path, lake, verifier, code, reward):
    suite = tmp_path / "s"
    suite.mkdir()
    task = f"id: v\ninstruction: x\nsolution: [ls]\nsetup: {{files: {{a.txt: hello}}}}\nverifier: {verifier}\n"
    (suite / "v.yaml").write_text(task)
    report = record(job(suite, verify_seconds=1), lake)
    assert (report.judged, report.unjudged, report.failed) == ((0, 1, 0) if reward is None else (1, 0, 0))
    assert ("verifier gave no verdict" in dict(report.rows())) == (reward is None)
    (tape,) = tapes(lake)
    (notice,) = (event.data for event in tape.events() if event.kind == "notice")
    assert (notice["code"], notice["exit_code"], end_of(tape)["reward"]) == ("verifier", code, reward)
    assert any(word in notice["output"] for word in ("looked", "before", "not found", "denied", "hello"))
    assert not validate(tape.path).problems


@pytest.mark.parametrize(
    ("kind", "reason"), [("setup", "the start failed"), ("kill", "killed|signal"), ("policy", "policy failed")]
)
def test_a_failure_is_tried_again_and_then_recorded(tmp_path, lake, kind, reason):
    folder = tmp_path / "s"
    fields: dict[str, Any] = {"retries": 2}
    if kind == "setup":
        write_suite(folder, 1, setup="exit 3")
    elif kind == "kill":
        # Without the word, nobody can tell that it was not killed from outside.
        write_suite(folder, 1, steps='ls, k=ki; "$k"ll -9 $$')
    else:
        write_suite(folder, 1)
        fields["policy"] = {"kind": "llm", "endpoint": "http://127.0.0.1:1/v1", "model": "none", "retries": 0}
    report = record(job(folder, **fields), lake)
    assert (report.recorded["failed"], report.retried, report.judged) == (1, 2, 0)
    (found,) = by_item(lake).values()
    assert [tape.header["extra"]["attempt"] for tape in found] == [0, 1, 2]
    assert [end_of(tape)["status"] for tape in found] == ["failed"] * 3
    assert all(any(word in str(end_of(tape)["reason"]) for word in reason.split("|")) for tape in found)
    assert [tape.header["lineage"]["parent"] for tape in found] == [
        None,
        found[0].trajectory_id,
        found[1].trajectory_id,
    ]
    again = record(job(folder, **fields), lake)
    assert (again.present, again.present_failed, again.outcomes) == (1, 1, [])
    more = record(job(folder, **(fields | {"retries": 3})), lake)
    assert (more.retried, len(more.outcomes), len(tapes(lake))) == (0, 1, 4)


def test_the_same_seed_explores_the_same_way(suite, tmp_path):
    def actions(name: str) -> list[list[str]]:
        record(job(suite, limit=1, repeats=2, seed=5, max_steps=6, policy={"kind": "explore"}), tmp_path / name)
        return [[e.data["text"] for e in tape.events() if e.kind == "action"] for tape in tapes(tmp_path / name)]

    first, second = sorted(actions("one")), sorted(actions("two"))
    assert first == second
    assert first[0] != first[1]


def test_two_workers_share_the_work(tmp_path, lake):
    folder = write_suite(tmp_path / "s", 16, steps="ls, 'sleep 0.2; cp a.txt b.txt'")
    report = record(job(folder, workers=2, concurrency=2), lake)
    assert (report.solved, len(report.workers)) == (16, 2)
    assert min(report.workers.values()) >= 0.3 * 16
    assert record(job(folder, workers=2), lake).outcomes == []


def test_a_reader_of_the_lake_sees_it_from_outside(suite, tmp_path, lake):
    path = tmp_path / "job.yaml"
    path.write_text("name: cli\nsuite: suite\nworkers: 0\n")
    first = cli("record", path, "--lake", lake)
    assert (first.returncode, first.stderr) == (0, "")
    assert "recorded: completed" in first.stdout
    second = cli("record", path, "--lake", lake, "--json")
    assert json.loads(second.stdout)["present"] == 3


@pytest.mark.docker
def test_in_containers(suite, lake):
    needs("docker")
    report = record(job(suite, environment={"sandbox": "docker", "image": IMAGE}, concurrency=3), lake)
    assert (report.solved, report.retried) == (3, 0)


def test_values_of_the_recorders_environment_stay_out_of_the_header(tmp_path, lake, monkeypatch):
    wanted = job(write_suite(tmp_path / "s", steps='test "$SECRET" = hush-hush && cp a.txt b.txt'))
    wanted = wanted.model_copy(update={"environment": {"kind": "terminal", "env_from": ["SECRET"]}})
    with pytest.raises(ConfigError, match="SECRET is not set"):
        record(wanted, lake)
    monkeypatch.setenv("SECRET", "hush-hush")
    assert record(wanted, lake).solved == 1
    (tape,) = tapes(lake)
    assert tape.header["environment"]["parameters"]["env"] == {"SECRET": "***"}
    told = [event.data for event in tape.events() if event.kind in {"header", "ready"}]
    assert "hush-hush" not in json.dumps([tape.header, told])


def test_a_set_up_that_hangs_says_so(tmp_path, lake):
    suite = write_suite(tmp_path / "s", 1, setup="sleep 99")
    report = record(job(suite, environment={"setup_seconds": 0.5}, retries=0), lake)
    (reason,) = report.reasons
    assert "sleep 99: set-up did not end within 0.5 s" in reason


def test_files_of_a_task_may_have_long_names(tmp_path, lake):
    suite = tmp_path / "s"
    suite.mkdir()
    name = "/".join(["a" * 120, "b" * 120, "ü" * 60])
    task = {"id": "long", "instruction": "x", "setup": {"files": {name: "x"}}, "solution": ["ls"]}
    (suite / "a.yaml").write_text(json.dumps(task | {"verifier": f"test -f {name}"}))
    assert record(job(suite), lake).solved == 1


def test_what_cannot_work_says_so_before_any_tape(suite, tmp_path, lake):
    (tmp_path / "bare").mkdir()
    (tmp_path / "bare" / "a.yaml").write_text("id: a\ninstruction: nothing to play\n")
    with pytest.raises(ConfigError, match="no solution"):
        record(job(tmp_path / "bare"), lake)
    with pytest.raises(NotFoundError, match="t/77"):
        record(job(suite, tasks=["t/77"]), lake)
    assert not lake.exists()


def test_the_push_interface(lake):
    task = load_suite("terminal-core").tasks[0].task

    async def loop() -> str:
        terminal = Terminal(TerminalConfig(sandbox="local"))
        async with open_recorder(terminal, lake, task=task, extra={"mine": 1}, durability="none") as recorder:
            observation = await recorder.step([{"keystrokes": "echo $((6*7))\n"}])
        return observation.text

    assert "42" in asyncio.run(loop())
    (tape,) = tapes(lake)
    assert (tape.header["policy"]["kind"], tape.header["extra"]) == ("push", {"mine": 1})
    assert tape.header["task"]["id"] == task.id
