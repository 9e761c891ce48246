"""Tapes by the thousand: synthetic, valid, the same for the same seed, and rendered without a terminal.

`write_tapes(lake, 10_000)` writes 10,000 sealed recordings of 20 steps of a small make-believe shell. Its screen is
the last 40 lines of what was printed (no line is as wide as the screen), so the hash on the tape comes from no
renderer, and projection checks both against each other.
"""

from __future__ import annotations

import hashlib
import random
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any
from uuid import UUID

import orjson
import zstandard

from worldtape.schemas import End, EndStatus, EnvironmentSpec, Header, Lineage, PolicySpec, Task
from worldtape.storage import tape_path
from worldtape.storage.tapes._line import encode, encode_bytes, encode_value

COLS, ROWS = 160, 40
PROMPT = "user@box:~$ "
RENDERER = {"name": "terminal.screen", "version": "1", "parameters": {"cols": COLS, "rows": ROWS}}
START = 1_700_000_000_000_000
WORDS = (  # noqa: SIM905
    "alpha beta gamma delta report value total index name error warning cache build test data config server client "
    "thread queue buffer signal module parser token branch commit merge remote local status memory process kernel"
).split()
FILES = ("notes.txt", "main.py", "data.csv", "README.md", "run.sh", "log.txt", "Makefile", "setup.cfg")

_OUTCOME = Callable[[random.Random], tuple[str, list[str], int]]


def trajectory_id(seed: int, number: int) -> str:
    """A UUIDv7 whose time grows with `number`."""
    noise = int.from_bytes(hashlib.sha256(f"{seed}:{number}".encode()).digest()[:8], "big")
    stamp = START // 1000 + number * 1000
    value = stamp << 80 | 0x7 << 76 | (noise >> 52) << 64 | 0b10 << 62 | noise & ((1 << 62) - 1)
    return str(UUID(int=value))


def _words(rng: random.Random, count: int) -> str:
    return " ".join(rng.choices(WORDS, k=count))


def _ls(rng: random.Random) -> tuple[str, list[str], int]:
    return "ls -l", [f"-rw-r--r-- 1 user user {rng.randrange(9999):5} {name}" for name in FILES], 0


def _cat(rng: random.Random) -> tuple[str, list[str], int]:
    return f"cat {rng.choice(FILES)}", [_words(rng, rng.randint(3, 14)) for _ in range(rng.randint(1, 30))], 0


def _echo(rng: random.Random) -> tuple[str, list[str], int]:
    text = _words(rng, rng.randint(1, 8))
    return f"echo {text}", [text], 0


def _missing(rng: random.Random) -> tuple[str, list[str], int]:
    name = f"{rng.choice(WORDS)}{rng.randrange(100)}"
    return f"cat {name}", [f"cat: {name}: No such file or directory"], 1


def _unknown_command(rng: random.Random) -> tuple[str, list[str], int]:
    name = rng.choice(WORDS)
    return f"{name} --version", [f"bash: {name}: command not found"], 127


def _silent(rng: random.Random) -> tuple[str, list[str], int]:
    return f"mkdir -p {rng.choice(WORDS)}/{rng.choice(WORDS)}", [], 0


_COMMANDS: tuple[_OUTCOME, ...] = (_ls, _cat, _cat, _echo, _missing, _unknown_command, _silent)


@dataclass
class Made:
    """One recording as lines of a tape."""

    id: str
    number: int
    steps: int
    like: int
    """The number whose actions and answers it has: another one's, where it is a copy."""
    tasks: int
    parent: str | None = None
    stop_after: int | None = None
    """Interrupted after the action of this step: neither its result nor an end stand on the tape."""
    infra_at: int | None = None
    """This step is our own failure, and the last."""
    lines: list[bytes] = field(default_factory=list)
    _mono: int = 0
    _received: dict[str, int] = field(default_factory=dict)
    _screen: list[str] = field(default_factory=list)

    def write(self, kind: str, data: dict[str, Any], step: int | None = None) -> None:
        self._put(kind, encode_value(data), step)

    def data(self, channel: str, text: str, step: int | None) -> None:
        raw = text.encode()
        self._received[channel] = self._received.get(channel, 0) + len(raw)
        self._put("data", encode_bytes(channel, raw), step)

    def _put(self, kind: str, payload: bytes, step: int | None) -> None:
        self._mono += 2_000_000
        wall = START + self.number * 60_000_000 + self._mono // 1000
        self.lines.append(encode(len(self.lines), kind, wall, self._mono, step, payload))

    def print(self, lines: list[str], step: int | None) -> None:
        """What a program prints, then the prompt."""
        self.data("pty", "".join(f"{line}\r\n" for line in lines) + PROMPT, step)
        self._screen[-1:] = (
            [(self._screen or [""])[-1] + (lines or [""])[0], *lines[1:]] if lines else self._screen[-1:]
        )
        if lines:
            self._screen.append(PROMPT)
        else:
            self._screen[-1:] = [(self._screen or [""])[-1] + PROMPT]

    def captured(self, step: int | None) -> None:
        text = "\n".join(line.rstrip(" ") for line in self._screen[-ROWS:]).rstrip("\n")
        self.write(
            "captured",
            {
                "shown": None,
                "renderer": RENDERER,
                "parts": [],
                "settled_by": "prompt",
                "received": dict(self._received),
                "sha256": hashlib.sha256(text.encode()).hexdigest(),
            },
            step,
        )

    def make(self) -> Iterator[bytes]:
        rng = random.Random(f"{self.like}")
        self.write("header", _header(self))
        self.data("pty.size", f'{{"cols":{COLS},"rows":{ROWS}}}\n', None)
        self.print([], None)
        self.write("ready", _ready(self))
        self.captured(None)
        for step in range(self.steps):
            if not self._step(step, rng):
                return iter(self.lines)
        failed = self.infra_at is not None
        status = EndStatus.FAILED if failed else EndStatus.COMPLETED
        self.write("end", End(status=status, steps=self.steps).to_dict())
        return iter(self.lines)

    def _step(self, step: int, rng: random.Random) -> bool:
        command, lines, code = rng.choice(_COMMANDS)(rng)
        strokes = [{"keystrokes": f"{command}\n"}]
        text = orjson.dumps(strokes).decode()
        self.write("action", {"kind": "keystrokes", "text": text, "arguments": text, "actor": "agent"}, step)
        if step == self.stop_after:
            return False
        started = START + self.number * 60_000_000 + self._mono // 1000
        self.data("pty.in", f"{command}\n", step)
        self.data("pty", f"{command}\r\n", step)
        self._screen[-1] += command
        self._screen.append("")
        self.print(lines, step)
        self.captured(step)
        broken = step == self.infra_at
        outcome: dict[str, Any] = {
            "status": "ok" if code == 0 else "tool_error",
            "exit_code": code,
            "exit_codes": [code],
        }
        if broken:
            outcome = {"status": "infra_error", "error": {"type": "killed", "message": "the container is gone"}}
        timing = {
            "started_at": started,
            "first_output_at": started + 4000,
            "ended_at": started + 8000,
            "duration_ms": 8.0,
        }
        probes = {"cwd": "/home/user", "user": "user", "foreground": "bash", "cursor": [len(PROMPT), len(self._screen)]}
        self.write("result", {"outcome": outcome, "timing": timing, "state_after": probes, "done": broken}, step)
        return not broken or self._fail(step)

    def _fail(self, step: int) -> bool:
        self.write("end", End(status=EndStatus.FAILED, reason="the container is gone", steps=step + 1).to_dict())
        return False


def _header(made: Made) -> dict[str, Any]:
    return Header(
        trajectory_id=made.id,
        domain="terminal",
        environment=EnvironmentSpec(kind="terminal", backend="local", parameters={"cols": COLS, "rows": ROWS}),
        task=Task(id=f"make-believe/{made.like % made.tasks}", instruction="Look around.", benchmark="make-believe"),
        policy=PolicySpec(kind="script", seed=made.like),
        lineage=Lineage(parent=made.parent, step=1, kind="fork") if made.parent else Lineage(),
        recorder={"name": "tests"},
        extra={"repeat": made.number},
    ).to_dict()


def _ready(made: Made) -> dict[str, Any]:
    return {
        "environment": EnvironmentSpec(
            kind="terminal", backend="local", versions={"bash": "5.2"}, parameters={"cols": COLS, "rows": ROWS}
        ).to_dict(),
        "initial_state": {"text": "OS: Debian 12\nShell: bash 5.2", "probes": {"cwd": "/home/user", "user": "user"}},
        "lossiness": [],
    }


def recordings(
    count: int, *, steps: int = 20, seed: int = 0, first: int = 0, tasks: int = 0, oddities: bool = True
) -> Iterator[Made]:
    """Yield `count` recordings. Of every 50: one copies another (7 → 5), one forks from its neighbour (11 → 10), one
    ends with our own failure (13), one has a single step (17) and one was interrupted (19)."""
    for number in range(first, first + count):
        place = number % 50 if oddities else -1
        like = seed * 1_000_003 + (number - 2 if place == 7 else number)
        yield Made(
            id=trajectory_id(seed, number),
            number=number,
            steps=1 if place == 17 else steps,
            like=like,
            tasks=tasks or max(count // 5, 1),
            parent=trajectory_id(seed, number - 1) if place == 11 else None,
            stop_after=min(steps - 1, 4) if place == 19 else None,
            infra_at=min(steps - 1, 6) if place == 13 else None,
        )


def write_tapes(
    lake: str | Path,
    count: int,
    *,
    steps: int = 20,
    seed: int = 0,
    first: int = 0,
    tasks: int = 0,
    oddities: bool = True,
) -> list[str]:
    """Write `count` tapes into `lake` and return their ids; interrupted ones stand as a dead recorder leaves them."""
    root = Path(lake)
    packer = zstandard.ZstdCompressor(level=1, write_checksum=True)
    ids = []
    for made in recordings(count, steps=steps, seed=seed, first=first, tasks=tasks, oddities=oddities):
        lines = b"".join(made.make())
        sealed = made.stop_after is None
        path = tape_path(root, made.id, sealed=sealed)
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(packer.compress(lines) if sealed else lines)
        ids.append(made.id)
    return ids
