"""Key names of tmux, and the bytes that a terminal sends for them."""

import re

_SPECIAL = {
    "BSpace": "\x7f",
    "BTab": "\x1b[Z",
    "Enter": "\r",
    "Escape": "\x1b",
    "Space": " ",
    "Tab": "\t",
}
_CURSOR = {"Up": "A", "Down": "B", "Right": "C", "Left": "D", "Home": "H", "End": "F"}
_TILDE = {
    "IC": 2, "Insert": 2, "DC": 3, "Delete": 3, "PageUp": 5, "PgUp": 5, "PPage": 5,
    "PageDown": 6, "PgDn": 6, "NPage": 6,
    "F5": 15, "F6": 17, "F7": 18, "F8": 19, "F9": 20, "F10": 21, "F11": 23, "F12": 24,
}  # fmt: skip
_FUNCTION = {"F1": "P", "F2": "Q", "F3": "R", "F4": "S"}
_NAMED = _SPECIAL.keys() | _CURSOR.keys() | _TILDE.keys() | _FUNCTION.keys()
_MODIFIED = re.compile(r"((?:[CMS]-)+)(.+)", re.DOTALL)
_CONTROL = {"@": 0, "Space": 0, "[": 27, "\\": 28, "]": 29, "^": 30, "_": 31, "?": 127}


def key_bytes(keystrokes: str, *, application: bool = False) -> bytes:
    """Return what the terminal sends for `keystrokes`.

    Args:
        keystrokes: one tmux key name (`C-c`, `Enter`, `Up`, `M-x`, `F1`) if that is the whole string, else raw text.
        application: cursor keys in their application form, as full-screen programs ask for.
    """
    named = _key(keystrokes, application=application)
    return keystrokes.encode() if named is None else named.encode()


def is_key_name(keystrokes: str) -> bool:
    """Say whether the whole string is the name of one key."""
    return _key(keystrokes, application=False) is not None


def _key(name: str, *, application: bool) -> str | None:
    if name in _NAMED:
        return _plain(name, application=application)
    match = _MODIFIED.fullmatch(name)
    if match is None:
        return None
    return _modified(match[1], match[2])


def _plain(name: str, *, application: bool) -> str:
    if name in _SPECIAL:
        return _SPECIAL[name]
    if name in _CURSOR:
        return ("\x1bO" if application else "\x1b[") + _CURSOR[name]
    if name in _FUNCTION:
        return "\x1bO" + _FUNCTION[name]
    return f"\x1b[{_TILDE[name]}~"


def _modified(prefix: str, base: str) -> str | None:
    held = set(prefix.replace("-", ""))
    if base in _CURSOR or base in _FUNCTION or base in _TILDE:
        number = 1 + ("S" in held) + 2 * ("M" in held) + 4 * ("C" in held)
        if base in _TILDE:
            return f"\x1b[{_TILDE[base]};{number}~"
        return f"\x1b[1;{number}{_CURSOR.get(base) or _FUNCTION[base]}"
    if held == {"S"}:
        return _SPECIAL["BTab"] if base == "Tab" else None
    if "S" in held or (len(base) != 1 and base not in _SPECIAL):
        return None
    char = _control(base) if "C" in held else _SPECIAL.get(base, base)
    return char if char is None or "M" not in held else "\x1b" + char


def _control(base: str) -> str | None:
    if len(base) == 1 and base.isascii() and base.isalpha():
        return chr(ord(base.upper()) & 0x1F)
    code = _CONTROL.get(base)
    return None if code is None else chr(code)


__all__ = ["is_key_name", "key_bytes"]
