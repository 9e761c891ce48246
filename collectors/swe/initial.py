"""What a policy is told of a repository before its first call."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from worldtape.collectors.swe.box import Box, Entry
from worldtape.collectors.swe.config import SweConfig
from worldtape.collectors.swe.probe import Look

_VERSIONS = """
. /etc/os-release 2>/dev/null; echo "os=$PRETTY_NAME"
echo "git=$(git --version | cut -d' ' -f3)"
python3 - <<'END'
import importlib.metadata, platform
print("python=" + platform.python_version())
try:
    print("pytest=" + importlib.metadata.version("pytest"))
except importlib.metadata.PackageNotFoundError:
    pass
END
for tool in go:version cargo:--version node:--version; do
    name=${tool%:*}
    command -v "$name" >/dev/null && echo "$name=$("$name" "${tool#*:}" | grep -o '[0-9][0-9.]*' | head -n 1)"
done
"""
_MOST = 100


async def versions_of(box: Box) -> dict[str, str]:
    """Return what works in the container, by version; what is not there is left out."""
    ran = await box.run(["sh", "-c", _VERSIONS])
    pairs = (line.partition("=") for line in ran.out.decode(errors="replace").splitlines())
    return {name: value for name, _, value in pairs if value}


def initial_text(
    config: SweConfig, versions: Mapping[str, str], seen: Look | None, commits: Sequence[str], listed: Sequence[Entry]
) -> str:
    """Return one line each: system, tools, repository, tests, newest commits, top folder."""
    lines = [f"OS: {versions.get('os', 'Linux')}"]
    tools = ", ".join(f"{name} {version}" for name, version in versions.items() if name not in _APART)
    lines += [f"Installed: {tools}", f"Network: {config.network}", f"Repository: {config.workdir}"]
    if seen is not None:
        lines.append(f"Branch: {seen.branch or '(detached)'} at {(seen.head or 'no commit')[:12]}")
    if config.tests is not None:
        lines.append(f"Tests: {config.tests}")
    lines += ["Commits:", *(f"  {commit}" for commit in commits)] if commits else []
    names = [entry.name + "/" * (entry.kind == "dir") for entry in listed if entry.name != ".git"]
    more = [f"  … and {len(names) - _MOST} more"] if len(names) > _MOST else []
    return "\n".join([*lines, "Files:", *(f"  {name}" for name in names[:_MOST]), *more])


_APART = ("docker", "kernel", "os")

__all__ = ["initial_text", "versions_of"]
