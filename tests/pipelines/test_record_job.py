"""The job file, its schema, and what is said about a wrong one."""

from __future__ import annotations

import pytest

from tests.collectors.terminal._needs import needs
from tests.pipelines._record import cli, write_suite
from worldtape.errors import ConfigError, NotFoundError, StorageError
from worldtape.pipelines.record import job_schema, read_job
from worldtape.pipelines.record.item import items
from worldtape.pipelines.record.kinds import make_policy


@pytest.fixture
def path(tmp_path):
    return tmp_path / "job.yaml"


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("name: x\n\npolcy:\n  kind: script\n", "job.yaml:3: unknown key 'polcy'; did you mean 'policy'?"),
        ("name: x\nenvironment:\n  colls: 3\n", "job.yaml:3: unknown key 'colls'; did you mean 'cols'?"),
        ("name: x\npolicy:\n  kind: llm\n  modl: y\n", "job.yaml:4: unknown key 'modl'; did you mean 'model'?"),
        (
            "name: x\npolicy:\n  kind: scrpt\n",
            "job.yaml:2: policy: no policy is called 'scrpt'; did you mean 'script'?",
        ),
        ("name: x\nenvironment: {kind: termnal}\n", "job.yaml:2: environment: no environment is called 'termnal'"),
        (
            "name: x\nenvironment:\n  limits: {memory: 2}\n",
            "job.yaml:3: unknown key 'memory'; did you mean 'memory_mb'?",
        ),
        (
            "name: x\nenvironment:\n  limits:\n    cpus: 0\n",
            "job.yaml:4: environment.limits.cpus: input should be greater than or equal to 0.01 (it is 0)",
        ),
        ("name: x\nenvironment:\n  limits:\n    pids: -1\n", "job.yaml:4: environment.limits.pids: input should be"),
        ("name: x\nenvironment:\n  limits: {memory_mb: 0}\n", "job.yaml:3: environment.limits.memory_mb: input should"),
        (
            "name: x\nenvironment:\n  image: debian\n",
            "job.yaml:2: environment: image does nothing in sandbox 'local': leave it out, or choose docker",
        ),
        ("name: x\nenvironment: {sandbox: unsafe-local, limits: {cpus: 2}}\n", "job.yaml:2: environment: limits does"),
        (
            "name: x\nenvironment:\n  timezone: Europe/Berln\n",
            "job.yaml:3: environment.timezone: there is no timezone 'Europe/Berln'; did you mean 'Europe/Berlin'?",
        ),
        (
            "name: x\nenvironment:\n  network: host\n",
            "job.yaml:3: environment.network: input should be 'none' or 'bridge'",
        ),
        ("name: x\ntasks: s1\n", "job.yaml:2: tasks: input should be a list (it is 's1')"),
        ("name: x\nenvironment: s1\n", "job.yaml:2: environment: input should be a mapping (it is 's1')"),
        ("repeats: 2\n", "job.yaml:1: key 'name' is missing"),
    ],
)
def test_a_wrong_job_is_one_line(path, text, expected):
    path.write_text(text)
    with pytest.raises(ConfigError) as caught:
        read_job(path)
    assert str(caught.value).removeprefix(f"{path.parent}/").startswith(expected)


def test_the_command_line_says_it_too(path):
    path.write_text("name: x\npolcy: {}\n")
    done = cli("record", path, "--lake", path.parent / "lake")
    assert done.returncode == 1
    assert done.stdout == ""
    assert done.stderr == f"worldtape: {path}:2: unknown key 'polcy'; did you mean 'policy'?\n"
    assert not (path.parent / "lake").exists()


def test_a_suite_beside_the_job_is_found(path):
    write_suite(path.parent / "mine", 2)
    path.write_text("name: x\nsuite: mine\n")
    assert [item.task.suite for item in items(read_job(path))] == ["mine", "mine"]
    path.write_text("name: x\nsuite: theirs\n")
    with pytest.raises(NotFoundError, match="theirs"):
        list(items(read_job(path)))


def test_a_script_beside_the_job_is_found_and_is_what_it_holds(path, monkeypatch):
    (path.parent / "acts.yaml").write_text("[ls]")
    path.write_text("name: x\nlimit: 1\npolicy: {file: acts.yaml}\n")
    monkeypatch.chdir("/")
    read = read_job(path)
    (item,) = items(read)
    assert make_policy(read.policy, item.task, 0).spec.parameters == {"actions": 1}
    (path.parent / "acts.yaml").rename(path.parent / "same.yaml")
    path.write_text("name: x\nlimit: 1\npolicy: {file: same.yaml}\n")
    assert [same.key for same in items(read_job(path))] == [item.key]
    (path.parent / "same.yaml").write_text("[ls, pwd]")
    (changed,) = items(read_job(path))
    assert changed.key != item.key
    (path.parent / "same.yaml").unlink()
    with pytest.raises(StorageError, match=r"same\.yaml"):
        list(items(read_job(path)))


def test_a_solution_that_cannot_be_played_names_its_task(path):
    write_suite(path.parent / "mine", steps='[{keystrokes: "\\ud800"}]')
    path.write_text("name: x\nsuite: mine\n")
    (item,) = items(read_job(path))
    with pytest.raises(ConfigError, match="task t/00: "):
        make_policy(read_job(path).policy, item.task, 0)


def test_items_are_named_by_what_they_are(path):
    path.write_text("name: x\nrepeats: 3\ntasks: ['git/*']\n")
    found = list(items(read_job(path)))
    assert len({item.key for item in found}) == len({item.seed for item in found}) == len(found) == 21
    path.write_text("name: y\nrepeats: 2\ntasks: ['git/*']\nenvironment: {rows: 40}\nworkers: 3\n")
    assert [item.key for item in items(read_job(path))] == [item.key for item in found[:14]]


def test_the_schema_knows_every_kind():
    schema = job_schema()
    policies = {variant["properties"]["kind"]["const"] for variant in schema["properties"]["policy"]["oneOf"]}
    assert policies >= {"script", "explore", "llm"}
    environments = {v["properties"]["kind"]["const"]: v for v in schema["properties"]["environment"]["oneOf"]}
    assert environments["search"]["required"] == ["kind"]
    terminal = environments["terminal"]
    assert "cols" in terminal["properties"]
    assert "Limits" in schema["$defs"]
    assert cli("record", "--schema").stdout.startswith('{\n  "$schema"')


@pytest.mark.parametrize("name", ["explore.yaml", "mcp.yaml", "search.yaml", "terminal.yaml", "web.yaml"])
def test_our_examples_are_right(name):
    from tests.core.test_house import ROOT

    assert len(list(items(read_job(ROOT / "examples" / name)))) >= 20


def test_a_dead_daemon_and_a_missing_image(path):
    path.write_text("name: x\nlimit: 2\nenvironment: {sandbox: docker, image: 'worldtape/none:nope'}\n")
    dead = cli("record", path, "--lake", path.parent / "lake", env={"DOCKER_HOST": "unix:///nowhere.sock"})
    assert dead.returncode == 1
    assert "does not answer" in dead.stderr
    assert len(dead.stderr.splitlines()) == 1


@pytest.mark.docker
def test_a_missing_image(path):
    needs("docker")
    path.write_text("name: x\nlimit: 2\nenvironment: {sandbox: docker, image: 'worldtape/none:nope'}\n")
    done = cli("record", path, "--lake", path.parent / "lake")
    assert done.returncode == 1
    assert "no such image" in done.stderr
    assert len(done.stderr.splitlines()) == 1
