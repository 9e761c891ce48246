"""Pulling an image, for so long and no longer."""

from __future__ import annotations

import threading
from typing import Any

from worldtape.errors import ComponentError


def pull(client: Any, name: str, limit_s: float) -> None:
    """Pull `name`; the daemon stops when nobody listens any more."""
    if limit_s <= 0:
        raise ComponentError("not pulled: that was not wanted")
    failed: list[str] = []
    done = threading.Event()

    def work() -> None:
        try:
            for message in client.pull(*split(name), stream=True, decode=True):
                if "error" in message:
                    failed.append(str(message["error"]).splitlines()[0])
                if stop.is_set():
                    return
        except Exception as error:  # noqa: BLE001 - whatever it is, it is told
            failed.append(str(error).splitlines()[0] if str(error) else type(error).__name__)
        finally:
            done.set()

    stop = threading.Event()
    threading.Thread(target=work, name="docker-pull", daemon=True).start()
    finished = done.wait(limit_s)
    stop.set()
    if not finished:
        raise ComponentError(f"not pulled within {limit_s:g} s")
    if failed:
        raise ComponentError(f"not pulled: {_short(failed[0])}")


def _short(message: str) -> str:
    """Return the end of a daemon's chain of causes."""
    return message.rpartition(": ")[2].rstrip(" )\"'") or message


def split(name: str) -> tuple[str, str | None]:
    """Return repository and tag; a digest stays with the repository."""
    if "@" in name:
        return name, None
    head, _, tag = name.rpartition(":")
    return (head, tag) if head and "/" not in tag else (name, "latest")
