"""Keys that send signals work, whatever the recorder was started with: `nohup`, a script's `&`, a blocked signal."""

from __future__ import annotations

import json
import re
import subprocess
import sys
from pathlib import Path

import pytest

from tests.collectors.terminal._needs import KINDS, needs

CHILD = """
import json, os, signal, sys
from tests.collectors.terminal._box import box
signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT, signal.SIGUSR1})
with open("/proc/self/status") as file:
    own = [line for line in file if line.startswith(("SigIgn", "SigBlk"))]
with box(sys.argv[1]) as made:
    beside = made.run("grep -E 'Sig(Ign|Blk)' /proc/self/status").text
    broken = made.run("yes | head -n 1").text
    typed = made.say("grep -E 'Sig(Ign|Blk)' /proc/self/status; env | grep -c LC_CTYPE")
    for key, code in (("\\x03", 130), ("\\x1c", 131)):
        long = f"sleep {code}{os.getpid()}"
        made.type(f"{long}; echo code $?\\r")
        made.holds_terminal(long)
        made.type(key + "echo code $?\\r")
        made.read_until(f"code {code}")
print(json.dumps({"own": own, "beside": beside, "typed": typed, "broken": broken}))
"""


def without_own(text: str | list[str]) -> str:
    """Take 32 and 33 out of the masks: the C library keeps these two signals for itself and lets nobody change them."""
    return re.sub(r"[0-9a-f]{16}", lambda mask: f"{int(mask[0], 16) & ~(0b11 << 31):016x}", "".join(text))


@pytest.mark.parametrize("kind", [*KINDS, "unsafe-local"])
def test_a_recorder_in_the_background_has_a_shell_with_all_its_signals(kind: str) -> None:
    needs(kind)
    background = [
        "sh",
        "-c",
        "trap '' INT QUIT HUP PIPE TSTP USR2; exec \"$@\"",
        "sh",
        sys.executable,
        "-c",
        CHILD,
        kind,
    ]
    root = Path(__file__).parents[3]
    done = subprocess.run(background, cwd=root, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    said = {name: without_own(text) for name, text in json.loads(done.stdout).items()}
    nothing = ["SigBlk:", "0" * 16, "SigIgn:", "0" * 16]
    assert not set(said["own"].split()) <= set(nothing)
    assert said["beside"].split() == nothing
    assert said["typed"].split() == [*nothing, "0"]
    assert said["broken"] == "y\n"
