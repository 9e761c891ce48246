"""The first process of a local sandbox: a bash that reads what to start from a pipe, and ends when the pipe does.

So the sandbox ends with its recorder, however that ends; nothing has to notice.
"""

import json
import os
import select
import shlex
import signal
import subprocess
import time
from collections.abc import Mapping, Sequence
from contextlib import ExitStack, suppress
from pathlib import Path

from worldtape.collectors.terminal._proc import read_stat
from worldtape.collectors.terminal.sandbox._launch import become, launch
from worldtape.collectors.terminal.sandbox._process import contents, spool
from worldtape.collectors.terminal.sandbox.local import _etc, _root
from worldtape.collectors.terminal.sandbox.local._check import bwrap
from worldtape.collectors.terminal.sandbox.local._userns import open_userns
from worldtape.errors import ComponentError
from worldtape.schemas import Limits

_NAME = "/sbin/init"
_ANSWER_S = 60.0
# Joins the control groups and sets the limits on itself, then becomes bubblewrap.
_LAUNCH = (
    'n=$1; shift; while [ "$n" -gt 0 ]; do echo 0 >"$1/cgroup.procs" || exit 9; shift; n=$((n-1)); done; exec "$@"'
)


class Init:
    """Process 1 of a sandbox.

    Args:
        uid: the spare uid that its user is outside (as root); null: this user.
        groups: control groups to join.
    """

    def __init__(
        self,
        limits: Limits,
        *,
        hostname: str,
        env: Mapping[str, str],
        cwd: str,
        uid: int | None,
        groups: Sequence[Path],
    ) -> None:
        self.limits = limits
        self.hostname = hostname
        self.env = dict(env)
        self.cwd = cwd
        self.uid = uid
        self.groups = groups
        self.pid = 0
        self._pidfd = -1
        self._process: subprocess.Popen[bytes] | None = None

    @property
    def root(self) -> str:
        """The sandbox's root, as this machine can walk into it."""
        return f"/proc/{self.pid}/root"

    def start(self) -> None:
        """Start it and wait until it answers.

        Raises:
            ComponentError: bubblewrap says why not.
        """
        with ExitStack() as held:
            errors = held.enter_context(spool("errors"))
            texts = {}
            for path, text in _etc.files(self.hostname).items():
                texts[path] = held.enter_context(spool("file", text.encode())).fileno()
            words = _root.options(self.limits, self.hostname, texts, self.env, self.cwd)
            passed = [*texts.values(), *self._user(words, held)]
            listing = held.enter_context(spool("options", b"".join(f"{word}\0".encode() for word in words)))
            info, told = os.pipe()
            held.callback(os.close, info)
            try:
                self._launch([*passed, listing.fileno(), told], listing.fileno(), told, errors.fileno())
            finally:
                os.close(told)
            if self._ask("printf init >/proc/$$/comm; echo") is None:
                self.stop()
                said = contents(errors).decode(errors="replace").strip().splitlines()
                raise ComponentError(said[-1] if said else "it does not answer", where="local sandbox")
            self.pid = json.loads(os.read(info, 4096))["child-pid"]
            self._pidfd = os.pidfd_open(self.pid)
        self._own_home()

    def _user(self, words: list[str], held: ExitStack) -> list[int]:
        if self.uid is None:
            words[:0] = ["--unshare-user", "--disable-userns", "--uid", str(_etc.UID), "--gid", str(_etc.UID)]
            return []
        userns = open_userns(self.uid)
        held.callback(os.close, userns)
        words[:0] = ["--userns", str(userns)]
        for capability in ("CAP_SETUID", "CAP_SETGID", "CAP_SETPCAP"):
            words += ["--cap-add", capability]
        return [userns]

    def _launch(self, passed: list[int], listing: int, told: int, errors: int) -> None:
        limits = ["prlimit", "--core=0", f"--fsize={self.limits.file_mb << 20}"]
        if not self.groups:
            limits += [f"--nproc={self.limits.pids}", f"--data={self.limits.memory_mb << 20}"]
        joins = ["sh", "-c", _LAUNCH, "sh", str(len(self.groups)), *map(str, self.groups), *limits, "--"]
        program = [str(bwrap()), "--args", str(listing), "--info-fd", str(told), "--"]
        drop: list[str] = []
        if self.uid is not None:
            ids = [f"--reuid={_etc.UID}", f"--regid={_etc.UID}", "--clear-groups", "--no-new-privs"]
            drop = ["setpriv", *ids, "--bounding-set=-all", "--inh-caps=-all", "--ambient-caps=-all"]
        self._process = launch(
            [*joins, *program, *drop, "bash", "-c", f"exec -a {_NAME} bash"],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=errors,
            pass_fds=passed,
            cwd="/",
            start_new_session=True,
        )

    def _ask(self, line: str) -> bytes | None:
        """Let it run one line that ends by printing one; return that, or null where it has ended."""
        assert self._process is not None
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        with suppress(BrokenPipeError):
            self._process.stdin.write(f"{line}\n".encode())
            self._process.stdin.flush()
        if not select.select([self._process.stdout], [], [], _ANSWER_S)[0]:
            return None
        return self._process.stdout.readline() or None

    def _own_home(self) -> None:
        """Give the home directory, which bubblewrap made as root, to the sandbox's user."""
        if self.uid is None:
            return
        for path in (Path(self.root + _etc.HOME), *Path(self.root + _etc.HOME).iterdir()):
            os.chown(path, self.uid, self.uid)

    def spawn(self, argv: Sequence[str], tty: str, cwd: str) -> int:
        """Start the interactive shell as the leader of a session on `tty`; return its pid in this machine's `/proc`."""
        if self.uid is not None:
            os.chown(self.root + tty, self.uid, 5)
        there = f"command -v {shlex.quote(argv[0])} >/dev/null"
        start = f"SHLVL=0 setsid --fork --ctty {shlex.join(argv)} <>{tty} >&0 2>&1"
        answer = self._ask(f"cd {shlex.quote(cwd)} && {there} && {start}; echo $?; exec >/dev/null 2>&1; unset OLDPWD")
        leader = self._leader(Path(self.root + tty).stat().st_rdev) if answer == b"0\n" else None
        if leader is None:
            raise ComponentError(f"the shell {argv[0]!r} does not start", where="local sandbox")
        become(leader, b"\0--ctty\0")
        return leader

    def _leader(self, tty: int) -> int | None:
        """Return which of our children has the terminal `tty`, once one has; others are what a set-up left behind."""
        deadline = time.monotonic() + _ANSWER_S
        children = Path(f"/proc/{self.pid}/task/{self.pid}/children")
        while (pids := children.read_text().split()) and time.monotonic() < deadline:
            for pid in map(int, pids):
                found = read_stat(pid)
                if found is not None and os.makedev(*found.tty) == tty:
                    return pid
            time.sleep(0.0005)
        return None

    def alive(self) -> bool:
        """Whether it runs."""
        return self._process is not None and self._process.poll() is None

    def stop(self) -> None:
        """End it, and with it everything in the sandbox."""
        process, self._process = self._process, None
        if process is None:
            return
        if self._pidfd >= 0:
            with suppress(ProcessLookupError):
                signal.pidfd_send_signal(self._pidfd, signal.SIGKILL)
            os.close(self._pidfd)
            self._pidfd = -1
        for pipe in (process.stdin, process.stdout):
            if pipe is not None:
                with suppress(OSError):
                    pipe.close()
        if not self.pid:
            process.kill()
        process.wait()
