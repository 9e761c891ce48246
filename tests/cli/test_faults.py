"""What goes wrong is one clear line and an exit code that is not 0, and nothing recorded is lost."""

from __future__ import annotations

import hashlib
import json
import shutil
import subprocess
from pathlib import Path
from zlib import crc32

import pytest
import zstandard

from tests._components import require
from tests.cli.test_commands import worldtape
from tests.collectors.terminal._needs import needs
from worldtape.collectors.tasks import load_suite
from worldtape.pipelines.demo._demo import TAPES
from worldtape.storage import Lake, find_tapes, query

JOB = "name: one\nsuite: terminal-core\ntasks: [git/first-commit]\nworkers: 0\n"


@pytest.fixture
def lake(tmp_path: Path) -> Path:
    path = tmp_path / "lake"
    Lake.open(path, create=True)
    shutil.copytree(TAPES / "terminal", path / "tapes")
    assert worldtape("project", str(path)).returncode == 0
    return path


def failed(*words: object) -> str:
    """Run a command that must fail with one line, and return it."""
    done = worldtape(*map(str, words))
    assert done.returncode == 1, done
    assert "Traceback" not in done.stderr
    lines = done.stderr.strip().splitlines()
    assert len(lines) == 1, lines
    return lines[0]


def count(lake: Path, table: str = "transitions") -> int:
    return int(query(lake, f"SELECT count(*) AS n FROM {table}")["n"][0].as_py())


def newer(lake: Path) -> str:
    """Lay a tape into the lake that a Worldtape of the future wrote."""
    source = next(iter(find_tapes(lake)))
    lines = zstandard.ZstdDecompressor().stream_reader(source.read_bytes()).read().splitlines()
    header = json.loads(lines[0])
    del header["crc"]
    name = "01a2313d-f322-7001-8319-dc76fa56d8ff"
    header["data"] |= {"schema_version": "2.0", "trajectory_id": name}
    body = json.dumps(header, separators=(",", ":")).encode()[:-1]
    folder = lake / "tapes" / hashlib.sha256(name.encode()).hexdigest()[:2]
    folder.mkdir(exist_ok=True)
    line = b'%b,"crc":"%08x"}' % (body, crc32(body))
    (folder / f"{name}.jsonl").write_bytes(b"\n".join([line, *lines[1:], b""]))
    return name


def test_a_tape_of_a_newer_version_is_named_and_the_rest_goes_on(lake: Path) -> None:
    name = newer(lake)
    done = worldtape("project", str(lake))
    assert done.returncode == 1
    assert [line for line in done.stderr.splitlines() if name in line and "newer than 1.0; install a newer" in line]
    assert count(lake, "trajectories") == 12
    assert "newer than 1.0" in worldtape("recover", str(lake)).stderr
    assert list((lake / "tapes").rglob(f"{name}.jsonl")), "it waits for a newer Worldtape"


def test_a_damaged_part_is_named_set_aside_and_made_again(lake: Path) -> None:
    before = count(lake)
    part = next((lake / "transitions").rglob("*.parquet"))
    part.write_bytes(part.read_bytes()[:-20])
    for words in (["query", lake, "SELECT count(*) FROM transitions"], ["curate", lake]):
        line = failed(*words)
        assert part.name in line
        assert "worldtape recover" in line
    assert f"{part.name}: damaged, set aside" in worldtape("recover", str(lake)).stdout
    assert list((lake / "set-aside").rglob(part.name))
    assert worldtape("project", str(lake)).returncode == 0
    assert count(lake) == before


def test_half_a_part_is_made_whole(lake: Path) -> None:
    before = count(lake)
    next((lake / "transitions").rglob("*.parquet")).unlink()
    assert count(lake) == count(lake, "trajectories") == 0, "half a part would be a lie"
    assert worldtape("project", str(lake)).returncode == 0
    assert count(lake) == before


@pytest.mark.parametrize("words", [["project"], ["curate"], ["show"], ["recover"]])
def test_a_file_is_no_lake(tmp_path: Path, words: list[str]) -> None:
    (tmp_path / "file").write_text("")
    assert failed(*words, tmp_path / "file").endswith("file: this is a file, a lake is a folder")


@pytest.mark.parametrize("words", [["curate"], ["build", "cpt"], ["build", "sft"]])
def test_nothing_is_made_of_nothing(tmp_path: Path, words: list[str]) -> None:
    out = ["--out", tmp_path / "corpus"] if words[0] == "build" else []
    Lake.open(tmp_path / "empty", create=True)
    assert "the lake has no recordings; record into it first" in failed(*words, tmp_path / "empty", *out)
    shutil.copytree(TAPES / "terminal", tmp_path / "empty" / "tapes")
    assert "the lake has no parts; run `worldtape project` first" in failed(*words, tmp_path / "empty", *out)
    assert not (tmp_path / "corpus").exists()


def test_an_unknown_key_is_answered_with_the_nearest(tmp_path: Path) -> None:
    job = tmp_path / "job.yaml"
    job.write_text(JOB + "polcy: {kind: script}\n")
    line = failed("record", job, "--lake", tmp_path / "lake")
    assert line.endswith("job.yaml:5: unknown key 'polcy'; did you mean 'policy'?")


@pytest.mark.docker
def test_no_such_image(tmp_path: Path) -> None:
    needs("docker")
    job = tmp_path / "job.yaml"
    job.write_text(JOB + "environment: {sandbox: docker, image: 'worldtape.invalid/none:1'}\n")
    line = failed("record", job, "--lake", tmp_path / "lake")
    assert "worldtape.invalid/none:1: there is no such image" in line
    assert not list(find_tapes(tmp_path / "lake"))


def test_no_docker_daemon(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("DOCKER_HOST", f"unix://{tmp_path}/none.sock")
    job = tmp_path / "job.yaml"
    job.write_text(JOB + "environment: {sandbox: docker}\n")
    line = failed("record", job, "--lake", tmp_path / "lake")
    assert "the Docker daemon does not answer" in line
    assert "dockerd" in line


@pytest.mark.sandbox
def test_a_full_disk(tmp_path: Path) -> None:
    needs("local")
    disk = tmp_path / "disk"
    disk.mkdir()
    done = subprocess.run(["mount", "-t", "tmpfs", "-o", "size=60k", "tmpfs", str(disk)], check=False)
    require("a small file system", done.returncode == 0, "run the tests as root, where mount is allowed")
    try:
        job = tmp_path / "job.yaml"
        job.write_text(JOB.replace("[git/first-commit]", "['files/*', 'text/*']") + "environment: {sandbox: local}\n")
        line = failed("record", job, "--lake", disk / "lake")
        assert "the disk is full; free some space and run the same command again" in line
        subprocess.run(["mount", "-o", "remount,size=20m", str(disk)], check=True)
        assert worldtape("record", str(job), "--lake", str(disk / "lake")).returncode == 0
        assert worldtape("recover", str(disk / "lake")).returncode == 0
        assert worldtape("project", str(disk / "lake")).returncode == 0
        done_tasks = query(disk / "lake", "SELECT DISTINCT task_id FROM trajectories WHERE reward = 1")
        assert done_tasks.num_rows == len(load_suite("terminal-core").choose(tasks=["files/*", "text/*"]))
    finally:
        subprocess.run(["umount", "-l", str(disk)], check=True)
