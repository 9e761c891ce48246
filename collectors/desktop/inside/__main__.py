"""Answers requests, a JSON line each: with a JSON line that has the sizes of what follows it."""

from __future__ import annotations

import json
import os
import sys
import time
from contextlib import suppress
from pathlib import Path
from typing import Any

from gi.repository import GLib

from worldtape.collectors.desktop.inside.action import act
from worldtape.collectors.desktop.inside.display import GoneError
from worldtape.collectors.desktop.inside.files import Files
from worldtape.collectors.desktop.inside.look import Look
from worldtape.collectors.desktop.inside.loop import turn
from worldtape.collectors.desktop.inside.session import Session, StartError
from worldtape.collectors.desktop.inside.system import system, versions

_TICK_S = 3600.0


class Server:
    """The desktop, and what is asked of it.

    Requests: `start` (first, once), `act`, `look`, `facts`; see the methods of these names.
    """

    def __init__(self) -> None:
        self._session: Session | None = None
        self._files = Files(str(Path.home()))
        self._out = os.fdopen(os.dup(1), "wb")
        self._given: dict[str, Any] = {}

    def answer(self, request: dict[str, Any]) -> None:
        """Carry a request out and write its answer."""
        blobs: dict[str, bytes] = {}
        try:
            head = {"start": self.start, "act": self.act, "look": self.look, "facts": self.facts}[request["op"]](
                request, blobs
            )
        except StartError as error:
            head = {"failed": str(error)}
        line = json.dumps(head | {"blobs": [[name, len(data)] for name, data in blobs.items()]})
        self._out.write(line.encode() + b"\n" + b"".join(blobs.values()))
        self._out.flush()

    def start(self, request: dict[str, Any], blobs: dict[str, bytes]) -> dict[str, Any]:
        """Bring everything up, start the `programs`, and look."""
        self._given = request
        self._session = session = Session(tuple(request["size"]), request["start_s"])
        for command in request["programs"]:
            session.start(command)
            session.settle(request["quiet_s"], time.monotonic() + request["patience_s"], session.count)
        programs = [Path(command.split()[0]).name for command in request["programs"] if command.split()]
        return self.look(request, blobs) | {"system": system(), "versions": versions(programs)}

    def look(self, request: dict[str, Any], blobs: dict[str, bytes]) -> dict[str, Any]:  # noqa: ARG002
        """Settle, and capture."""
        return self._captured(None, self._session.count if self._session else 0, blobs)

    def act(self, request: dict[str, Any], blobs: dict[str, bytes]) -> dict[str, Any]:
        """Run `code`, settle, and capture."""
        assert self._session is not None
        since = self._session.count
        self._given |= {"patience_s": request["patience_s"]}
        ended = act(self._session.processes, request["code"], request["timeout_s"])
        return {"ended": ended} | self._captured(ended, since, blobs)

    def facts(self, request: dict[str, Any], blobs: dict[str, bytes]) -> dict[str, Any]:  # noqa: ARG002
        """Return what verifiers look at."""
        assert self._session is not None
        found: dict[str, Any] = {"files": self._files.facts(), "windows": [], "active_window": None, "clipboard": None}
        with suppress(GoneError):
            windows = self._session.display.windows()
            clipboard = self._session.display.clipboard()
            found["windows"] = [window["title"] for window in windows]
            found["active_window"] = next((window["title"] for window in windows if window["active"]), None)
            found["clipboard"] = None if clipboard is None else clipboard.decode("utf-8", "replace")
        return {"facts": found}

    def _captured(self, ended: dict[str, Any] | None, since: int, blobs: dict[str, bytes]) -> dict[str, Any]:
        assert self._session is not None
        look = Look(self._session, self._given, since)
        tree = look.tree()
        if ended is not None:
            told = {"output": ended["output"], "error": (ended["error"] or {}).get("text")}
            tree |= {"action": {key: value for key, value in told.items() if value}}
        blobs["tree"] = json.dumps(tree, ensure_ascii=False, separators=(",", ":")).encode("utf-8", "replace") + b"\n"
        blobs |= look.pictures
        head = {"settled_by": look.settled_by, "seconds": look.seconds, "deaths": self._session.deaths()}
        return head | {"files": self._files.look(), "clipboard": look.clipboard}


def serve() -> None:
    """Answer until standard input ends."""
    server = Server()
    os.set_blocking(0, False)
    data = bytearray()
    over = [False]

    def read(*_: object) -> bool:
        with suppress(BlockingIOError):
            while more := os.read(0, 1 << 16):
                data.extend(more)
            over[0] = True
        return not over[0]

    GLib.unix_fd_add_full(GLib.PRIORITY_DEFAULT, 0, GLib.IO_IN | GLib.IO_HUP, read)
    while not over[0]:
        line, newline, rest = bytes(data).partition(b"\n")
        if newline:
            data[:] = rest
            server.answer(json.loads(line))
        else:
            turn(time.monotonic() + _TICK_S)


if __name__ == "__main__":
    serve()
    sys.exit(0)
