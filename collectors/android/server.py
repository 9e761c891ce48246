"""Appium servers that we start: one per driver and process, which end with it, also when it is killed."""

from __future__ import annotations

import atexit
import fcntl
import os
import shutil
import signal
import socket
import subprocess
import threading
from collections import deque
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO

from worldtape.collectors.cache import cache_folder
from worldtape.collectors.processes import Group, Workdir
from worldtape.errors import ComponentError

HOW = "npm install --prefix ~/.cache/worldtape/npm appium@3 appium-uiautomator2-driver"
_READY = "listener started"
_LOCAL = "127.0.0.1"
_KEPT = 50
_TRIES = 3
_GRACE_S = 5.0
_INHERITED = (
    "ANDROID_HOME", "ANDROID_SDK_ROOT", "HOME", "JAVA_HOME", "LANG", "LOGNAME", "PATH", "USER",
)  # fmt: skip


def find_appium() -> tuple[str, str | None] | None:
    """Return the program and the folder that its drivers are installed in (None: Appium's own); None: there is none.

    Ours (`~/.cache/worldtape/npm`, or `XDG_CACHE_HOME`) comes first, then the one on the PATH.
    """
    cache = cache_folder("npm")
    ours = cache / "node_modules" / ".bin" / "appium"
    if ours.exists():
        return str(ours), str(cache)
    other = shutil.which("appium")
    return None if other is None else (other, os.environ.get("APPIUM_HOME"))


def driver_installed(package: str) -> bool:
    """Say whether a driver's package lies where the Appium that we would start looks for it."""
    found = find_appium()
    if found is None:
        return False
    home = Path(found[1]) if found[1] is not None else Path.home() / ".appium"
    return (home / "node_modules" / package).is_dir()


class Server:
    """A server that we have started, with a folder for what it and its browsers leave behind.

    Attributes:
        url: its address.
        pid: its process, which leads a group of its own.
    """

    def __init__(self, driver: str, *, start_s: float) -> None:
        found = find_appium()
        if found is None or shutil.which("node") is None:
            raise ComponentError("there is no Appium", fix=HOW)
        self._folder = Workdir()
        self._lines: deque[str] = deque(maxlen=_KEPT)
        self._ready = threading.Event()
        self._ended = threading.Event()
        try:
            with _alone(found[1]):
                port = self._started(*found, driver, start_s)
        except BaseException:
            self._folder.remove()
            raise
        self.url = f"http://{_LOCAL}:{port}"

    def _started(self, program: str, home: str | None, driver: str, start_s: float) -> int:
        """Start it, once more where somebody took its port, and return the port."""
        for left in reversed(range(_TRIES)):
            port = free_port()
            self._start(program, home, driver, port)
            self._ready.wait(start_s)
            if self.lives and self._ready.is_set():
                return port
            self._end()
            if not left or "EADDRINUSE" not in self.said:
                raise ComponentError(f"the Appium server did not start: {self._last}", where=program)
        raise AssertionError

    def _start(self, program: str, home: str | None, driver: str, port: int) -> None:
        env = {name: os.environ[name] for name in _INHERITED if name in os.environ} | {
            "TMPDIR": self._folder.path,
            "TZ": "UTC",
        }
        if home is not None:
            env["APPIUM_HOME"] = home
        argv = [program, "server", "--address", _LOCAL, "--port", str(port), "--use-drivers", driver]
        argv += ["--log-no-colors", "--log-level", "info"]
        self._ready.clear()
        self._ended.clear()
        self._lines.clear()
        self._group = Group(argv, env=env, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
        self.pid = self._group.pid
        self._reader = threading.Thread(target=self._read, args=[self._group.popen.stdout], daemon=True)
        self._reader.start()

    def _read(self, stdout: IO[bytes]) -> None:
        for line in stdout:
            text = line.decode("utf-8", "replace").rstrip()
            self._lines.append(text)
            if _READY in text:
                self._ready.set()
        self._ended.set()
        self._ready.set()

    @property
    def lives(self) -> bool:
        """Whether it runs."""
        return not self._ended.is_set() and self._group.status() is None

    @property
    def said(self) -> str:
        """Its newest lines."""
        return "\n".join(self._lines)

    @property
    def _last(self) -> str:
        return next((line for line in reversed(self._lines) if line.strip()), "it said nothing")[:200]

    def close(self) -> None:
        """End it and everything it has started, and remove its folder."""
        self._end()
        self._folder.remove()

    def _end(self) -> None:
        self._group.signal(signal.SIGTERM)
        self._group.wait(_GRACE_S)
        self._group.close()
        self._reader.join(_GRACE_S)
        stdout = self._group.popen.stdout
        if stdout is not None and not self._reader.is_alive():
            stdout.close()


@contextmanager
def _alone(home: str | None) -> Iterator[None]:
    """Let one server at a time start from a folder: they write down there what they find."""
    if home is None:
        yield
        return
    fd = os.open(home, os.O_RDONLY | os.O_DIRECTORY)
    try:
        fcntl.flock(fd, fcntl.LOCK_EX)
        yield
    finally:
        os.close(fd)


def free_port() -> int:
    """Return a port of loopback that nobody listens on now."""
    with socket.socket() as found:
        found.bind((_LOCAL, 0))
        return int(found.getsockname()[1])


_servers: dict[tuple[int, str], Server] = {}
_guard = threading.Lock()


def server(driver: str, package: str | None = None, *, start_s: float = 90.0) -> Server:
    """Return the server of this process for a driver, started anew where the last one died.

    Args:
        driver: as Appium calls it.
        package: of the driver; None: it is known to be there.
        start_s: seconds until the server must answer.

    Raises:
        ComponentError: Appium or the driver is not there, or the server does not start.
    """
    if package is not None and find_appium() is not None and not driver_installed(package):
        raise ComponentError(f"Appium has no driver {package}", fix=f"{HOW.partition(' appium@')[0]} {package}")
    key = (os.getpid(), driver)
    with _guard:
        found = _servers.get(key)
        if found is None or not found.lives:
            if found is not None:
                found.close()
            if not _servers:
                atexit.register(close_servers)
            found = _servers[key] = Server(driver, start_s=start_s)
        return found


def close_servers() -> None:
    """End all servers of this process; the next trajectory starts one again."""
    with _guard:
        mine = [key for key in _servers if key[0] == os.getpid()]
        for key in mine:
            _servers.pop(key).close()


__all__ = ["Server", "close_servers", "driver_installed", "find_appium", "free_port", "server"]
