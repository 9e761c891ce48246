"""What is read during one trajectory, on its way to the tape and to the renderer."""

from __future__ import annotations

import hashlib
import time

from worldtape.schemas import Observation, Part, Renderer, SettledBy, Sink, Truncation

DIFF = "git.diff"
"""Channel of the patch from HEAD to the working copy, kept whenever it has become another one."""
_ASKED = "swe.call"
_INLINE = 64 * 1024


class Kept:
    """Counts what it passes on.

    Attributes:
        sink: of the running step.
        first_ns: when the first answer of the running step came (monotonic); None: none has.
    """

    def __init__(self, renderer: Renderer, sink: Sink) -> None:
        self.sink = sink
        self.first_ns: int | None = None
        self._renderer = renderer
        self._received: dict[str, int] = {}
        self._diff: str | None = None

    def begin(self, sink: Sink) -> None:
        """Begin a step."""
        self.sink, self.first_ns = sink, None

    def keep(self, channel: str, data: bytes) -> None:
        """Pass on what was read just now; a `toolset.Keep`."""
        now = time.monotonic_ns()
        if self.first_ns is None and channel != _ASKED:
            self.first_ns = now
        self._pass(channel, data, now)

    def diff(self, patch: bytes) -> None:
        """Keep the patch where it differs from the last one."""
        digest = hashlib.sha256(patch).hexdigest()
        if digest != self._diff and (patch or self._diff is not None):
            self._pass(DIFF, patch, time.monotonic_ns())
        self._diff = digest

    def observe(self, patch: bytes = b"", full_bytes: int = 0) -> Observation:
        """Return the observation as of now; `patch`, cut from so many bytes, stands in its parts."""
        return Observation(
            text=self._renderer.render(),
            renderer=self._renderer.rendering,
            parts=(_part(patch, full_bytes),) if patch else (),
            settled_by=SettledBy.EVENT,
            received={channel: count for channel, count in self._received.items() if count},
        )

    def _pass(self, channel: str, data: bytes, now: int) -> None:
        self.sink(channel, data, now)
        self._renderer.feed(channel, data)
        self._received[channel] = self._received.get(channel, 0) + len(data)


def _part(patch: bytes, full_bytes: int) -> Part:
    """Return the patch as lakes have it: as text, or by the blob that the tape made of it."""
    text = None
    if len(patch) <= _INLINE:
        text = patch.decode("utf-8", "replace")
    blob = None if text is not None else f"sha256:{hashlib.sha256(patch).hexdigest()}"
    cut = Truncation(by="recorder", full_bytes=full_bytes) if full_bytes > len(patch) else None
    return Part(channel=DIFF, media_type="text/x-diff", text=text, blob=blob, bytes=len(patch), truncated=cut)


__all__ = ["DIFF", "Kept"]
