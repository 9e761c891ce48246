# ruff: noqa: PTH101, PTH103, PTH108, PTH112, PTH114, PTH115, PTH116, PTH118, PTH120, PTH123, PTH208 - pathlib starts slowly
"""What runs inside a container and does what it is asked, one request at a time; Python 3.8 and its library only.

A request is one JSON line, with `n` bytes of data behind it. What is answered has the same form: pieces
(`{"t": "out" | "err" | "data", "n": …}`), then one `{"t": "end", …}` or `{"t": "error", "errno": …, "strerror": …}`.
Worldtape does not import it: its text is sent.
"""

from __future__ import annotations

import errno
import hashlib
import io
import json
import os
import selectors
import shutil
import signal
import stat
import subprocess
import sys
import tarfile
import threading
import time

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Collection, Iterator
    from typing import IO, Any

PIECE = 1 << 16
REST_S = 0.05
KILLS = 100


class Pieces(io.RawIOBase):
    """A file that can only be written: what is written is sent."""

    def write(self, data: Any) -> int:
        """Send it."""
        send({"t": "data"}, bytes(data))
        return len(data)


def send(head: dict[str, Any], data: bytes = b"") -> None:
    """Answer, or give a piece of an answer."""
    line = json.dumps({**head, "n": len(data)}).encode()
    sys.stdout.buffer.write(line + b"\n" + data)
    sys.stdout.buffer.flush()


def kind_of(mode: int) -> str:
    """Name what a mode stands for."""
    for test, name in ((stat.S_ISREG, "file"), (stat.S_ISDIR, "dir"), (stat.S_ISLNK, "link")):
        if test(mode):
            return name
    return "other"


def entry(name: str, found: os.stat_result) -> list[Any]:
    """Describe one file as `Entry` has it."""
    return [name, kind_of(found.st_mode), found.st_size, stat.S_IMODE(found.st_mode), found.st_mtime_ns]


def each_below(folder: str, skip: Collection[str]) -> Iterator[tuple[str, os.stat_result]]:
    """Yield (path relative to `folder`, its lstat) of all below it, folders before what is in them, by name.

    Raises:
        OSError: `folder` itself cannot be listed.
    """
    waiting = [""]
    while waiting:
        at = waiting.pop()
        try:
            names = sorted(os.listdir(os.path.join(folder, at)), key=os.fsencode)
        except OSError:
            if not at:
                raise
            continue
        inner = []
        for name in names:
            path = os.path.join(at, name)
            if name not in skip and os.path.lexists(os.path.join(folder, path)):
                found = os.lstat(os.path.join(folder, path))
                yield path, found
                if stat.S_ISDIR(found.st_mode):
                    inner.append(path)
        waiting += reversed(inner)


class Files:
    """Requests about files; each returns what stands in the last line of the answer, and its data."""

    def __init__(self) -> None:
        self._hashes: dict[tuple[Any, ...], bytes] = {}

    def read(self, asked: dict[str, Any], _: bytes) -> tuple[dict[str, Any], bytes]:
        """Read a regular file; anything else would block or never end."""
        path = asked["path"]
        mode = os.stat(path).st_mode
        if stat.S_ISDIR(mode):
            raise IsADirectoryError(errno.EISDIR, os.strerror(errno.EISDIR), path)
        if not stat.S_ISREG(mode):
            raise OSError(errno.EINVAL, "Not a regular file", path)
        with open(path, "rb") as file:
            limit = asked["limit"]
            return {}, file.read() if limit is None else file.read(limit)

    def write(self, asked: dict[str, Any], data: bytes) -> tuple[dict[str, Any], bytes]:
        """Make or replace a file."""
        path = asked["path"]
        if asked["parents"]:
            os.makedirs(os.path.dirname(path), exist_ok=True)
        with open(path, "wb") as file:
            file.write(data)
        if asked["mode"] is not None:
            os.chmod(path, asked["mode"])
        return {}, b""

    def list(self, asked: dict[str, Any], _: bytes) -> tuple[dict[str, Any], bytes]:
        """List one folder."""
        folder = asked["path"]
        names = sorted(os.listdir(folder), key=os.fsencode)
        return {}, json.dumps([entry(name, os.lstat(os.path.join(folder, name))) for name in names]).encode()

    def stat(self, asked: dict[str, Any], _: bytes) -> tuple[dict[str, Any], bytes]:
        """Look at one file."""
        path = asked["path"]
        return {"entry": entry(path, os.stat(path) if asked["follow"] else os.lstat(path))}, b""

    def walk(self, asked: dict[str, Any], _: bytes) -> tuple[dict[str, Any], bytes]:
        """List everything below a folder."""
        return {}, json.dumps([entry(*found) for found in each_below(asked["path"], asked["skip"])]).encode()

    def tree(self, asked: dict[str, Any], _: bytes) -> tuple[dict[str, Any], bytes]:
        """Hash all below a folder; what looks untouched (nobody can set a ctime) is not read again."""
        digest = hashlib.sha256()
        seen: dict[tuple[Any, ...], bytes] = {}
        for path, found in each_below(asked["path"], asked["skip"]):
            whole = os.path.join(asked["path"], path)
            key = (whole, found.st_ino, found.st_mode, found.st_size, found.st_mtime_ns, found.st_ctime_ns)
            seen[key] = self._hashes.get(key) or content_hash(whole, found)
            digest.update(os.fsencode(path) + b"\0" + seen[key])
        self._hashes = seen
        return {"sha256": digest.hexdigest(), "files": len(seen)}, b""

    def pack(self, asked: dict[str, Any], _: bytes) -> tuple[dict[str, Any], bytes]:
        """Send a folder as a tar archive."""
        with tarfile.open(fileobj=Pieces(), mode="w|", bufsize=PIECE, format=tarfile.PAX_FORMAT) as tar:
            for path, _found in each_below(asked["path"], ()):
                tar.inodes.clear()  # type: ignore[attr-defined] # a hard link becomes a file of its own
                tar.add(os.path.join(asked["path"], path), arcname=path, recursive=False)
        return {}, b""

    def unpack(self, asked: dict[str, Any], data: bytes) -> tuple[dict[str, Any], bytes]:
        """Fill a folder from a tar archive."""
        folder = asked["path"]
        os.makedirs(folder, exist_ok=True)
        for name in os.listdir(folder) if asked["empty"] else ():
            path = os.path.join(folder, name)
            if os.path.isdir(path) and not os.path.islink(path):
                shutil.rmtree(path)
            else:
                os.unlink(path)
        with tarfile.open(fileobj=io.BytesIO(data), mode="r:*") as tar:
            taken = [member for one in tar if (member := placed(one, asked["strip"])) is not None]
            if hasattr(tarfile, "fully_trusted_filter"):
                tar.extraction_filter = staticmethod(tarfile.fully_trusted_filter)
            tar.extractall(folder, taken)  # noqa: S202 - `placed` has looked at each
        return {"files": len(taken)}, b""


def content_hash(path: str, found: os.stat_result) -> bytes:
    """Hash what one file is: kind, execute bit, content or target."""
    kind = kind_of(found.st_mode)
    content = hashlib.sha256()
    if kind == "link":
        content.update(os.fsencode(os.readlink(path)))
    elif kind == "file":
        with open(path, "rb") as file:
            for piece in iter(lambda: file.read(1 << 20), b""):
                content.update(piece)
    runs = b"x" if kind == "file" and found.st_mode & 0o100 else b"-"
    return hashlib.sha256(kind.encode() + runs + content.digest()).digest()


def placed(member: tarfile.TarInfo, strip: int) -> tarfile.TarInfo | None:
    """Return a member as it is to be laid down, ours and without its leading parts; None: it is passed over."""
    parts = [part for part in member.name.split("/") if part not in ("", ".")][strip:]
    if not parts or ".." in parts or not (member.isreg() or member.isdir() or member.issym()):
        return None
    member.name = "/".join(parts)
    member.uid, member.gid, member.uname, member.gname = os.getuid(), os.getgid(), "", ""
    return member


def session_of(leader: int) -> list[int]:
    """Return the processes of a session that still run."""
    found = []
    for name in filter(str.isdigit, os.listdir("/proc")):
        try:
            with open("/proc/" + name + "/stat", errors="replace") as file:
                words = file.read().rpartition(")")[2].split()
        except OSError:
            continue
        if words[3] == str(leader) and words[0] not in "ZX":
            found.append(int(name))
    return sorted(found)


def drain(pipes: Collection[IO[bytes]]) -> None:
    """Read on what background processes say, so that no full or closed pipe stops them."""
    with selectors.DefaultSelector() as waiting:
        for pipe in pipes:
            waiting.register(pipe, selectors.EVENT_READ, pipe)
        while waiting.get_map():
            for key, _ in waiting.select():
                if not os.read(key.fd, PIECE):
                    waiting.unregister(key.fileobj)
                    key.data.close()  # closing only its number would close, later, whatever has that number then


class Command:
    """One command: its output is passed on as it comes, and its end is its own, not that of its pipes."""

    def __init__(self, asked: dict[str, Any], data: bytes) -> None:
        self.deadline = time.monotonic() + asked["timeout"]
        self.timed_out = False
        self.data = data
        self.process = subprocess.Popen(
            asked["argv"],
            cwd=asked["cwd"],
            env=dict(os.environ, **asked["env"]),
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            start_new_session=True,
        )
        self.waiting = selectors.DefaultSelector()
        self.open: dict[str, Any] = {"out": self.process.stdout, "err": self.process.stderr}

    def follow(self) -> dict[str, Any]:
        """See it through; return how it ended."""
        threading.Thread(target=self._give, daemon=True).start()
        over, wake = os.pipe()
        threading.Thread(target=self._wait, args=(wake,), daemon=True).start()
        for name, pipe in self.open.items():
            os.set_blocking(pipe.fileno(), False)
            self.waiting.register(pipe, selectors.EVENT_READ, name)
        self.waiting.register(over, selectors.EVENT_READ, "")
        while self._runs():
            pass
        self.waiting.unregister(over)
        os.close(over)
        self._rest()
        self.waiting.close()
        return self._end()

    def _give(self) -> None:
        assert self.process.stdin is not None
        try:
            self.process.stdin.write(self.data)
            self.process.stdin.close()
        except OSError:
            return

    def _wait(self, wake: int) -> None:
        self.process.wait()
        os.close(wake)

    def _runs(self) -> bool:
        """Wait for output, the end or the deadline; tell whether it runs on."""
        left = None if self.timed_out else max(0.0, self.deadline - time.monotonic())
        ready = self.waiting.select(left)
        for key, _ in ready:
            if key.data:
                self._take(key)
        if not self.timed_out and time.monotonic() >= self.deadline:
            self.timed_out = True
            self._kill()
        return all(key.data for key, _ in ready)

    def _take(self, key: selectors.SelectorKey) -> bool:
        """Pass on what a pipe holds; tell whether it held anything."""
        data = os.read(key.fd, PIECE)
        if data:
            send({"t": key.data}, data)
            return True
        self.waiting.unregister(key.fileobj)
        self.open.pop(key.data).close()
        return False

    def _rest(self) -> None:
        """Pass on what the pipes held when it ended; what stays in the background may never close them."""
        end = time.monotonic() + REST_S
        while self.open and time.monotonic() < end:
            if not any([self._take(key) for key, _ in self.waiting.select(0)]):  # noqa: C419 - all of them
                break

    def _kill(self) -> None:
        """End the whole session: `timeout` and its like make groups of their own, and some fork meanwhile."""
        for _ in range(KILLS):
            left = session_of(self.process.pid)
            for pid in left:
                try:
                    os.kill(pid, signal.SIGKILL)
                except OSError:
                    continue
            if not left:
                return

    def _end(self) -> dict[str, Any]:
        code = self.process.returncode
        if self.open:
            pipes = [os.fdopen(os.dup(pipe.fileno()), "rb", 0) for pipe in self.open.values()]
            threading.Thread(target=drain, args=(pipes,), daemon=True).start()
        end: dict[str, Any] = {"timed_out": self.timed_out, "background": session_of(self.process.pid)}
        end["code"], end["signal"] = (code, None) if code >= 0 else (None, -code)
        return end


def run(asked: dict[str, Any], data: bytes) -> tuple[dict[str, Any], bytes]:
    """Run a command; one that cannot be started has a shell's exit code for that."""
    try:
        command = Command(asked, data)
    except OSError as error:
        what = asked["argv"][0] if os.path.isdir(asked["cwd"]) else asked["cwd"]
        send({"t": "err"}, os.fsencode(what + ": " + os.strerror(error.errno or errno.EINVAL) + "\n"))
        return {"code": 126 if isinstance(error, PermissionError) else 127, "signal": None}, b""
    return command.follow(), b""


def main() -> None:
    """Answer until nobody asks any more."""
    files = Files()
    known = {name: getattr(files, name) for name in ("read", "write", "list", "stat", "walk", "tree", "pack", "unpack")}
    known["run"] = run
    for line in iter(sys.stdin.buffer.readline, b""):
        asked = json.loads(line.decode())
        data = sys.stdin.buffer.read(asked["n"])
        try:
            head, answer = known[asked["op"]](asked, data)
        except (OSError, ValueError, tarfile.TarError) as error:
            number = getattr(error, "errno", None) or errno.EINVAL
            said = getattr(error, "strerror", None) or str(error)
            send({"t": "error", "errno": number, "strerror": said})
        else:
            send(dict(head, t="end"), answer)


if __name__ == "__main__":
    main()
