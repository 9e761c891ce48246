"""From the bytes of a person's keyboard to keys, and from keys to the recipe's array."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from functools import lru_cache
from typing import Any

from worldtape.collectors.terminal.keys import is_key_name, key_bytes

ENTER = (b"\r", b"\n")
URGENT = (b"\x03", b"\x04", b"\x1a", b"\x1c")
"""C-c, C-d, C-z and C-\\: each is an action of its own, whatever is typed before it."""

_PASTE = (b"\x1b[200~", b"\x1b[201~")
_KEY = re.compile(
    rb"\x1b\[200~.*?\x1b\[201~"  # a whole paste
    rb"|\x1b\[[0-?]*[ -/]*[@-~]|\x1bO[ -~]"  # cursor and function keys
    rb"|\x1b[@-~a-z0-9]"  # with Alt
    rb"|[\xc2-\xdf][\x80-\xbf]|[\xe0-\xef][\x80-\xbf]{2}|[\xf0-\xf4][\x80-\xbf]{3}"
    rb"|.",
    re.DOTALL,
)
_UNFINISHED = re.compile(rb"(?:[\xc2-\xf4]|[\xe0-\xf4][\x80-\xbf]|[\xf0-\xf4][\x80-\xbf]{2})\Z")
_ANSWER = re.compile(
    rb"\x1b\[[?>=][\d;]*c|\x1b\[\d+;\d+R|\x1b\[\?[\d;]*\$y|\x1b\[0n"
    rb"|\x1b\][^\x07\x1b]*(?:\x07|\x1b\\)|\x1bP.*?\x1b\\",
    re.DOTALL,
)
_NAMES = (
    *("Up", "Down", "Left", "Right", "Home", "End", "Insert", "Delete", "PageUp", "PageDown"),
    *("Escape", "BSpace", "BTab", "Tab"),
    *(f"F{number}" for number in range(1, 13)),
    *(f"C-{letter}" for letter in "abcdefghklnopqrstuvwxyz"),
)


class Keyboard:
    """Cuts what was read into keys; a paste or a character that has only begun waits for its rest.

    Answers of the person's own terminal to queries are left out: the recorded screen has answered already.
    """

    def __init__(self) -> None:
        self._rest = b""

    def feed(self, data: bytes) -> list[bytes]:
        """Return the keys that are complete now."""
        data, self._rest = self._rest + data, b""
        begin = data.rfind(_PASTE[0])
        cut = begin if begin >= 0 and _PASTE[1] not in data[begin:] else len(data)
        tail = _UNFINISHED.search(data[:cut])
        if cut == len(data) and tail:
            cut = tail.start()
        data, self._rest = data[:cut], data[cut:]
        return _KEY.findall(_ANSWER.sub(b"", data))


def to_strokes(keys: Iterable[bytes]) -> list[dict[str, Any]]:
    """Return keys as a recipe array: text as it is, Enter as a line end, other keys by name, each an element."""
    strokes: list[str] = []
    text = ""
    for key in keys:
        name = _names().get(key)
        if name is None:
            text += "\n" if key in ENTER else key.decode("utf-8", "replace")
            continue
        strokes += [*_plain(text), name]
        text = ""
    return [{"keystrokes": stroke} for stroke in (*strokes, *_plain(text))]


def _plain(text: str) -> Iterator[str]:
    """Yield `text`, in two pieces where it happens to be the name of a key."""
    if is_key_name(text):
        yield text[:1]
        yield text[1:]
    elif text:
        yield text


@lru_cache
def _names() -> dict[bytes, str]:
    return {key_bytes(name, application=mode): name for mode in (True, False) for name in _NAMES}
