# ruff: noqa: PTH116, PTH118, S606 - pathlib would double the time this takes to start
"""A program of its own: enter a sandbox's namespaces, give up every right, and run one command there.

    python -I -S _enter.py PID UID GID CWD FSIZE NPROC DATA GROUPS NENV [NAME=VALUE …] COMMAND [ARGUMENT …]

It imports nothing of ours, so that it starts in milliseconds. `GROUPS` are control groups, joined by colons.
"""

import _signal  # type: ignore[import-not-found] # what `signal` wraps; that takes twice the time to import
import ctypes
import fcntl
import os
import resource
import sys

NS_GET_USERNS = 0xB701
ENOENT = 2
PR_SET_PDEATHSIG, PR_CAPBSET_DROP, PR_SET_NO_NEW_PRIVS = 1, 24, 38
UNTOUCHED = (_signal.SIGKILL, _signal.SIGSTOP)
NAMESPACES = ("cgroup", "ipc", "uts", "net", "pid", "mnt")
_libc = ctypes.CDLL(None, use_errno=True)


def _setns(fd: int) -> None:
    if _libc.setns(fd, 0) != 0:
        raise OSError(ctypes.get_errno(), "setns")


def _enter(pid: str) -> None:
    """Join the namespaces: first the user namespace that owns the mounts, last the one the processes live in."""
    opened = {name: os.open(f"/proc/{pid}/ns/{name}", os.O_RDONLY | os.O_CLOEXEC) for name in (*NAMESPACES, "user")}
    owner = fcntl.ioctl(opened["mnt"], NS_GET_USERNS)
    inner, outer = os.fstat(opened["user"]).st_ino, os.fstat(owner).st_ino
    if outer != os.stat("/proc/self/ns/user").st_ino:
        _setns(owner)
    for name in NAMESPACES:
        _setns(opened[name])
    if inner != outer:
        _setns(opened["user"])
    for fd in (*opened.values(), owner):
        os.close(fd)


def _give_up(uid: int, gid: int) -> None:
    for capability in range(64):
        if _libc.prctl(PR_CAPBSET_DROP, capability, 0, 0, 0) != 0:
            break
    if os.getuid() == 0:
        os.setgroups([])
    os.setresgid(gid, gid, gid)
    os.setresuid(uid, uid, uid)
    _libc.prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0)
    _libc.prctl(PR_SET_PDEATHSIG, 9, 0, 0, 0)


def _limit(kind: int, value: int) -> None:
    if value > 0:
        resource.setrlimit(kind, (value, value))


def _defaults() -> None:
    """Give every signal its default meaning and block none, whatever our parent and Python made of them."""
    for number in _signal.valid_signals():
        if number not in UNTOUCHED:
            _signal.signal(number, _signal.SIG_DFL)
    _signal.pthread_sigmask(_signal.SIG_SETMASK, ())


def _become(argv: list[str], env: dict[str, str], cwd: str) -> None:
    """Replace this process; `os.execvpe` would import a module that is out of sight by now."""
    _defaults()
    failed: OSError = FileNotFoundError(2, "not found")
    try:
        os.chdir(cwd)
        for folder in [""] if "/" in argv[0] else env["PATH"].split(":"):
            try:
                os.execve(os.path.join(folder, argv[0]), argv, env)
            except FileNotFoundError as error:
                failed = error
    except OSError as error:
        failed = error
    os.write(2, f"{argv[0]}: {failed.strerror}\n".encode())
    os._exit(127 if failed.errno == ENOENT else 126)


def main(words: list[str]) -> int:
    """Run the command and return its exit code."""
    pid, uid, gid, cwd, fsize, nproc, data, groups, count = words[:9]
    env = dict(word.split("=", 1) for word in words[9 : 9 + int(count)])
    argv = words[9 + int(count) :]
    joined = [os.open(f"{path}/cgroup.procs", os.O_WRONLY | os.O_CLOEXEC) for path in groups.split(":") if path]
    _enter(pid)
    ready, go = os.pipe()
    child = os.fork()
    if child:
        for fd in joined:
            os.write(fd, str(child).encode())
        os.close(ready)
        os.write(go, b"1")
        status = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
        return status if status >= 0 else 128 - status
    os.close(go)
    os.read(ready, 1)
    os.setsid()
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    _limit(resource.RLIMIT_FSIZE, int(fsize))
    _limit(resource.RLIMIT_NPROC, int(nproc))
    _limit(resource.RLIMIT_DATA, int(data))
    _give_up(int(uid), int(gid))
    _become(argv, env, cwd)
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
