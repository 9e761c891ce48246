"""What stands there before the first action, as a text for the prompt."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from importlib.resources import files
from typing import Any

from worldtape.collectors.terminal.sandbox import Sandbox

_TIMEOUT_S = 20.0
_LONGEST = 160
_VERSION = re.compile(r"\d+(?:\.\d+)+[\w+-]*")
_NUMBER = re.compile(r"\d+")
_cache: dict[tuple[object, ...], Machine] = {}


@dataclass(frozen=True, slots=True)
class Machine:
    """Facts about the machine inside.

    Attributes:
        facts: `os`, `kernel`, `cpus`, `disk`, where they are known.
        tools: tool to its version.
        users: user id to name.
    """

    facts: dict[str, str] = field(default_factory=dict)
    tools: dict[str, str] = field(default_factory=dict)
    users: dict[int, str] = field(default_factory=dict)

    def text(self, state: dict[str, Any], disk: str | None) -> str:
        """Return the initial-state text: OS, kernel, CPUs, disk, tools, user, working directory, screen.

        `disk` is the room in the working directory, where it was seen from outside.
        """
        facts = self.facts if disk is None else self.facts | {"disk": disk}
        named = {"os": "OS", "kernel": "Kernel", "cpus": "CPUs", "disk": "Disk"}
        lines = [f"{title}: {facts[name]}" for name, title in named.items() if name in facts]
        if self.tools:
            lines.append("Tools: " + ", ".join(f"{name} {version}" for name, version in self.tools.items()))
        lines += [f"{title}: {state[name]}" for name, title in _STATE.items() if state.get(name) is not None]
        lines.append(f"Screen: {state['cols']}×{state['rows']}")
        return "\n".join(lines)


_STATE = {"user": "User", "cwd": "Working directory"}


async def look_around(sandbox: Sandbox, workdir: str | None) -> Machine:
    """Ask the sandbox once, out of band; the answer is kept for other sandboxes of the same image and limits."""
    spec = sandbox.spec
    key = (spec.backend, spec.image_digest, spec.limits, workdir)
    if key not in _cache:
        script = files("worldtape.collectors.terminal").joinpath("initial_state.sh").read_bytes()
        try:
            ran = await sandbox.run(["sh"], stdin=script, timeout_s=_TIMEOUT_S)
        except OSError:
            return Machine()
        _cache[key] = _read(ran.output.decode("utf-8", "replace"))
    return _cache[key]


def _read(output: str) -> Machine:
    machine = Machine()
    for line in output.split("\n"):
        name, tab, value = line.partition("\t")
        kind, _, key = name.partition(":")
        if not tab:
            continue
        if kind == "tool":
            found = _VERSION.search(value) or _NUMBER.search(value)
            machine.tools[key] = found[0] if found else "of unknown version"
        elif kind == "user" and key.isdigit():
            machine.users.setdefault(int(key), value)
        elif not key:
            machine.facts[kind] = value.strip()[:_LONGEST]
    return machine


__all__ = ["Machine", "look_around"]
