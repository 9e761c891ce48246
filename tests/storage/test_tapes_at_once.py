"""A short tape is decoded in one piece: the same events as line by line, and the same complaints."""

from __future__ import annotations

import json
from io import BytesIO
from pathlib import Path
from zlib import crc32

import pytest
import zstandard

from worldtape.errors import FormatError
from worldtape.schemas import EventKind
from worldtape.storage import TapeReader, tape_path
from worldtape.storage.tapes._line import decode_all
from worldtape.storage.tapes._scan import Scan

HEADER = {"schema_version": "1.0", "trajectory_id": "one", "domain": "mcp"}
ODDITIES = [
    ("thought", {"text": 'a "quoted" {thought}'}),
    ("notice", {"code": "clock_step", "from": 5, "to": 2}),
    ("notice", {"code": "source_record", "text": '{"data":{"code":"clock_step"}}'}),
    ("notice", {}),
    ("data", {"channel": "text", "text": "1234567890123456789012 é\u2028"}),
    ("action", {"kind": "tool_call", "text": "x"}),
    ("unheard_of", {"new": [1, {"deep": None}]}),
]


def line(seq: int, kind: str, data: object, **more: object) -> bytes:
    event = {"seq": seq, "kind": kind, "wall": 7, "mono": 0, "step": None, "data": data} | more
    body = json.dumps(event, separators=(",", ":")).encode()[:-1]
    return b'%b,"crc":"%08x"}\n' % (body, crc32(body))


def tape(*events: tuple[str, object]) -> list[bytes]:
    told = [("header", HEADER), *events, ("end", {"status": "completed"})]
    return [line(seq, kind, data) for seq, (kind, data) in enumerate(told)]


def by_line(plain: bytes, *, remarks: bool = True) -> list[dict[str, object]]:
    return list(Scan(BytesIO(plain), remarks=remarks))


def at_once(plain: bytes, *, remarks: bool = True) -> list[dict[str, object]] | None:
    found = decode_all(plain, remarks=remarks)
    return None if found is None else [{k: v for k, v in event.items() if k != "crc"} for event in found]


@pytest.mark.parametrize("remarks", [True, False])
def test_both_ways_give_the_same(remarks: bool) -> None:
    plain = b"".join(tape(*ODDITIES))
    assert at_once(plain, remarks=remarks) == by_line(plain, remarks=remarks)


def test_remarks_are_there_without_their_data() -> None:
    plain = b"".join(tape(*ODDITIES))
    whole, bare = by_line(plain), at_once(plain, remarks=False)
    assert bare is not None
    assert [event["kind"] for event in bare] == [event["kind"] for event in whole]
    differ = [event["kind"] for event, other in zip(whole, bare, strict=True) if event != other]
    assert differ == ["thought", "notice"]
    assert all(other["data"] == {} for event, other in zip(whole, bare, strict=True) if event != other)


@pytest.mark.parametrize(
    "lines",
    [
        tape(("action", {"number": 1 << 70})),
        [*tape()[:1], line(2, "end", {})],
        [*tape()[:1], line(1, "end", [])],
        [*tape()[:1], line(1, "end", {}, wall="7")],
        [*tape()[:1], b'{"seq":1},{"seq":2,"crc":"00000000"}\n'],
        [*tape()[:1], tape()[1].replace(b"completed", b"Completed")],
        [*tape()[:1], tape()[1][:-1]],
        [b"\n", *tape()],
    ],
    ids=["huge", "gap", "no object", "no number", "two on a line", "checksum", "torn", "blank"],
)
def test_what_is_unusual_is_left_to_the_slow_way(lines: list[bytes]) -> None:
    assert decode_all(b"".join(lines)) is None


def test_unknown_members_are_kept(tmp_path: Path) -> None:
    path = tape_path(tmp_path, "one", sealed=True)
    path.parent.mkdir(parents=True)
    plain = line(0, "header", HEADER, fresh=1) + line(1, "end", {}, fresh=2)
    path.write_bytes(zstandard.compress(plain))
    assert [event.extra for event in TapeReader(path).events()] == [{"fresh": 1}, {"fresh": 2}]
    no_step = b'{"seq":1,"kind":"end","wall":7,"mono":0,"fresh":3,"data":{}'
    plain = tape()[0] + b'%b,"crc":"%08x"}\n' % (no_step, crc32(no_step))
    path.write_bytes(zstandard.compress(plain))
    first, last = TapeReader(path).events()
    assert (first.extra, last.extra, last.step) == ({}, {"fresh": 3}, None)


@pytest.mark.parametrize("frames", [1, 2])
def test_a_sealed_tape_without_an_end_is_told(tmp_path: Path, frames: int) -> None:
    path = tape_path(tmp_path, "one", sealed=True)
    path.parent.mkdir(parents=True)
    lines = tape(*ODDITIES)
    half = len(lines) // frames
    path.write_bytes(zstandard.compress(b"".join(lines[:half])) + zstandard.compress(b"".join(lines[half:])))
    assert [event.kind for event in TapeReader(path).events()][-1] == EventKind.END
    path.write_bytes(zstandard.compress(b"".join(lines[:-1])))
    with pytest.raises(FormatError, match="before its end"):
        list(TapeReader(path).events())
    assert len(list(TapeReader(path).events(lenient=True))) == len(lines) - 1
