"""Files as text: what encoding they are in, and whether they are text at all."""

from __future__ import annotations

import codecs
from dataclasses import dataclass

_BOMS = (
    (codecs.BOM_UTF32_LE, "utf-32-le"),
    (codecs.BOM_UTF32_BE, "utf-32-be"),
    (codecs.BOM_UTF8, "utf-8"),
    (codecs.BOM_UTF16_LE, "utf-16-le"),
    (codecs.BOM_UTF16_BE, "utf-16-be"),
)
"""Longest first: that of UTF-32 begins with that of UTF-16."""
_SAMPLE = 8192
_ODD_SHARE = 0.3
_FEW = 16
"""So many bytes that are no UTF-8 may stand in the shortest text."""
_ODD = bytes([*range(9), *range(14, 27), *range(28, 32), 127])
"""Control characters that text has no use for; ESC is left out, since logs have it."""


@dataclass(frozen=True, slots=True)
class Text:
    """What a file says, without its byte order mark."""

    text: str
    """Bytes that are no UTF-8 stand as lone surrogates (`surrogateescape`), so that they can be written back."""
    encoding: str = "utf-8"
    bom: bytes = b""

    def encode(self, text: str) -> bytes:
        """Return `text` as bytes of a file like this one: its mark, its encoding."""
        return self.bom + _encoded(text, self.encoding)


def decode(data: bytes) -> Text | None:
    """Return the text of a file; None where it is binary.

    A byte order mark decides the encoding; without one it is UTF-8, unless the first 8 KiB hold a NUL or are control
    characters or no UTF-8 for more than 30 %.
    """
    for bom, encoding in _BOMS:
        if data.startswith(bom):
            return _marked(data, bom, encoding)
    return None if _odd(data[:_SAMPLE]) else Text(data.decode("utf-8", "surrogateescape"))


def encode(text: str) -> bytes:
    """Return the bytes of a new file: UTF-8, lone surrogates as U+FFFD."""
    return clean(text).encode()


def clean(text: str) -> str:
    """Return `text` with everything that cannot be written as U+FFFD."""
    return text if text.isascii() else text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")


def _odd(sample: bytes) -> bool:
    control = len(sample) - len(sample.translate(None, _ODD))
    broken = sum("\udc80" <= sign <= "\udcff" for sign in sample.decode("utf-8", "surrogateescape"))
    return 0 in sample or max(control, broken - _FEW) > _ODD_SHARE * len(sample)


def _marked(data: bytes, bom: bytes, encoding: str) -> Text | None:
    errors = "surrogateescape" if encoding == "utf-8" else "strict"
    try:
        return Text(data[len(bom) :].decode(encoding, errors), encoding, bom)
    except UnicodeDecodeError:
        return None


def _encoded(text: str, encoding: str) -> bytes:
    if encoding != "utf-8":
        return clean(text).encode(encoding)
    try:
        return text.encode("utf-8", "surrogateescape")
    except UnicodeEncodeError:
        return clean(text).encode()


__all__ = ["Text", "clean", "decode", "encode"]
