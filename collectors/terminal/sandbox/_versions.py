"""What runs here, by version."""

import platform
import subprocess
from functools import cache


@cache
def versions() -> dict[str, str]:
    """Return the versions of this machine's kernel and of its bash."""
    found = {"kernel": platform.release()}
    try:
        said = subprocess.run(["bash", "--version"], capture_output=True, text=True, check=False).stdout
    except OSError:
        return found
    line = said.partition("\n")[0]
    return found | ({"bash": line.partition("version ")[2].split("(")[0]} if "version " in line else {})
