"""Suites are folders of strict YAML files."""

from __future__ import annotations

import io
import tarfile
from typing import Any

import pytest

from worldtape.collectors.tasks import Setup, TaskFile, load_suite, suites
from worldtape.errors import ConfigError, NotFoundError

TASK = "id: {id}\ninstruction: do {id}\ntags: [{tag}]\nsolution: [ls, [{{keystrokes: C-c, duration: 0.5}}]]\n"


@pytest.fixture
def folder(tmp_path):
    root = tmp_path / "mine"
    (root / "more").mkdir(parents=True)
    (root / "b.yaml").write_text(TASK.format(id="b/one", tag="x"))
    (root / "a.yaml").write_text(TASK.format(id="a/two", tag="y"))
    (root / "more" / "c.yml").write_text(TASK.format(id="b/three", tag="y"))
    return root


def test_tasks_come_in_the_order_of_their_ids(folder):
    suite = load_suite(folder)
    assert [task.id for task in suite.tasks] == ["a/two", "b/one", "b/three"]
    assert suite.tasks[0].task.benchmark == suite.name == "mine"
    assert suite.tasks[0].task.tags == ("y",)
    assert suite.tasks[0].actions == [[{"keystrokes": "ls\n"}], [{"keystrokes": "C-c", "duration": 0.5}]]


def test_choosing(folder):
    suite = load_suite(folder)

    def ids(**how: Any) -> list[str]:
        return [task.id for task in suite.choose(**how)]

    assert ids(tasks=["b/*"]) == ["b/one", "b/three"]
    assert ids(tags=["y"]) == ["a/two", "b/three"]
    assert ids(tasks=["b/*"], tags=["y"]) == ["b/three"]
    assert ids(limit=1) == ["a/two"]
    with pytest.raises(NotFoundError, match="did you mean 'b/one'"):
        ids(tasks=["b/on"])
    with pytest.raises(NotFoundError, match="no tag 'z'"):
        ids(tags=["z"])
    with pytest.raises(NotFoundError, match=r"has no task 'qqq'; known: .*, …$"):
        load_suite("terminal-core").choose(tasks=["qqq"])


def test_what_is_wrong_in_a_suite(folder, tmp_path):
    (folder / "d.yaml").write_text("id: d\ninstruction: x\nverifer: 'true'\n")
    with pytest.raises(ConfigError, match=r"d\.yaml:3: unknown key 'verifer'; did you mean 'verifier'\?"):
        load_suite(folder)
    (folder / "d.yaml").write_text("id: d\ninstruction: x\nsolution:\n- [{keystrokes: a, durations: 1}]\n")
    with pytest.raises(ConfigError, match=r"d\.yaml:4: unknown key 'durations'; did you mean 'duration'"):
        load_suite(folder)
    (folder / "d.yaml").write_text("id: d\ninstruction: x\nsolution:\n- ls\n- [{keystrokes: a, duration: -3}]\n")
    with pytest.raises(
        ConfigError, match=r"d\.yaml:5: solution\.1\.0\.duration: input should be greater .* \(it is -3\)"
    ):
        load_suite(folder)
    (folder / "d.yaml").write_text("id: d\ninstruction: x\nsolution: [ls, [a]]\n")
    with pytest.raises(ConfigError, match=r"d\.yaml:3: solution\.1\.0: input should be a mapping \(it is 'a'\)"):
        load_suite(folder)
    (folder / "d.yaml").write_text(TASK.format(id="a/two", tag="x"))
    with pytest.raises(ConfigError, match="taken by another task"):
        load_suite(folder)
    (tmp_path / "empty").mkdir()
    with pytest.raises(ConfigError, match="no task stands here"):
        load_suite(tmp_path / "empty")
    with pytest.raises(NotFoundError, match="terminal-core"):
        load_suite("no-such-suite")


@pytest.mark.parametrize("name", ["/etc/passwd", "../x", "a/../../x", ""])
def test_setup_files_stay_inside(name):
    with pytest.raises(ValueError, match="not a relative path"):
        Setup(files={name: "x"})


def test_a_setup_is_the_same_archive_every_time():
    setup = Setup(files={"b/run.sh": "#!/bin/sh\n", "a.txt": "ü\n"})
    again = Setup(files={"a.txt": "ü\n", "b/run.sh": "#!/bin/sh\n"})
    assert setup.archive() == again.archive()
    with tarfile.open(fileobj=io.BytesIO(setup.archive())) as tar:
        assert [(item.name, item.mode) for item in tar] == [("a.txt", 0o644), ("b/run.sh", 0o755)]


def test_our_suite_is_what_it_promises():
    tasks = load_suite("terminal-core").tasks
    assert "terminal-core" in suites()
    assert len(tasks) >= 40
    assert all(5 <= len(task.solution) <= 12 and task.verifier and task.tags for task in tasks)
    assert len({task.instruction for task in tasks}) == len(tasks)
    groups = {task.id.split("/")[0] for task in tasks}
    assert groups >= {"archives", "dates", "editors", "encode", "env", "failures", "files", "find", "git", "heredoc"}
    assert groups >= {"links", "permissions", "pipes", "processes", "python", "repl", "text"}


def test_the_digest_follows_the_content():
    one = TaskFile(id="a", instruction="x")
    assert one.digest == TaskFile(id="a", instruction="x").digest
    assert one.digest != TaskFile(id="a", instruction="x", verifier="true").digest
