r"""The terminal core prints window titles of screen and tmux (ESC k, the title, ESC \); this takes them out."""

import re

_TITLE = re.compile(rb"\x1bk[^\x18\x1a\x1b]*")
_ENDS = re.compile(rb"[\x18\x1a\x1b]")


class Titles:
    """A filter over a byte stream; how the stream is split makes no difference."""

    def __init__(self) -> None:
        self._inside = False
        self._held = b""

    def feed(self, data: bytes) -> bytes:
        """Return `data` without titles; an ESC at its end is held back until it is known what follows."""
        if not self._inside and not self._held and b"\x1bk" not in data and not data.endswith(b"\x1b"):
            return data
        data = self._held + data
        self._held = b""
        if self._inside:
            end = _ENDS.search(data)
            if end is None:
                return b""
            data = data[end.start() :]
            self._inside = False
        if data.endswith(b"\x1b"):
            self._held, data = b"\x1b", data[:-1]
        if not self._held:
            last = data.rfind(b"\x1bk")
            self._inside = last >= 0 and _ENDS.search(data, last + 2) is None
        return _TITLE.sub(b"", data)
