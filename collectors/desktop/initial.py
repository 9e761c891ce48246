"""What a desktop was before the first action, as a prompt tells it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from worldtape.schemas import EnvironmentSpec

_SHOWN = 20


def initial_text(found: EnvironmentSpec, head: Mapping[str, Any]) -> str:
    """Return a few lines: system, screen, programs, files, and what actions are."""
    asked = found.parameters
    system = head["system"]
    names = sorted(asked["files"])
    lines = [
        f"System: {system['os']}, Linux {system['kernel']}",
        f"Desktop: {system['window_manager']} on an X server, {asked['width']} × {asked['height']} pixels",
        f"Time zone: {found.timezone}",
        f"Programs: {', '.join(asked['programs']) or 'none is started'}",
        "Actions: Python code with pyautogui",
        "Home directory: /home/user",
    ]
    if names:
        more = f" and {len(names) - _SHOWN} more" if len(names) > _SHOWN else ""
        lines.append(f"Files: {', '.join(names[:_SHOWN])}{more}")
    return "\n".join(lines)


__all__ = ["initial_text"]
