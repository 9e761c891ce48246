"""The newest whole line of one channel, of bytes that may be split anywhere."""

from __future__ import annotations


class NewestLine:
    """What a renderer keeps where each line of a channel is a whole capture.

    Args:
        channel: the one that is read; the others are passed over.

    Attributes:
        line: the newest line without its end; b"" before the first.
    """

    def __init__(self, channel: str) -> None:
        self._channel = channel
        self._rest: list[bytes] = []
        self.line = b""

    def feed(self, channel: str, data: bytes) -> None:
        """Take the next bytes."""
        if channel != self._channel:
            return
        head, end, tail = data.rpartition(b"\n")
        if not end:
            self._rest.append(data)
            return
        whole = b"".join([*self._rest, head])
        self.line = whole.rpartition(b"\n")[2]
        self._rest = [tail] if tail else []


__all__ = ["NewestLine"]
