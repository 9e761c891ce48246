"""Child processes that start as after a login, whatever this process was started with, and the program they become."""

import os
import signal
import subprocess
import sys
import time
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from worldtape.collectors.terminal.sandbox._started import started
from worldtape.errors import ComponentError

_DEFAULT = str(Path(__file__).with_name("_default.py"))
_RESTORED = {"SIGPIPE", "SIGXFSZ"}
_BECOME_S = 60.0


def launch(argv: Sequence[str], env: Mapping[str, str] | None = None, **options: Any) -> subprocess.Popen[bytes]:
    """Start `argv` with no signal ignored and none blocked.

    A script starts its background jobs with SIGINT ignored and `nohup` with SIGHUP, a shell cannot undo what it was
    started with, and then C-c would be dead in what is recorded.

    Args:
        argv: the command, found by its environment's PATH.
        env: the whole environment; none: this process's own.
        options: as for `subprocess.Popen`.
    """
    words = list(argv)
    if _disturbed():
        pairs = [f"{name}={value}" for name, value in (os.environ if env is None else env).items()]
        words = [sys.executable, "-I", "-S", _DEFAULT, str(len(pairs)), *pairs, *words]
    return subprocess.Popen(words, env=env, **options)


def _disturbed() -> bool:
    """Whether a child of this thread would be born with a signal ignored or blocked; `Popen` restores two itself."""
    ignored = {number for number in signal.valid_signals() if signal.getsignal(number) == signal.SIG_IGN}
    restored = {getattr(signal, name) for name in _RESTORED if hasattr(signal, name)}
    return bool(ignored - restored or signal.pthread_sigmask(signal.SIG_BLOCK, ()))


def become(pid: int, launcher: bytes) -> None:
    """Wait until `pid` has become the program that it was started for, or is gone.

    Until then it is another one by name, and what it waits for is not what it will wait for.

    Args:
        pid: one that was just started.
        launcher: what stands in the command line of the program that becomes the other one.

    Raises:
        ComponentError: it does not within a minute.
    """
    path = Path(f"/proc/{pid}/cmdline")
    deadline = time.monotonic() + _BECOME_S
    while path.exists() and started(pid) is not None:
        try:
            line = path.read_bytes()
        except OSError:
            return
        if line and launcher not in line:  # it is empty for a moment, between the two
            return
        if time.monotonic() > deadline:
            raise ComponentError("the shell does not start", where=f"process {pid}", fix="is the machine overloaded?")
        time.sleep(0.0005)
