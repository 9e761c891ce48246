"""The frames in which Docker mixes standard output and error when there is no terminal."""

import struct

_HEADER = struct.Struct(">BxxxL")


class Frames:
    """Takes bytes as they come, split anywhere, and gives the text without the headers."""

    def __init__(self) -> None:
        self._waiting = bytearray()

    def feed(self, data: bytes) -> bytes:
        """Return the payload of every frame that is whole by now, in order."""
        self._waiting += data
        out = bytearray()
        while len(self._waiting) >= _HEADER.size:
            _, size = _HEADER.unpack_from(self._waiting)
            end = _HEADER.size + size
            if len(self._waiting) < end:
                break
            out += self._waiting[_HEADER.size : end]
            del self._waiting[:end]
        return bytes(out)

    def rest(self) -> bytes:
        """Return the payload of a frame that was cut off."""
        return bytes(self._waiting[_HEADER.size :])
