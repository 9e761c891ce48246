"""What goes onto a tape comes back, byte for byte."""

from __future__ import annotations

import hashlib
import os
import tempfile
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.storage._tapes import DONE, TickingClock, header, received
from worldtape.storage import Blobs, TapeReader, TapeWriter, validate

SEQ = b"".join(b"%d\r\n" % number for number in range(1, 200_001))
SOURCES = {
    "seq": SEQ,
    "long line": b"0123456789abcdef" * (50 << 16) + b"\n",
    "urandom": os.urandom(1 << 20),
    "nul": b"\0" * 5000 + b"a\0b\r\n",
    "progress": b"".join(b"\r%3d%% [%-50s]" % (n, b"#" * (n // 2)) for n in range(101)) + b"\n",
    "separators": "a\u0085b\u2028c\u2029d\x0b\x0c\x1c\x1d\x1e\n".encode() * 300,
    "wide": "漢字🙂é".encode() * 3000,
    "surrogates": b"\xed\xa0\x80 \xed\xb0\x80 \xc0\x80 \xf4\x90\x80\x80" * 99,
}
VALUES = st.recursive(
    st.none()
    | st.booleans()
    | st.integers(-(2**70), 2**70)
    | st.floats(allow_nan=False, allow_infinity=False)
    | st.text(),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(), inner, max_size=4),
    max_leaves=12,
)


def write(lake: Path, chunks: list[bytes]) -> Path:
    clock = TickingClock()
    with TapeWriter.create(lake, header(), durability="none", clock=clock) as tape:
        for chunk in chunks:
            tape("pty", chunk, clock.mono_ns())
        tape.seal(DONE)
    return tape.path


@pytest.mark.parametrize("size", [4095, 65_536, 100_000])
@pytest.mark.parametrize("name", SOURCES)
def test_bytes_are_kept(tmp_path: Path, name: str, size: int) -> None:
    data = SOURCES[name]
    path = write(tmp_path, [data[at : at + size] for at in range(0, len(data), size)])
    assert received(path) == hashlib.sha256(data).hexdigest()
    assert validate(path).problems == []


def test_one_huge_read_becomes_one_blob(tmp_path: Path) -> None:
    data = SOURCES["long line"]
    path = write(tmp_path, [data, data])
    events = [event for event in TapeReader(path).events() if event.kind == "data"]
    assert [event.data["bytes"] for event in events] == [len(data)] * 2
    assert list(Blobs(tmp_path)) == [events[0].data["blob"]]
    assert received(path) == hashlib.sha256(data + data).hexdigest()


@pytest.mark.parametrize("size", [65_535, 65_536, 65_537])
def test_payloads_above_64_kib_are_blobs(tmp_path: Path, size: int) -> None:
    path = write(tmp_path, [b"x" * size])
    (event,) = [event for event in TapeReader(path).events() if event.kind == "data"]
    assert ("blob" in event.data) == (size > 65_536)


def test_a_character_split_over_reads(tmp_path: Path) -> None:
    path = write(tmp_path, [b"caf\xc3", b"\xa9 ", b"\xf0\x9f", b"\x99\x82"])
    assert received(path) == hashlib.sha256("café 🙂".encode()).hexdigest()


@settings(max_examples=40, deadline=None)
@given(st.lists(st.binary(max_size=400) | st.text(max_size=200).map(lambda text: text.encode("utf-8", "replace"))))
def test_any_bytes_come_back(chunks: list[bytes]) -> None:
    with tempfile.TemporaryDirectory() as folder:
        path = write(Path(folder), chunks)
        reader = TapeReader(path)
        assert [reader.payload(event) for event in reader.events() if event.kind == "data"] == chunks


@settings(max_examples=80, deadline=None)
@given(st.dictionaries(st.text(), VALUES, max_size=5))
def test_any_value_comes_back(data: dict[str, Any]) -> None:
    with tempfile.TemporaryDirectory() as folder, TapeWriter.create(folder, header(), durability="none") as tape:
        tape.append("notice", data, step=3)
        *_, event = TapeReader(tape.path).events()
        assert event.data == data
        assert event.step == 3
        assert tape.path.read_bytes().isascii()
        assert tape.path.read_bytes().count(b"\n") == 2


def test_what_json_cannot_say_is_replaced(tmp_path: Path) -> None:
    with TapeWriter.create(tmp_path, header()) as tape:
        tape.append("thought", {"lone": "a\ud800b", "nan": float("nan"), "inf": [float("inf")], "\udfff": 1})
        *_, event = TapeReader(tape.path).events()
    assert event.data == {"lone": "a\ufffdb", "nan": None, "inf": [None], "\ufffd": 1}


def test_a_sealed_tape_is_small(tmp_path: Path) -> None:
    import zstandard

    path = write(tmp_path, [SEQ[at : at + 4095] for at in range(0, len(SEQ), 4095)])
    assert path.stat().st_size <= 1.3 * len(zstandard.ZstdCompressor().compress(SEQ))


def test_memory_does_not_grow_with_the_tape(tmp_path: Path) -> None:
    import tracemalloc

    tape = TapeWriter.create(tmp_path, header(), durability="none")
    chunk, text = os.urandom(200_000), b"line of text\r\n" * 4000
    tracemalloc.start()
    for number in range(100):
        tape("pty", b"%d" % number + chunk, 0)
        tape("pty", text, 0)
    tape.seal(DONE)
    assert sum(1 for _ in TapeReader(tape.path).events()) == 202
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert peak < 8 << 20
