"""The sandbox `local`."""

import os
import signal
import subprocess
import sys
from collections.abc import Sequence
from contextlib import suppress
from functools import cache
from pathlib import Path

from worldtape.collectors.terminal.sandbox._files import script, written
from worldtape.collectors.terminal.sandbox._oom import OomKills
from worldtape.collectors.terminal.sandbox._process import contents, finish, in_thread, spool
from worldtape.collectors.terminal.sandbox._pty import close_quietly, open_master, set_size
from worldtape.collectors.terminal.sandbox._ran import Ran
from worldtape.collectors.terminal.sandbox._started import started
from worldtape.collectors.terminal.sandbox._versions import versions
from worldtape.collectors.terminal.sandbox.config import SandboxConfig
from worldtape.collectors.terminal.sandbox.local import _etc, _root
from worldtape.collectors.terminal.sandbox.local._cgroup import Cgroup, make_cgroup, reap
from worldtape.collectors.terminal.sandbox.local._check import namespaces
from worldtape.collectors.terminal.sandbox.local._init import Init
from worldtape.collectors.terminal.sandbox.local._userns import SpareUid
from worldtape.errors import ComponentError, ConfigError, RefusedError

_PATH = "/usr/local/bin:/usr/bin:/bin:/usr/local/games:/usr/games"
_ENTER = str(Path(__file__).with_name("_enter.py"))


class Local:
    """A shell in its own namespaces, with a root of its own and nothing of this machine to write to."""

    def __init__(self, config: SandboxConfig) -> None:
        if config.network != "none":
            fix = "use the sandbox 'docker'"
            raise RefusedError(f"a local sandbox has no network {config.network!r}", where="network", fix=fix)
        if config.user not in {None, _etc.USER}:
            raise ConfigError("a local sandbox has one user", where="user", fix=f"leave it out or say {_etc.USER!r}")
        self.config = config
        self.spec = config.asked()
        self.fd = -1
        self.shell_pid: int | None = None
        self._uid: SpareUid | None = None
        self._cgroup: Cgroup | None = None
        self._init: Init | None = None
        self._at = _etc.HOME
        self._shell_start: int | None = None
        self._reason: str | None = None
        self._oom: OomKills | None = None
        self._outlived = 0

    async def start(self, *, cols: int, rows: int) -> None:
        """Make the namespaces, then the shell in them."""
        missing = namespaces()
        if missing is not None:
            raise ComponentError(missing, where="local sandbox")
        try:
            await in_thread(self._make)
            if self.config.files or self.config.workdir:
                written(await self.run(["sh"], stdin=script(self.config.files, self.config.workdir)))
            self._at = self.config.workdir or _etc.HOME
            await in_thread(self._start_shell, cols, rows)
        except BaseException:
            await self.close()
            raise
        held = "rlimits" if self._cgroup is None else f"cgroup {self._cgroup.version}"
        self.spec = self.spec.model_copy(update={"versions": versions(), "parameters": {"limits_by": held}})

    def _make(self) -> None:
        _reap_once()
        limits = self.config.limits
        memory = limits.memory_mb + sum(_root.tmpfs_mb(limits).values())
        self._cgroup = make_cgroup(memory, limits.pids, limits.cpus)
        self._uid = SpareUid() if os.geteuid() == 0 else None
        try:
            self._start_init()
        except ComponentError:
            if self._cgroup is None or self._uid is not None:
                raise
            # An ordinary user may make a group and yet not be let into it.
            self._cgroup.remove()
            self._cgroup = None
            self._start_init()

    def _start_init(self) -> None:
        self._init = Init(
            self.config.limits,
            hostname=self.config.hostname,
            env=self._env(),
            cwd=_etc.HOME,
            uid=None if self._uid is None else self._uid.uid,
            groups=() if self._cgroup is None else self._cgroup.paths,
        )
        self._init.start()

    def _env(self) -> dict[str, str]:
        usual = {"HOME": _etc.HOME, "LANG": "C.UTF-8", "LOGNAME": _etc.USER, "PATH": _PATH, "SHELL": "/bin/bash"}
        return usual | {"TERM": "xterm-256color", "USER": _etc.USER} | self.config.env

    def _start_shell(self, cols: int, rows: int) -> None:
        assert self._init is not None
        self.fd, number = open_master(self._init.root, cols, rows)
        self.shell_pid = self._init.spawn(self.config.shell or ("bash",), f"/dev/pts/{number}", self._at)
        self._shell_start = started(self.shell_pid)
        self._oom = None if self._cgroup is None else OomKills(self._cgroup.paths)

    def resize(self, cols: int, rows: int) -> None:
        """Give the PTY another size."""
        set_size(self.fd, cols, rows)

    async def run(
        self, argv: Sequence[str], *, stdin: bytes = b"", timeout_s: float = 60, user: str | None = None
    ) -> Ran:
        """Run a command in the namespaces, as the sandbox's user, in its home directory."""
        if user not in {None, _etc.USER}:
            raise RefusedError(f"nobody can be {user!r} in a local sandbox", fix="use the sandbox 'docker'")
        if self._init is None:
            raise ComponentError("the sandbox is not running", where="local sandbox")
        with spool("stdin", stdin) as given, spool("output") as said:
            words = [sys.executable, "-I", "-S", _ENTER, *self._plan(), *argv]
            process = subprocess.Popen(  # noqa: ASYNC220 - it takes a millisecond
                words, stdin=given, stdout=said, stderr=said, env={}, cwd="/", start_new_session=True
            )
            code = await finish(process, timeout_s, lambda: _kill_tree(process))
            return Ran(code, contents(said))

    def _plan(self) -> list[str]:
        assert self._init is not None
        env = [f"{name}={value}" for name, value in self._env().items()]
        groups = ":".join(str(path) for path in (self._cgroup.paths if self._cgroup else ()))
        limits = self.config.limits
        each = [0, 0] if self._cgroup else [limits.pids, limits.memory_mb << 20]
        sizes = [str(size) for size in (limits.file_mb << 20, *each)]
        ids = [str(self._init.pid), str(_etc.UID), str(_etc.UID), self._at]
        return [*ids, *sizes, groups, str(len(env)), *env]

    def alive(self) -> bool:
        """Whether the shell runs."""
        if self._init is None or self.shell_pid is None or not self._init.alive():
            return False
        return self._shell_start is not None and started(self.shell_pid) == self._shell_start

    async def exit_code(self) -> int | None:
        """Return nothing: process 1 buries the shell and tells nobody."""
        return None

    def reason(self) -> str | None:
        """Say which limit ended the sandbox, if one did; a kill that the shell has outlived did not."""
        kills = 0 if self._oom is None else self._oom.count()
        if kills > self._outlived:
            if self.alive():
                self._outlived = kills
            elif self._reason is None:
                self._reason = "the memory limit"
        return self._reason

    async def close(self) -> None:
        """End every process and remove the control group."""
        self.reason()
        close_quietly(self.fd)
        self.fd = -1
        await in_thread(self._remove)

    def _remove(self) -> None:
        if self._init is not None:
            self._init.stop()
            self._init = None
        if self._oom is not None:
            self._oom.close()
            self._oom = None
        if self._cgroup is not None:
            self._cgroup.remove()
            self._cgroup = None
        if self._uid is not None:
            self._uid.release()
            self._uid = None


@cache
def _reap_once() -> None:
    """Remove what dead recorders left, the first time that this process makes a sandbox."""
    reap()


def _kill_tree(process: subprocess.Popen[bytes]) -> None:
    """End the command's process group; the program that brought it in must live to bury it, or the namespace waits."""
    children: list[str] = []
    with suppress(OSError):
        children = Path(f"/proc/{process.pid}/task/{process.pid}/children").read_text().split()
    for child in children:
        for kill in (os.killpg, os.kill):
            with suppress(ProcessLookupError, PermissionError):
                kill(int(child), signal.SIGKILL)
    if not children:
        process.kill()
