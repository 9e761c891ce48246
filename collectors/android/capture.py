"""One look at a device, as the channel `hierarchy` holds it.

One JSON object per look; keys that say nothing are left out:

- `source`: the document that the driver gave, verbatim. UiAutomator2: its page source. Chromium: what our script
  answers (see `walker`), in the same words. The fake driver: its page source, which never changes.
- `overlay`: XPath to attributes that elements answered by themselves (`value`, `clicks`); the fake driver's state.
- `size`: width and height of the screen in pixels.
- `state`: `package`, `app` (its label), `activity`, `orientation`, `keyboard` (true or false), `focus`; null: unknown.
- `alert`: `{"text": …, "prompt": false, "type": "confirm"}` while a dialog of the driver is open.
- `error`: `{"type": …, "message": …}` of the action before this look.
- `flags`: what is known against it, such as `stale`; it is not rendered.
- `gone`: `server`, `session` or `app`, where there was nothing to look at; there is no `source` then.
"""

from __future__ import annotations

import json
from typing import Any

import orjson


def line(capture: dict[str, Any]) -> bytes:
    """Return a capture as its line: ASCII, so that halves of surrogate pairs survive as well."""
    return json.dumps(capture, separators=(",", ":")).encode() + b"\n"


def read_line(data: bytes | str) -> dict[str, Any]:
    """Return the capture of one line; {} where it is none."""
    try:
        found = orjson.loads(data)
    except ValueError:
        try:
            found = json.loads(data)
        except ValueError:
            return {}
    return found if isinstance(found, dict) else {}


__all__ = ["line", "read_line"]
