"""Programs that look for keys in passing: when is that waiting for input?"""

from __future__ import annotations

from worldtape.collectors.terminal.settle import Look

_PATIENT_S = 1.0
_APART_S = 0.5
_SHORTEST_S, _MARGIN_S = 0.02, 0.005


class Stand:
    """Follows a wait with a time-out from look to look.

    An editor that was sent Escape, or is about to end, waits some 0.1 s for keys and then goes on by itself; an idle
    one waits for ever, for a second or more, or again and again. So a wait that ends soon by itself counts when it has
    stood in silence for longer than it can last; or when the program was found in such waits for a second, as one that
    draws meanwhile.
    """

    def __init__(self) -> None:
        self._pid: int | None = None
        self._received = 0
        self._first = self._last = self._since = self._longest = 0.0

    def clear(self) -> None:
        """Begin again: the process was found at work."""
        self._longest = -1.0

    def holds(self, look: Look, received: int, now: float) -> bool:
        """Say whether the process that `look` found waiting waits for input.

        Args:
            look: what was found.
            received: bytes of output so far.
            now: the moment of the look, monotonic s.
        """
        if look.longest >= _PATIENT_S:
            return True
        if look.pid != self._pid or now - self._last > _APART_S:
            self._pid, self._first, self._longest = look.pid, now, -1.0
        if look.longest > self._longest or received != self._received:
            self._since, self._longest, self._received = now, look.longest, received
        self._last = now
        stood = now - self._since > max(self._longest, _SHORTEST_S) + _MARGIN_S
        return stood or now - self._first > _PATIENT_S


__all__ = ["Stand"]
