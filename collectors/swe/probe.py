"""The state of a repository, seen without leaving anything behind."""

from __future__ import annotations

import hashlib
import secrets
from dataclasses import dataclass, replace
from typing import Any

from worldtape.collectors.swe.box import Box

_PROBE_S = 60.0
_MOST_PATHS = 500
_MOST_DIFF = 16 << 20
# The whole working copy becomes a tree of git in an index and an object store of our own, so that one hash stands for
# it and the patch holds new files too. The real index is only read.
_LOOK = """
export GIT_OPTIONAL_LOCKS=0
own=$(mktemp -d) || exit 1
trap 'rm -rf "$own"' EXIT
git -c core.fsmonitor=false status --porcelain=v2 --branch -z --untracked-files=all || exit 1
printf '%s' "$1"
{ read -r index; read -r objects; read -r top; } <<END
$(git rev-parse --path-format=absolute --git-path index --git-path objects --show-toplevel)
END
cp -p "$index" "$own/index" 2>/dev/null
export GIT_INDEX_FILE="$own/index" GIT_OBJECT_DIRECTORY="$own" GIT_ALTERNATE_OBJECT_DIRECTORIES="$objects"
cd "$top" && git -c core.fsmonitor=false -c core.safecrlf=false add -A >/dev/null || exit 1
git write-tree || exit 1
printf '%s' "$1"
git -c core.fsmonitor=false diff --cached --binary --no-color --no-ext-diff --no-textconv HEAD >"$own/diff" || {
    git rev-parse -q --verify HEAD >/dev/null && exit 1
}
wc -c <"$own/diff"
printf '%s' "$1"
head -c "$2" "$own/diff"
"""


@dataclass(frozen=True, slots=True)
class Look:
    """One look at a repository."""

    head: str | None
    """Its commit; null before the first one."""
    branch: str | None
    """Null where HEAD stands on no branch."""
    tree: str
    """Git's tree of the whole working copy, ignored files left out."""
    diff: bytes
    """The patch from HEAD to the working copy, new files with it; its first 16 MiB."""
    dirty: tuple[str, ...] = ()
    """Tracked paths that differ from HEAD or from the index."""
    untracked: tuple[str, ...] = ()
    staged: tuple[str, ...] = ()
    """Those of `dirty` of which something is staged."""
    diff_bytes: int = 0
    """Of the whole patch."""

    def state(self) -> dict[str, Any]:
        """Return it as probes give it; `diff` names the patch by its hash, null where there is none.

        Of very many paths the first count, and `more_paths` says how many are left out.
        """
        cut = {name: list(getattr(self, name)[:_MOST_PATHS]) for name in ("dirty", "staged", "untracked")}
        left = sum(len(getattr(self, name)) - len(paths) for name, paths in cut.items())
        state = {"head": self.head, "branch": self.branch, "tree": self.tree, **cut}
        state["diff"] = f"sha256:{hashlib.sha256(self.diff).hexdigest()}" if self.diff else None
        return state | ({"more_paths": left} if left else {})

    def differs(self, before: Look | None) -> bool:
        """Whether the repository's state is another one: files, commit, branch or what is staged."""
        mine = (self.head, self.branch, self.tree, self.staged, self.dirty)
        return before is None or mine != (before.head, before.branch, before.tree, before.staged, before.dirty)


async def look(box: Box) -> Look | None:
    """Look at the repository; None where git cannot be asked: it was removed or broken.

    Raises:
        ComponentError: the container is gone.
    """
    mark = f"\n{secrets.token_hex(16)}\n"
    ran = await box.run(["sh", "-c", _LOOK, "sh", mark, str(_MOST_DIFF)], timeout_s=_PROBE_S)
    parts = ran.out.split(mark.encode(), 3)
    if ran.code != 0 or len(parts) != 4:  # noqa: PLR2004
        return None
    status, tree, size, diff = parts
    return replace(
        _read(status.decode(errors="surrogateescape")), tree=tree.decode().strip(), diff=diff, diff_bytes=int(size)
    )


def _read(status: str) -> Look:
    """Read `git status --porcelain=v2 --branch -z`."""
    branch: dict[str, str] = {}
    dirty, staged, untracked = [], [], []
    entries = iter(status.split("\0"))
    for entry in entries:
        kind, _, rest = entry.partition(" ")
        if kind == "#":
            key, _, value = rest.partition(" ")
            branch[key] = value
        elif kind == "?":
            untracked.append(_shown(rest))
        elif kind in ("1", "2", "u"):
            words = rest.split(" ", {"1": 7, "2": 8, "u": 9}[kind])
            path = _shown(words[-1])
            dirty.append(path)
            if kind == "2":
                next(entries, None)  # where it came from
            if words[0][0] != ".":
                staged.append(path)
    head = branch.get("branch.oid")
    name = branch.get("branch.head")
    return Look(
        head=None if head in (None, "(initial)") else head,
        branch=None if name in (None, "(detached)") else name,
        tree="",
        diff=b"",
        dirty=tuple(sorted(dirty)),
        untracked=tuple(sorted(untracked)),
        staged=tuple(sorted(staged)),
    )


def _shown(path: str) -> str:
    return path.encode("utf-8", "surrogateescape").decode("utf-8", "replace")


__all__ = ["Look", "look"]
