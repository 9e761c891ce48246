"""One event, one line of ASCII: written here, read here."""

from __future__ import annotations

import json
import re
from base64 import b64encode
from collections.abc import Mapping
from json.encoder import encode_basestring_ascii
from typing import Any
from zlib import crc32

import orjson

from worldtape.schemas import canonical_json

INLINE = 64 * 1024
"""Payloads of more bytes than this become blobs."""

LONGEST = 64 << 20
"""Bytes of the longest line: a longer one is refused when it is written, and not held when it is read."""

_TAIL = len(b',"crc":"00000000"}\n')
_DIGITS = bytes(48 if chr(byte).isdigit() and byte < 128 else 32 for byte in range(256))  # noqa: PLR2004
_LARGE = b"0" * 19
_HUGE = re.compile(rb"[\[:,]-?[0-9]{19,}[,\]}]")

_REMARK = re.compile(
    rb'\{"seq":\d+,"kind":"(?:thought|notice)","wall":\d+,"mono":\d+,"step":(?:\d+|null),"data":\{(?!"code":"clock_step")'
)


def encode(seq: int, kind: str, wall: int, mono: int, step: int | None, data: bytes) -> bytes:
    """Return the line of one event; `data` is its payload as ASCII JSON."""
    place = b"null" if step is None else b"%d" % step
    body = b'{"seq":%d,"kind":%b,"wall":%d,"mono":%d,"step":%b,"data":%b' % (
        seq,
        _string(kind),
        wall,
        mono,
        place,
        data,
    )
    return b'%b,"crc":"%08x"}\n' % (body, crc32(body))


def encode_value(data: Mapping[str, Any]) -> bytes:
    """Return any JSON value as ASCII JSON; lone surrogates become U+FFFD, NaN becomes null."""
    value = dict(data)
    try:
        line = orjson.dumps(value, option=orjson.OPT_NON_STR_KEYS)
    except (TypeError, orjson.JSONEncodeError):
        line = canonical_json(value).encode()
    return line if line.isascii() else json.dumps(json.loads(line), separators=(",", ":")).encode("ascii")


def encode_bytes(channel: str, data: bytes) -> bytes:
    """Return the payload of a `data` event: text where `data` is UTF-8, else base64."""
    if data.isascii():
        return b'{"channel":%b,"text":%b}' % (_string(channel), orjson.dumps(data.decode("ascii")))
    try:
        text = data.decode()
    except UnicodeDecodeError:
        return b'{"channel":%b,"b64":"%b"}' % (_string(channel), b64encode(data))
    return b'{"channel":%b,"text":%b}' % (_string(channel), encode_basestring_ascii(text).encode("ascii"))


def encode_blob(channel: str, ref: str, size: int) -> bytes:
    """Return the payload of a `data` event whose bytes lie in a blob."""
    return b'{"channel":%b,"blob":%b,"bytes":%d}' % (_string(channel), _string(ref), size)


def decode(line: bytes, *, remarks: bool = True) -> dict[str, Any] | None:
    """Return the event on `line`, without its checksum; None where the line is not whole.

    Args:
        line: with its line feed.
        remarks: false: thoughts, and notices other than `clock_step`, come with empty data where it stands last.
    """
    if line[-_TAIL : 8 - _TAIL] != b',"crc":"' or line[-3:] != b'"}\n':
        return None
    if line[-11:-3] != b"%08x" % crc32(memoryview(line)[:-_TAIL]):
        return None
    if not remarks and (remark := _REMARK.match(line)):
        line = b"%b}%b" % (remark[0], line[-_TAIL:])
    try:
        event = orjson.loads(line)
        if _holds_huge(line):
            event = json.loads(line)
    except ValueError:
        return None
    return _checked(event)


def decode_all(plain: bytes, *, remarks: bool = True) -> list[dict[str, Any]] | None:
    """Return every event of a whole tape at once; null where anything is unusual, and it is to be read line by line.

    Args:
        plain: the lines, from the header on.
        remarks: as for `decode`.
    """
    lines = plain.split(b"\n")
    if lines.pop() or not all(map(_sound, lines)):
        return None
    if not remarks:
        lines = [line if (remark := _REMARK.match(line)) is None else b"%b}}" % remark[0] for line in lines]
    if any(map(_holds_huge, lines)):
        return None
    try:
        events = orjson.loads(b"[%b]" % b",".join(lines))
    except ValueError:
        return None
    whole = len(events) == len(lines) and all(_is_event(event) for event in events)
    return events if whole and [event["seq"] for event in events] == list(range(len(events))) else None


def _sound(line: bytes) -> bool:
    """Tell whether a line without its line feed has its checksum."""
    return line[-_TAIL + 1 :] == b',"crc":"%08x"}' % crc32(line[: -_TAIL + 1])


def _holds_huge(line: bytes) -> bool:
    """Tell whether an integer may be on the line that orjson makes a float of."""
    if b'"kind":"data"' in line[:40]:
        return False
    return line.translate(_DIGITS).find(_LARGE) >= 0 and _HUGE.search(line) is not None


def _checked(event: Any) -> dict[str, Any] | None:
    if not _is_event(event):
        return None
    del event["crc"]
    return event  # type: ignore[no-any-return]


def _is_event(event: Any) -> bool:
    if type(event) is not dict or type(event.get("data")) is not dict or type(event.get("kind")) is not str:
        return False
    get = event.get
    return type(get("seq")) is type(get("wall")) is type(get("mono")) is type(get("step") or 0) is int


def _string(text: str) -> bytes:
    return encode_basestring_ascii(text).encode("ascii")
