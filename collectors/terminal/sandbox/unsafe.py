"""A shell on this very machine: no protection at all, for where nothing better can be had and somebody asked for it."""

import os
import pty
import shutil
import signal
import subprocess
import tempfile
from collections.abc import Sequence
from contextlib import suppress

from worldtape.collectors.terminal.sandbox._files import script, written
from worldtape.collectors.terminal.sandbox._launch import become, launch
from worldtape.collectors.terminal.sandbox._process import contents, finish, in_thread, spool
from worldtape.collectors.terminal.sandbox._pty import close_quietly, set_size
from worldtape.collectors.terminal.sandbox._ran import Ran
from worldtape.collectors.terminal.sandbox._versions import versions
from worldtape.collectors.terminal.sandbox.config import SandboxConfig
from worldtape.errors import ComponentError, RefusedError

_KEPT = ("PATH", "USER", "LOGNAME", "LANG", "LC_ALL", "TZ")
# A session leader without a terminal gets the first one it opens as its controlling terminal.
_OPEN = 'tty=$1; shift; exec "$@" <>"$tty" >&0 2>&0'


class UnsafeLocal:
    """A PTY and a shell in a fresh home directory; everything this user may do, the shell may do."""

    def __init__(self, config: SandboxConfig) -> None:
        self.config = config
        self.spec = config.asked()
        self.fd = -1
        self.shell_pid: int | None = None
        self._home: tempfile.TemporaryDirectory[str] | None = None
        self._shell: subprocess.Popen[bytes] | None = None

    async def start(self, *, cols: int, rows: int) -> None:
        """Start the shell in a temporary home directory."""
        self._home = tempfile.TemporaryDirectory(prefix="home-", ignore_cleanup_errors=True)
        try:
            if self.config.files:
                written(await self.run(["sh"], stdin=script(self.config.files)))
            await in_thread(become, self._start_shell(cols, rows), _OPEN.encode())
        except OSError as error:
            await self.close()
            raise ComponentError(f"the shell does not start: {error}", where="unsafe-local") from error
        except BaseException:
            await self.close()
            raise
        self.spec = self.spec.model_copy(update={"versions": versions(), "parameters": {"limits_by": "nothing"}})

    def _start_shell(self, cols: int, rows: int) -> int:
        shell = self.config.shell or (("bash",) if shutil.which("bash") else ("sh",))
        self.fd, slave = pty.openpty()
        set_size(self.fd, cols, rows)
        os.set_blocking(self.fd, False)
        opens = ["sh", "-c", _OPEN, "sh", os.ttyname(slave), *shell]
        try:
            self._shell = launch(
                opens,
                env=self._env(),
                cwd=self._cwd(),
                start_new_session=True,
                stdin=slave,
                stdout=slave,
                stderr=slave,
            )
        finally:
            os.close(slave)
        self.shell_pid = self._shell.pid
        return self.shell_pid

    def _env(self) -> dict[str, str]:
        assert self._home is not None
        kept = {name: os.environ[name] for name in _KEPT if name in os.environ}
        return kept | {"HOME": self._home.name, "TERM": "xterm-256color"} | self.config.env

    def _cwd(self) -> str:
        assert self._home is not None
        return self.config.workdir or self._home.name

    def resize(self, cols: int, rows: int) -> None:
        """Give the PTY another size."""
        set_size(self.fd, cols, rows)

    async def run(
        self, argv: Sequence[str], *, stdin: bytes = b"", timeout_s: float = 60, user: str | None = None
    ) -> Ran:
        """Run a command in the shell's home directory, as this user."""
        if user is not None:
            raise RefusedError("another user is asked for", where="unsafe-local", fix="use the sandbox 'docker'")
        with spool("stdin", stdin) as given, spool("output") as said:
            try:
                process = launch(
                    argv,
                    stdin=given,
                    stdout=said,
                    stderr=said,
                    env=self._env(),
                    cwd=self._cwd(),
                    start_new_session=True,
                )
            except FileNotFoundError as error:
                return Ran(127, f"{error.filename}: not found\n".encode())
            code = await finish(process, timeout_s, lambda: _kill_group(process.pid))
            return Ran(code, contents(said))

    def alive(self) -> bool:
        """Whether the shell runs."""
        return self._shell is not None and self._shell.poll() is None

    async def exit_code(self) -> int | None:
        """Return how the shell ended: it is our own child."""
        return None if self._shell is None else self._shell.poll()

    def reason(self) -> str | None:
        """Return nothing: nobody ends it from outside."""
        return None

    async def close(self) -> None:
        """End the shell's processes and remove its home directory."""
        close_quietly(self.fd)
        self.fd = -1
        if self._shell is not None:
            _kill_session(self._shell.pid)
            self._shell.wait()
            self._shell = None
        if self._home is not None:
            self._home.cleanup()
            self._home = None


def _kill_group(leader: int) -> None:
    with suppress(ProcessLookupError, PermissionError):
        os.killpg(leader, signal.SIGKILL)


def _kill_session(leader: int) -> None:
    """End every process of the shell's session; background jobs have groups of their own."""
    _kill_group(leader)
    for name in os.listdir("/proc") if os.path.isdir("/proc") else ():  # noqa: PTH112, PTH208 - macOS has no /proc
        with suppress(OSError, ValueError):
            if os.getsid(int(name)) == leader:
                os.kill(int(name), signal.SIGKILL)
