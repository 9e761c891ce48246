"""Writers that run in processes of their own: `python -c "from tests.storage import _lake_writers as w; w.many(…)"`."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from pathlib import Path

from tests.storage import _lakes
from worldtape.storage import Lake

REPOSITORY = Path(__file__).resolve().parents[2]


def start(call: str) -> subprocess.Popen[bytes]:
    """Run one function of this module in a new process."""
    code = f"from tests.storage import _lake_writers; _lake_writers.{call}"
    return subprocess.Popen([sys.executable, "-c", code], cwd=REPOSITORY)


def many(root: str, writer: int) -> None:
    """Write six parts of one's own, and six that everybody writes."""
    lake = Lake.open(root, create=True)
    for turn in range(6):
        _lakes.write(lake, [f"{writer}-{turn}"])
        _lakes.write(lake, [f"shared-{turn}"])


def die_after_publishing(root: str, files: int, doing: str) -> None:
    """Do something to a lake, and die by SIGKILL when that many files have got their names."""
    lake = Lake.open(root)
    publish, left = lake.store._publish, [files]

    def publish_and_die(place: Path, name: str) -> None:
        publish(place, name)
        left[0] -= 1
        if not left[0]:
            os.kill(os.getpid(), signal.SIGKILL)

    lake.store._publish = publish_and_die  # type: ignore[method-assign]
    DOINGS[doing](lake)


def _compact(lake: Lake) -> None:
    from worldtape.storage.lake import compact

    compact(lake)


def _forget(lake: Lake) -> None:
    from worldtape.storage.lake import forget

    forget(lake, "gone")


DOINGS = {"write": lambda lake: _lakes.write(lake, ["b"]), "compact": _compact, "forget": _forget}
