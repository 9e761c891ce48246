"""AT-SPI's states, by the number of their bit (`atspi-constants.h`)."""

from __future__ import annotations

from collections.abc import Sequence

_NICKS = (
    *("invalid", "active", "armed", "busy", "checked", "collapsed", "defunct", "editable", "enabled", "expandable"),
    *("expanded", "focusable", "focused", "has-tooltip", "horizontal", "iconified", "modal", "multi-line"),
    *("multiselectable", "opaque", "pressed", "resizable", "selectable", "selected", "sensitive", "showing"),
    *("single-line", "stale", "transient", "vertical", "visible", "manages-descendants", "indeterminate", "required"),
    *("truncated", "animated", "invalid-entry", "supports-autocompletion", "selectable-text", "is-default", "visited"),
    *("checkable", "has-popup", "read-only"),
)
_BITS = 32


def states(words: Sequence[int]) -> list[str]:
    """Return the nicks of the bits that are set in two words of 32 bits, sorted."""
    return sorted(
        nick for bit, nick in enumerate(_NICKS) if bit // _BITS < len(words) and words[bit // _BITS] >> bit % _BITS & 1
    )
