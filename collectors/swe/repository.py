"""A repository in a box: laid down at its commit, with nothing that came after it."""

from __future__ import annotations

import shlex

from worldtape.collectors.swe.box import Box, Ran
from worldtape.collectors.swe.sources import Origin
from worldtape.collectors.tasks.setup import Setup
from worldtape.errors import ComponentError, InputError

_IGNORED = ("__pycache__/", "*.py[co]", ".pytest_cache/")
"""What tests leave behind, beside what the repository itself ignores."""
_WHO = {"NAME": "Developer", "EMAIL": "dev@example.com"}
_DAY = "2024-01-01T00:00:00+0000"
_BY = {f"GIT_{role}_{key}": value for role in ("AUTHOR", "COMMITTER") for key, value in _WHO.items()}
_WHEN = {"GIT_AUTHOR_DATE": _DAY, "GIT_COMMITTER_DATE": _DAY}
"""One commit of the same files has the same hash in every container."""
_COMMIT = """git add -A
day=$(git log -1 --format=%cI)
git diff --cached --quiet || GIT_AUTHOR_DATE=$day GIT_COMMITTER_DATE=$day git commit -q -m 'Set up' || exit 1
rm -rf .git/logs .git/COMMIT_EDITMSG
"""
"""A set-up is as old as what it is made in."""
_GIT_S = 300.0


async def lay(box: Box, origin: Origin) -> str:
    """Lay a repository down at `box.workdir`; return its commit.

    It then has one branch, and no remotes, tags, reflogs or commits that the branch does not reach.

    Raises:
        ComponentError: the container has no git, or is gone.
        InputError: the archive holds nothing.
    """
    if origin.kind == "git":
        await box.unpack(".git", origin.archive)
        await _git(box, "git config --unset-all core.worktree; git reset -q --hard")
    else:
        if not await box.unpack(".", origin.archive, strip=origin.strip):
            raise InputError("the archive holds nothing", where=origin.title)
        await _git(box, f"rm -rf .git && git init -q -b {shlex.quote(origin.branch)}")
    await _settle(box)
    if origin.kind == "files":
        await _git(box, f"git add -A -f && git commit -q -m {shlex.quote(f'Import {origin.title}')}")
    await _git(box, "rm -rf .git/logs .git/ORIG_HEAD .git/FETCH_HEAD .git/COMMIT_EDITMSG")
    return (await _git(box, "git rev-parse HEAD")).out.decode().strip()


async def set_up(box: Box, setup: Setup, *, timeout_s: float) -> str:
    """Carry out a set-up and commit what it changed; return the commit that stands then.

    Raises:
        InputError: a command fails or takes too long.
        ComponentError: the container is gone.
    """
    if setup.files:
        await box.unpack(".", setup.archive())
    for command in setup.commands:
        ran = await box.run(["sh", "-ec", command], timeout_s=timeout_s)
        if ran.timed_out:
            raise InputError(
                f"set-up did not end within {timeout_s:g} s", where=command[:80], fix="raise setup_seconds"
            )
        if ran.code != 0:
            raise InputError(f"set-up failed with {ran.code}: {_last(ran)}", where=command[:80])
    if setup.files or setup.commands:
        await _git(box, _COMMIT)
    return (await _git(box, "git rev-parse HEAD")).out.decode().strip()


async def commits_of(box: Box, most: int = 5) -> list[str]:
    """Return the newest commits, one line each: short hash and subject."""
    ran = await box.run(["git", "log", f"-{most}", "--format=%h %s"])
    return ran.out.decode(errors="replace").splitlines() if ran.code == 0 else []


async def _settle(box: Box) -> None:
    """Give it an author, and keep git from doing anything by itself."""
    settings = {"user.name": _WHO["NAME"], "user.email": _WHO["EMAIL"], "gc.auto": "0", "maintenance.auto": "false"}
    words = [f"git config {key} {shlex.quote(value)}" for key, value in settings.items()]
    ignored = " ".join(map(shlex.quote, _IGNORED))
    words += ["mkdir -p .git/info", f"printf '%s\\n' {ignored} >>.git/info/exclude"]
    await _git(box, " && ".join(words))


async def _git(box: Box, script: str) -> Ran:
    ran = await box.run(["sh", "-c", script], env=_BY | _WHEN, timeout_s=_GIT_S)
    if ran.code != 0:
        raise ComponentError(f"git failed in the container: {_last(ran)}", where=script[:40])
    return ran


def _last(ran: Ran) -> str:
    lines = (ran.err or ran.out).decode(errors="replace").strip().splitlines()
    return lines[-1] if lines else f"signal {ran.signal}"


__all__ = ["commits_of", "lay", "set_up"]
