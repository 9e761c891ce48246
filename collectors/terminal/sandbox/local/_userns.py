"""As root: a user namespace in which root owns what root owns, and the sandbox's user is a uid that nobody else has."""

import os
import socket
import subprocess
from contextlib import suppress
from pathlib import Path

from worldtape.collectors.terminal.sandbox.local._etc import UID
from worldtape.errors import ComponentError

_FIRST = 1_900_000_000
_COUNT = 4096


# Becomes root of the new namespace once its table is written, and then forbids any more of them below it: in one of its
# own, a process could mount what no size limits.
_MAKER = "echo; read x; exec sh -c 'echo 0 >/proc/sys/user/max_user_namespaces && echo; read x'"


class SpareUid:
    """A uid that no other sandbox of this machine has; held as long as this process lives or until `release`."""

    def __init__(self) -> None:
        self._lock = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
        start = os.getpid()
        for step in range(_COUNT):
            self.uid = _FIRST + (start + step) % _COUNT
            with suppress(OSError):
                self._lock.bind(f"\0worldtape/uid/{self.uid}")
                return
        self._lock.close()
        raise ComponentError("no spare uid is left", where="local", fix=f"run fewer than {_COUNT} sandboxes at once")

    def release(self) -> None:
        """Let others have it."""
        self._lock.close()


def open_userns(uid: int) -> int:
    """Return a descriptor of a new user namespace: 0–999 as they are, the sandbox's user is `uid` outside.

    Raises:
        ComponentError: this machine does not allow it.
    """
    maker = subprocess.Popen(
        ["unshare", "--user", "sh", "-c", _MAKER],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        start_new_session=True,
    )
    assert maker.stdin is not None
    assert maker.stdout is not None
    assert maker.stderr is not None
    try:
        if maker.stdout.read(1) != b"\n":
            raise ComponentError(maker.stderr.read().decode(errors="replace").strip() or "no user namespace")
        table = f"0 0 {UID}\n{UID} {uid} 1\n65534 65534 1\n"
        for name in ("uid_map", "gid_map"):
            Path(f"/proc/{maker.pid}/{name}").write_text(table)
        maker.stdin.write(b"\n")
        maker.stdin.flush()
        if maker.stdout.read(1) != b"\n":
            raise ComponentError(maker.stderr.read().decode(errors="replace").strip() or "no user namespace")
        return os.open(f"/proc/{maker.pid}/ns/user", os.O_RDONLY | os.O_CLOEXEC)
    except OSError as error:
        raise ComponentError(f"no user namespace: {error.strerror}") from error
    finally:
        maker.communicate()
