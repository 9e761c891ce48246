"""Files that stand before the shell starts, written by one command that any shell understands."""

import base64
import shlex
from collections.abc import Mapping
from pathlib import PurePosixPath

from worldtape.collectors.terminal.sandbox._ran import Ran
from worldtape.errors import ConfigError

_PIECE = 60_000


def script(files: Mapping[str, str], workdir: str | None = None) -> bytes:
    """Return a shell script that writes `files` (absolute path to text) and makes `workdir`.

    Raises:
        ConfigError: a path is not absolute.
    """
    lines = ["set -e"] + ([f"mkdir -p {shlex.quote(workdir)}"] if workdir else [])
    for path, text in files.items():
        if not path.startswith("/"):
            raise ConfigError("not an absolute path", where=path, fix="write files by their absolute path")
        name = shlex.quote(path)
        lines.append(f"mkdir -p {shlex.quote(str(PurePosixPath(path).parent))}; : > {name}")
        data = text.encode()
        for start in range(0, len(data), _PIECE):
            piece = base64.b64encode(data[start : start + _PIECE]).decode()
            lines.append(f"printf %s {piece} | base64 -d >> {name}")
    return ("\n".join(lines) + "\n").encode()


def written(ran: Ran) -> None:
    """Check that the script did its work.

    Raises:
        ConfigError: a file cannot be written there.
    """
    if ran.exit_code != 0:
        lines = ran.text.strip().splitlines()
        raise ConfigError(lines[-1] if lines else "not written", where="files", fix="write below the home or /tmp")
