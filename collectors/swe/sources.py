"""Where a repository comes from: what is laid into a container is made here, on the recorder's side."""

from __future__ import annotations

import hashlib
import io
import os
import re
import subprocess
import tarfile
import tempfile
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from worldtape.collectors.cache import cache_folder
from worldtape.collectors.swe.config import SweConfig, shown
from worldtape.errors import ComponentError, ConfigError, NotFoundError

_GIT_S = 1800
_ARCHIVES = (".tar.gz", ".tgz", ".tar", ".tar.bz2", ".tar.xz")
_SECRET = re.compile(r"://[^/@\s]*@")
_FULL = re.compile(r"[0-9a-f]{40}")
_USUAL = ("main", "master")
_PLAIN = {"GIT_TERMINAL_PROMPT": "0", "GIT_LFS_SKIP_SMUDGE": "1", "LC_ALL": "C"}
_SAFE = ("-c", "safe.directory=*", "-c", "uploadpack.allowAnySHA1InWant=true", "-c", "advice.detachedHead=false")


@dataclass(frozen=True, slots=True)
class Origin:
    """A repository, ready to be laid into a container."""

    title: str
    """What it is, without this machine's paths."""
    kind: Literal["files", "git"]
    """`files`: the files themselves; `git`: the folder `.git`."""
    archive: bytes
    """A tar archive."""
    strip: int
    """Leading parts of its names that are left out."""
    sha256: str | None = None
    """Of the source archive, where it is one."""
    commit: str | None = None
    branch: str = "main"


def fetch(config: SweConfig) -> Origin:
    """Read the repository that is asked for, cut at its commit.

    Raises:
        NotFoundError: there is no such path, or no such commit.
        ConfigError: none is asked for, or it is nothing that can be read.
        ComponentError: git or pip is missing, or fails.
    """
    if config.package is not None:
        from worldtape.collectors.swe.packages import sdist

        return _from_archive(sdist(config.package))
    if config.repository is None:
        raise ConfigError("no repository is named", where="environment", fix="give a repository or a package")
    given = config.repository
    path = Path(given).expanduser()
    if "://" in given or (not path.exists() and _remote(given)):
        return _from_afar(given, config.commit)
    if not path.exists():
        raise NotFoundError("there is no such repository", where=given)
    if path.is_file() and given.endswith(_ARCHIVES):
        return _from_archive(path)
    if path.is_dir() and not (path / ".git").exists() and not (path / "HEAD").is_file():
        return _from_folder(path)
    return _from_git(str(path.resolve()), config.commit)


def _remote(given: str) -> bool:
    """Whether it has the form `host:path` that git reads as an address."""
    return ":" in given.partition("/")[0]


def _from_archive(path: Path) -> Origin:
    data = path.read_bytes()
    name = path.name
    for suffix in _ARCHIVES:
        name = name.removesuffix(suffix)
    try:
        with tarfile.open(fileobj=io.BytesIO(data)) as tar:
            tops = {member.name.removeprefix("./").partition("/")[0] for member in tar if member.name not in ("", ".")}
    except tarfile.TarError as error:
        raise ConfigError(f"this is no tar archive: {error}", where=path.name) from error
    return Origin(name, "files", data, int(len(tops) == 1), hashlib.sha256(data).hexdigest())


def _from_folder(path: Path) -> Origin:
    return Origin(path.resolve().name, "files", _packed(path), 0)


def _packed(folder: Path) -> bytes:
    buffer = io.BytesIO()
    with tarfile.open(fileobj=buffer, mode="w", format=tarfile.PAX_FORMAT) as tar:
        for path in sorted(folder.rglob("*")):
            tar.add(path, path.relative_to(folder).as_posix(), recursive=False)
    return buffer.getvalue()


def _from_afar(source: str, commit: str | None) -> Origin:
    """Fetch a commit that is given by its full hash only once: it never changes."""
    if commit is None or not _FULL.fullmatch(commit) or source.startswith("file:"):
        return _from_git(source, commit)

    name = hashlib.sha256(f"{source}\0{commit}".encode()).hexdigest()
    kept = cache_folder("repositories") / f"{name}.tar"
    if not kept.is_file():
        kept.parent.mkdir(parents=True, exist_ok=True)
        made = _from_git(source, commit)
        with tempfile.NamedTemporaryFile(dir=kept.parent, delete=False) as file:
            file.write(made.archive)
        Path(file.name).replace(kept)
        return made
    archive = kept.read_bytes()
    with tarfile.open(fileobj=io.BytesIO(archive)) as tar:
        head = tar.extractfile("HEAD")
        branch = "" if head is None else head.read().decode().strip().removeprefix("ref: refs/heads/")
    return Origin(_title(source), "git", archive, 0, None, commit, branch)


def _from_git(source: str, commit: str | None) -> Origin:
    """Take one branch that ends at the commit, twice: the second copy holds only what the first branch reaches."""
    with tempfile.TemporaryDirectory(prefix="repository-", ignore_cleanup_errors=True) as place:
        whole, cut = os.path.join(place, "whole"), os.path.join(place, "cut")  # noqa: PTH118
        _git("init", "-q", "--bare", whole)
        _git("-C", whole, "fetch", "-q", "--no-tags", "--update-shallow", source, *_everything(source))
        found, branch = _resolved(whole, source, commit)
        _git("-C", whole, "update-ref", f"refs/heads/{branch}", found)
        _git("clone", "-q", "--bare", "--no-tags", "--single-branch", "-b", branch, f"file://{whole}", cut)
        _git("-C", cut, "remote", "remove", "origin")
        _git("-C", cut, "config", "core.bare", "false")
        for leftover in ("hooks", "branches", "logs"):
            _drop(Path(cut, leftover))
        Path(cut, "description").unlink(missing_ok=True)
        return Origin(_title(source), "git", _packed(Path(cut)), 0, None, found, branch)


def _everything(source: str) -> list[str]:
    """Return what is fetched: every branch and tag, and HEAD where there is one, also without a branch."""
    known = _git("ls-remote", source, "HEAD", where=shown(source))
    return ["+refs/heads/*:refs/source/heads/*", "+refs/tags/*:refs/source/tags/*"] + (
        ["+HEAD:refs/source/HEAD"] if known.strip() else []
    )


def _resolved(whole: str, source: str, commit: str | None) -> tuple[str, str]:
    """Return the full hash of a commit, and the name of the branch it is to stand on."""
    names = [f"refs/source/heads/{commit}", f"refs/source/tags/{commit}", commit] if commit else ["refs/source/HEAD"]
    for name in names:
        found = _try("-C", whole, "rev-parse", "-q", "--verify", f"{name}^{{commit}}")
        if found:
            return found, _branch(whole, source, commit, found)
    if commit and _try("-C", whole, "fetch", "-q", "--no-tags", source, commit) is not None:
        found = _git("-C", whole, "rev-parse", "FETCH_HEAD^{commit}").strip()
        return found, _branch(whole, source, commit, found)
    where = shown(source)
    raise NotFoundError(f"there is no commit {commit or 'HEAD'}", where=where, fix="name a commit, a branch or a tag")


def _branch(whole: str, source: str, commit: str | None, found: str) -> str:
    """Return the branch that was named, else that of HEAD, else one that holds the commit."""
    if commit and _try("-C", whole, "rev-parse", "-q", "--verify", f"refs/source/heads/{commit}"):
        return commit
    head = _try("ls-remote", "--symref", source, "HEAD") or ""
    line = head.partition("\n")[0]
    if line.startswith("ref: refs/heads/"):
        return line.split()[1].removeprefix("refs/heads/")
    names = "--format=%(refname:lstrip=3)"
    holding = (_try("-C", whole, "for-each-ref", names, "--contains", found, "refs/source/heads") or "").split()
    return next((name for name in _USUAL if name in holding), holding[0] if holding else _USUAL[0])


def _title(source: str) -> str:
    return shown(source).removesuffix("/").removesuffix(".git") or "repository"


def _drop(folder: Path) -> None:
    import shutil

    shutil.rmtree(folder, ignore_errors=True)


def _try(*words: str) -> str | None:
    done = _run(words)
    return done.stdout.strip() if done.returncode == 0 else None


def _git(*words: str, where: str | None = None) -> str:
    done = _run(words)
    if done.returncode != 0:
        lines = done.stderr.strip().splitlines() or [f"exit code {done.returncode}"]
        told = next((line for line in lines if line.startswith(("fatal:", "error:"))), lines[-1])
        told = _SECRET.sub("://", told)
        raise ComponentError(f"git failed: {told}", where=where or "repository")
    return done.stdout


def _run(words: tuple[str, ...]) -> subprocess.CompletedProcess[str]:
    env = {
        name: value for name, value in os.environ.items() if not name.startswith("GIT_") or name == "GIT_SSH_COMMAND"
    }
    try:
        return subprocess.run(
            ["git", *_SAFE, *words],
            env=env | _PLAIN,
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            errors="replace",
            timeout=_GIT_S,
            check=False,
        )
    except FileNotFoundError as error:
        raise ComponentError("git is missing", fix="apt-get install git") from error
    except subprocess.TimeoutExpired as error:
        raise ComponentError(f"git did not end within {_GIT_S} s", where="repository") from error


__all__ = ["Origin", "fetch"]
