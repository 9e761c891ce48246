"""Commands: their output as it comes, what they leave in the background, and how they end."""

from __future__ import annotations

import posixpath
from typing import Any

from worldtape.collectors.swe.box import Ran
from worldtape.collectors.swe.render.fold import STDERR, STDOUT
from worldtape.collectors.swe.tools.session import Session, Told, fault
from worldtape.collectors.swe.toolset import Keep
from worldtape.schemas import ErrorInfo, Outcome, Status

LOGS = "/tmp/tasks"  # noqa: S108 - inside the container
"""Where the output of background commands goes."""
_CWD = "/tmp/claude-cwd"  # noqa: S108
"""Where a command leaves the name of the directory that it ended in, as Claude Code lets it."""
_ENV = {"GIT_PAGER": "cat", "PAGER": "cat", "TERM": "dumb"}
_MERGED = 'exec "$0" -c "$1" 2>&1'
_KEPT = f'trap "pwd -P > {_CWD} 2> /dev/null" EXIT; __command=$1; set --; eval "$__command"'
_BEHIND = 'mkdir -p "${1%/*}" && { "$0" -c "$2" > "$1" 2>&1 < /dev/null & }'
MOST_BYTES = 16 * 1024 * 1024
"""A command that writes more is ended."""
_CHANNELS = {"out": STDOUT, "err": STDERR}
_SHOWN_CHARS = 300
_PIPE = 13
"""The signal that ends a command whose output nobody takes."""


class TooMuchError(Exception):
    """A command wrote more than anybody reads."""


class _Heard:
    """Passes output on as it comes, up to its limit."""

    def __init__(self, keep: Keep) -> None:
        self._keep = keep
        self._left = MOST_BYTES

    def __call__(self, name: str, data: bytes) -> None:
        self._keep(_CHANNELS[name], data[: self._left])
        self._left -= len(data)
        if self._left < 0:
            raise TooMuchError


async def run_command(session: Session, command: str, where: str, *, timeout_s: float | None, merged: bool) -> Told:
    """Run a command line and wait for it.

    Args:
        session: its `keep` gets the output as it comes.
        command: for bash.
        where: it starts.
        timeout_s: seconds; None: those of the session. The time limit of the call holds besides.
        merged: whether both streams come as one and the working directory is not kept.
    """
    limit = timeout_s or session.timeout_s
    limit = limit if session.limit_s is None else min(limit, session.limit_s)
    shell = session.box.shell
    words = [shell, "-c", _MERGED if merged else _KEPT, shell, command]
    try:
        ran = await session.box.run(words, cwd=where, timeout_s=limit, env=_ENV, heard=_Heard(session.keep))
        failure = None
    except TooMuchError:
        ran, failure = Ran(b"", b"", signal=_PIPE), "stdout maxBuffer length exceeded"
    session.commands.append((command, ran))
    if not merged:
        session.cwd = await _now_in(session)
    facts: dict[str, Any] = {
        "command": command,
        "exit_code": ran.code,
        "signal": ran.signal,
        "timed_out": ran.timed_out,
        "timeout_ms": round(limit * 1000),
        "background": list(ran.background),
        "failure": failure,
        "log": None,
        "cwd": where,
    }
    return {"op": "shell"} | facts, _outcome(ran, limit, failure)


async def start_command(session: Session, command: str, where: str) -> Told:
    """Start a command line that runs on; its output goes to a file inside."""
    session.started += 1
    name = f"bash_{session.started}"
    log = posixpath.join(LOGS, f"{name}.output")
    shell = session.box.shell
    ran = await session.box.run([shell, "-c", _BEHIND, shell, log, command], cwd=where, env=_ENV)
    if ran.code:
        return fault("not_started", message=ran.err.decode("utf-8", "replace").strip())
    facts: dict[str, Any] = {
        "command": command,
        "exit_code": 0,
        "signal": None,
        "timed_out": False,
        "timeout_ms": 0,
        "background": list(ran.background),
        "failure": None,
        "log": log,
        "id": name,
        "cwd": where,
    }
    return {"op": "shell"} | facts, Outcome(status=Status.OK)


async def _now_in(session: Session) -> str:
    """Return where the last command was when it ended; where it started if nobody can tell."""
    try:
        said = (await session.box.read(_CWD)).decode("utf-8", "surrogateescape").rstrip("\n")
    except OSError:
        return session.cwd
    entry = await session.entry(said) if said.startswith("/") else None
    return said if entry is not None and entry.kind == "dir" else session.root


def _outcome(ran: Ran, limit: float, failure: str | None) -> Outcome:
    if failure is not None:
        error = ErrorInfo(type="output_limit", message=failure)
        return Outcome(status=Status.TOOL_ERROR, signal=ran.signal, error=error)
    if ran.timed_out:
        error = ErrorInfo(type="timeout", message=f"the command was ended after {limit:g} s")
        return Outcome(status=Status.TIMEOUT_KILLED, signal=ran.signal, error=error)
    if ran.signal is not None:
        error = ErrorInfo(type="signal", message=f"the shell was ended by signal {ran.signal}")
        return Outcome(status=Status.TOOL_ERROR, signal=ran.signal, error=error)
    if not ran.code:
        return Outcome(status=Status.OK, exit_code=ran.code, exit_codes=(0,) if ran.code == 0 else ())
    error = ErrorInfo(type="exit", message=_last_line(ran), code=ran.code)
    return Outcome(status=Status.TOOL_ERROR, exit_code=ran.code, exit_codes=(ran.code,), error=error)


def _last_line(ran: Ran) -> str | None:
    lines = (ran.err or ran.out)[-4096:].decode("utf-8", "replace").strip().splitlines()
    return lines[-1][:_SHOWN_CHARS] if lines else None


__all__ = ["LOGS", "run_command", "start_command"]
