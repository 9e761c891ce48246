"""One look at a desktop that has come to rest."""

from __future__ import annotations

import hashlib
import time
from typing import Any

from worldtape.collectors.desktop.inside.display import GoneError
from worldtape.collectors.desktop.inside.session import Session
from worldtape.collectors.desktop.inside.walk import Walk

_TRIES = 3
_WALK_S = 10.0


class Look:
    """Settles and captures; see `worldtape.collectors.desktop.tree` for what a capture holds.

    Attributes:
        settled_by: what ended the wait; None: nothing did, the X server is gone.
        seconds: how long the wait took, and how long the walk.
        clipboard: the hash of its text; None where there is none.
        pictures: channel to bytes.
    """

    def __init__(self, session: Session, given: dict[str, Any], since: int) -> None:
        self._session = session
        self._given = given
        self._since = since
        self.settled_by: str | None = None
        self.seconds = {"settle": 0.0, "walk": 0.0}
        self.clipboard: str | None = None
        self.pictures: dict[str, bytes] = {}

    def tree(self) -> dict[str, Any]:
        """Settle, and return the kept tree; what moves while it is read is read again, then flagged."""
        try:
            return self._tree()
        except GoneError:
            self.settled_by = None
            return {"gone": "display"}

    def _tree(self) -> dict[str, Any]:
        session, display = self._session, self._session.display
        deadline = time.monotonic() + self._given["patience_s"]
        flags: set[str] = set()
        for left in reversed(range(_TRIES)):
            self._settle(deadline)
            before = session.count
            found, flags = self._walk()
            display.sync()
            if session.count == before:
                break
            if not left or time.monotonic() >= deadline:
                flags.add("changed_while_read")
                break
        if session.mute:
            flags.add("application_mute")
        text = display.clipboard()
        self.clipboard = None if text is None else f"sha256:{hashlib.sha256(text).hexdigest()}"
        if self._given["screenshot"]:
            self.pictures["screenshot"] = display.picture()
        session.note(found["windows"])
        return found | ({"flags": sorted(flags)} if flags else {})

    def _settle(self, deadline: float) -> None:
        start = time.monotonic()
        settled = self._session.settle(self._given["quiet_s"], deadline, self._since)
        self.seconds["settle"] += time.monotonic() - start
        if self.settled_by is None or settled == "deadline":
            self.settled_by = settled

    def _walk(self) -> tuple[dict[str, Any], set[str]]:
        start = time.monotonic()
        display = self._session.display
        walk = Walk(self._session.bus, self._given["nodes"])
        nodes = walk.nodes(start + _WALK_S)
        windows, pointer = display.windows(), display.pointer()
        self.seconds["walk"] += time.monotonic() - start
        return {"screen": list(display.size), "pointer": pointer, "windows": windows, "nodes": nodes}, walk.flags
