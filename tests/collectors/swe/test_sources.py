"""Where repositories come from, and that nothing after their commit comes with them."""

from __future__ import annotations

import io
import os
import subprocess
import tarfile
from pathlib import Path

import pytest

from tests.collectors.swe._box import Held
from worldtape.collectors.swe import SweConfig
from worldtape.collectors.swe.repository import lay
from worldtape.collectors.swe.sources import _SAFE, Origin, fetch
from worldtape.errors import ComponentError, ConfigError, NotFoundError

_WHO = {f"GIT_{role}_{key}": "someone@example.org" for role in ("AUTHOR", "COMMITTER") for key in ("NAME", "EMAIL")}


def git(folder: Path, *words: str) -> str:
    """Run git as somebody, without this machine's settings."""
    env = os.environ | _WHO | {"GIT_CONFIG_GLOBAL": os.devnull, "GIT_CONFIG_SYSTEM": os.devnull}
    return subprocess.run(
        ["git", "-C", folder, *words], env=env, check=True, capture_output=True, text=True
    ).stdout.strip()


def commit(folder: Path, name: str, text: str) -> str:
    """Commit one file; return the commit."""
    (folder / name).write_text(text)
    git(folder, "add", "-A")
    git(folder, "commit", "-qm", f"{name} {text}")
    return git(folder, "rev-parse", "HEAD")


@pytest.fixture
def history(tmp_path: Path) -> tuple[Path, list[str]]:
    """Return a repository whose second commit is the task's, and its commits: the last ones are the future."""
    folder = tmp_path / "project"
    folder.mkdir()
    git(folder, "init", "-q", "-b", "trunk")
    commits = [commit(folder, "a.txt", "one"), commit(folder, "a.txt", "two")]
    git(folder, "tag", "v2")
    commits.append(commit(folder, "a.txt", "SECRET fix"))
    git(folder, "tag", "-a", "v3", "-m", "SECRET release")
    git(folder, "checkout", "-q", "-b", "side", commits[0])
    commits.append(commit(folder, "b.txt", "SECRET side"))
    git(folder, "stash", "list")
    git(folder, "checkout", "-q", "trunk")
    return folder, commits


def laid(held: Held, origin: Origin) -> str:
    """Lay a repository down in an emptied box; return its commit."""
    held.empty()
    return held.do(lay(held.box, origin))


def said(held: Held, command: str) -> str:
    """Return what a command says."""
    ran = held.do(held.box.run(command))
    assert ran.code == 0, ran
    return ran.out.decode()


@pytest.mark.docker
@pytest.mark.parametrize("form", ["folder", "bundle", "url", "bare"])
def test_nothing_after_the_commit_is_in_the_container(
    held: Held, history: tuple[Path, list[str]], tmp_path: Path, form: str
):
    folder, commits = history
    given = str(folder)
    if form == "bundle":
        given = str(tmp_path / "all.bundle")
        git(folder, "bundle", "create", "-q", given, "--all")
    elif form == "bare":
        given = str(tmp_path / "bare.git")
        git(folder, "clone", "-q", "--mirror", folder.as_posix(), given)
    elif form == "url":
        given = f"file://{folder}"
    head = laid(held, fetch(SweConfig(repository=given, commit=commits[1][:10])))
    assert head == commits[1]
    assert said(held, "cat a.txt") == "two"
    assert said(held, "git log --all --format=%H").split() == [commits[1], commits[0]]
    assert said(held, "git remote; git tag; git stash list; git reflog --all") == ""
    assert said(held, "git branch --format='%(refname:short)'").split() == ["trunk"]
    objects = said(held, "git cat-file --batch-all-objects --batch-check | cut -d' ' -f1").split()
    assert not set(objects) & set(commits[2:])
    assert held.do(held.box.run("grep -r SECRET . || git log --all -p | grep SECRET")).out == b""
    assert said(held, "git fsck --unreachable --no-reflogs 2>/dev/null; git status --porcelain") == ""


@pytest.mark.docker
@pytest.mark.parametrize(("given", "index", "branch"), [(None, 2, "trunk"), ("v2", 1, "trunk"), ("side", 3, "side")])
def test_a_commit_is_named_by_branch_tag_or_nothing(
    held: Held, history: tuple[Path, list[str]], given: str | None, index: int, branch: str
):
    folder, commits = history
    assert laid(held, fetch(SweConfig(repository=str(folder), commit=given))) == commits[index]
    assert said(held, "git branch --show-current").strip() == branch


def test_a_shallow_repository_stays_shallow(held: Held, history: tuple[Path, list[str]], tmp_path: Path):
    folder, commits = history
    shallow = tmp_path / "shallow"
    git(folder, "clone", "-q", "--depth", "1", f"file://{folder}", str(shallow))
    assert laid(held, fetch(SweConfig(repository=str(shallow)))) == commits[2]
    assert said(held, "git rev-list --count HEAD").strip() == "1"


def test_a_full_commit_of_an_address_is_fetched_once(
    history: tuple[Path, list[str]], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    folder, commits = history
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    monkeypatch.setattr("worldtape.collectors.swe.sources._SAFE", (*_SAFE, "-c", f"url.{folder}.insteadOf=https://h/p"))
    first = fetch(SweConfig(repository="https://h/p", commit=commits[1]))
    folder.rename(tmp_path / "away")
    assert fetch(SweConfig(repository="https://h/p", commit=commits[1])) == first
    assert (first.title, first.branch, first.commit) == ("https://h/p", "trunk", commits[1])
    with pytest.raises(ComponentError, match="git failed"):
        fetch(SweConfig(repository="https://h/p", commit="trunk"))


def test_no_password_of_an_address_is_told():
    with pytest.raises(ComponentError) as caught:
        fetch(SweConfig(repository="ssh://me:secret@127.0.0.1:9/p"))
    assert "secret" not in str(caught.value)


@pytest.mark.docker
def test_files_become_a_repository_of_one_commit_that_is_always_the_same(held: Held, tmp_path: Path):
    folder = tmp_path / "thing-1.0"
    (folder / "src").mkdir(parents=True)
    (folder / "src" / "a.py").write_bytes(b"x = 1\r\n")
    (folder / ".gitignore").write_text("*.log\n")
    (folder / "kept.log").write_text("kept")
    archive = tmp_path / "thing-1.0.tar.gz"
    with tarfile.open(archive, "w:gz") as tar:
        tar.add(folder, folder.name)
    heads = {laid(held, fetch(SweConfig(repository=str(path)))) for path in (archive, folder, archive)}
    assert len(heads) == 1
    assert sorted(said(held, "git ls-files").split()) == [".gitignore", "kept.log", "src/a.py"]
    assert said(held, "git status --porcelain --ignored; git reflog") == ""
    assert held.do(held.box.read("src/a.py")) == b"x = 1\r\n"
    held.do(held.box.run("mkdir -p src/__pycache__ && touch src/__pycache__/a.pyc"))
    assert said(held, "git status --porcelain") == ""


def test_what_cannot_be_had_is_told_in_one_line(tmp_path: Path, history: tuple[Path, list[str]]):
    with pytest.raises(NotFoundError, match=r"nowhere: there is no such repository"):
        fetch(SweConfig(repository=str(tmp_path / "nowhere")))
    with pytest.raises(
        NotFoundError, match=r"project: there is no commit 0123456789; name a commit, a branch or a tag"
    ):
        fetch(SweConfig(repository=str(history[0]), commit="0123456789"))
    with pytest.raises(ComponentError, match="git failed: fatal: "):
        fetch(SweConfig(repository=f"file://{tmp_path}/nowhere"))
    with pytest.raises(ConfigError, match="environment: no repository is named; give a repository or a package"):
        fetch(SweConfig())
    (tmp_path / "x.tar.gz").write_bytes(b"no archive")
    with pytest.raises(ConfigError, match=r"x\.tar\.gz: this is no tar archive"):
        fetch(SweConfig(repository=str(tmp_path / "x.tar.gz")))


def test_an_archive_without_one_top_folder_keeps_its_names(tmp_path: Path):
    path = tmp_path / "flat.tar"
    with tarfile.open(path, "w") as tar:
        for name in ("a", "b/c"):
            member = tarfile.TarInfo(name)
            tar.addfile(member, io.BytesIO())
    origin = fetch(SweConfig(repository=str(path)))
    assert (origin.title, origin.strip, origin.kind) == ("flat", 0, "files")


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({"repository": "a", "package": "toolz"}, "name either a repository or a package"),
        ({"package": "no-such-package"}, "names no release"),
        ({"package": "toolz", "commit": "v1"}, "a package has no commits"),
        ({"package": "toolz", "workdir": "here"}, "no absolute path"),
    ],
)
def test_wrong_settings_are_told(given: dict[str, str], message: str):
    with pytest.raises(ConfigError, match=message):
        SweConfig(**given)


def test_a_tape_names_no_secret_and_no_path_of_this_machine():
    spec = SweConfig(repository="https://user:token@example.com/org/project.git?key=1").spec()
    assert spec.parameters["repository"] == "https://example.com/org/project.git"
    assert SweConfig(repository="/home/somebody/project").spec().parameters["repository"] == "project"
    hidden = SweConfig(package="toolz", env={"A": "1"}, env_from=("TOKEN",)).spec()
    assert hidden.parameters["env"] == {"A": "1", "TOKEN": "***"}
    assert hidden.parameters["test_command"] == "python3 -m pytest -q"
