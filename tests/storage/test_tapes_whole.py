"""Tapes that are written in one piece."""

from __future__ import annotations

import hashlib
import io
from pathlib import Path

import pytest

from worldtape.errors import FormatError
from worldtape.schemas import End, EndStatus, EnvironmentSpec, EventKind, Header, PolicySpec, Source
from worldtape.storage import Blobs, Lake, TapeReader, WholeTape, find_tapes, recover, validate

END = End(status=EndStatus.COMPLETED)
DAY = 86_400_000_000


def begun(lake: Path, name: str = "one") -> WholeTape:
    tape = WholeTape(lake, name, Blobs(lake))
    header = Header(
        trajectory_id=name,
        domain="mcp",
        environment=EnvironmentSpec(kind="mcp"),
        policy=PolicySpec(kind="imported"),
        source=Source(kind="imported"),
    )
    tape.append(EventKind.HEADER, header.to_dict(), wall_us=DAY)
    return tape


@pytest.mark.parametrize("size", [10, 60_000, 100_000])
@pytest.mark.parametrize("count", [3, 400])
def test_what_was_written_is_read(tmp_path: Path, count: int, size: int) -> None:
    tape = begun(tmp_path)
    payloads = [bytes([65 + number % 26]) * size for number in range(count)]
    for payload in payloads:
        tape.data("text", payload)
    assert list(find_tapes(tmp_path)) == []
    assert tape.publish(END)
    (path,) = find_tapes(tmp_path)
    reader = TapeReader(path)
    assert [reader.payload(event) for event in reader.events() if event.kind == "data"] == payloads
    assert validate(path).problems == []
    assert not [path for path in (tmp_path / "tapes").rglob("*") if "tmp" in path.name]


def test_the_second_of_two_adds_nothing(tmp_path: Path) -> None:
    first, second = begun(tmp_path), begun(tmp_path)
    second.append(EventKind.NOTICE, {"code": "other"})
    assert first.publish(END)
    (path,) = find_tapes(tmp_path)
    before = path.read_bytes()
    assert not second.publish(END)
    assert path.read_bytes() == before


def test_a_discarded_tape_leaves_nothing(tmp_path: Path) -> None:
    tape = begun(tmp_path)
    for _ in range(300):
        tape.data("text", b"x" * 60_000)
    assert list((tmp_path / "tapes").iterdir())
    tape.discard()
    assert list((tmp_path / "tapes").iterdir()) == []


def test_what_a_kill_left_is_removed_by_recovery(tmp_path: Path) -> None:
    left = tmp_path / "tapes" / ".0123.part-tmp"
    left.parent.mkdir()
    left.write_bytes(b"half")
    Lake.open(tmp_path, create=True)
    recover(str(tmp_path))
    assert not left.exists()


def test_times_may_step_back(tmp_path: Path) -> None:
    tape = begun(tmp_path)
    tape.append(EventKind.NOTICE, {"code": "a"}, wall_us=DAY + 5)
    tape.append(EventKind.NOTICE, {"code": "b"}, wall_us=DAY + 2)
    tape.append(EventKind.NOTICE, {"code": "c"})
    tape.publish(END)
    (path,) = find_tapes(tmp_path)
    events = list(TapeReader(path).events())
    assert [event.data.get("code") for event in events[1:-1]] == ["a", "clock_step", "b", "c"]
    assert [event.wall_us - DAY for event in events] == [0, 5, 2, 2, 2, 2]
    assert [event.mono_ns for event in events] == [0, 5000, 5000, 5000, 5000, 5000]
    assert validate(path).problems == []


def test_a_blob_is_copied_in_constant_memory(tmp_path: Path) -> None:
    data = b"line\n" * 1_000_000
    digest = hashlib.sha256(data).hexdigest()
    blobs = Blobs(tmp_path)
    for _ in range(2):
        assert blobs.copy(io.BytesIO(data), digest=digest, size=len(data)) == f"sha256:{digest}"
    assert blobs.get(f"sha256:{digest}") == data
    assert len(list(blobs.folder.rglob("*.zst"))) == 1


@pytest.mark.parametrize("data", [b"other", b"shor"])
def test_a_blob_that_changed_is_refused(tmp_path: Path, data: bytes) -> None:
    with pytest.raises(FormatError, match="changed while they were read"):
        Blobs(tmp_path).copy(io.BytesIO(data), digest="0" * 64, size=5)
    assert [path for path in tmp_path.rglob("*") if path.is_file()] == []
