"""Reading tapes: those of version 1.0 for ever, newer ones with care, damaged ones up to the damage."""

from __future__ import annotations

import hashlib
import shutil
import tracemalloc
import zlib
from pathlib import Path

import pytest
import zstandard

from tests.storage._tapes import DONE, TickingClock, header, received, record_steps
from worldtape.errors import FormatError, InputError, NotFoundError, VersionError
from worldtape.schemas import Header
from worldtape.storage import Blobs, TapeReader, TapeWriter, find_tapes, recover_tapes, tape_path, validate

GOLDEN = Path(__file__).parent / "golden" / "lake-1.0"
SEALED, OPEN = (f"01900000-0000-7000-8000-00000000000{n}" for n in (1, 2))


def closed(lake: Path, *, seal: bool = False) -> Path:
    clock = TickingClock()
    with TapeWriter.create(lake, header(), clock=clock) as tape:
        record_steps(tape, 3, clock)
        if seal:
            tape.seal(DONE)
    return tape.path


def signed(body: bytes) -> bytes:
    return b'%b,"crc":"%08x"}\n' % (body, zlib.crc32(body))


def test_the_golden_tape_reads_for_ever() -> None:
    path = tape_path(GOLDEN, SEALED, sealed=True)
    assert path.is_file()
    reader = TapeReader(path)
    events = list(reader.events())
    assert (reader.trajectory_id, reader.sealed, reader.torn_bytes) == (SEALED, True, 0)
    assert reader.header["task"]["id"] == "files/list"
    assert [event.seq for event in events] == list(range(19))
    kinds = "header ready captured thought action notice captured result heartbeat_of_1_9 fault end"
    assert " ".join(event.kind for event in events if event.kind != "data") == kinds
    text = "$ café\r\na\u0085b\u2028c\u2029d\0\x1b[0m🙂\r\n$ "
    assert received(path) == hashlib.sha256(text.encode()).hexdigest()
    pages = [reader.payload(event) for event in events if event.data.get("channel") == "page"]
    assert pages == [b"<html>" + b"<p>golden</p>" * 6000 + b"</html>", bytes(range(256)) * 2]
    assert validate(path).problems == []


def test_the_golden_interrupted_tape_reads_for_ever(tmp_path: Path) -> None:
    reader = TapeReader(tape_path(GOLDEN, OPEN))
    assert [event.kind for event in reader.events()] == ["header", "data", "captured", "action"]
    assert (reader.sealed, reader.torn_bytes) == (False, 41)
    shutil.copytree(GOLDEN, tmp_path / "lake")
    report = recover_tapes(tmp_path / "lake")
    assert [repair.torn_bytes for repair in report.repaired] == [41]
    assert report.sealed == 1
    assert [validate(path).problems for path in find_tapes(tmp_path / "lake")] == [[], []]


def test_what_a_newer_minor_version_adds_is_kept() -> None:
    events = {event.kind: event for event in TapeReader(tape_path(GOLDEN, SEALED, sealed=True)).events()}
    assert events["result"].data["from_1_9"] == {"huge": 2**80, "deep": [None, True, -1.5e-9]}
    assert events["heartbeat_of_1_9"].data == {"kind nobody knows": [1, 2, 3]}
    assert events["heartbeat_of_1_9"].extra == {"src_of_1_9": "probe"}
    assert events["end"].extra == {}


def test_a_newer_major_version_is_refused_by_name(tmp_path: Path) -> None:
    with TapeWriter.create(tmp_path, Header(**header().to_dict() | {"schema_version": "2.3"})) as tape:
        with pytest.raises(VersionError, match=r"schema 2\.3, newer than 1\.\d+; install a newer worldtape"):
            TapeReader(tape.path)
        (problem,) = validate(tape.path).problems
        assert "newer than" in problem


@pytest.mark.parametrize("data", [b"", b"\n", b"garbage", b"\0" * 5000, b'{"seq":0}\n', b"{}\n" * 3])
@pytest.mark.parametrize("name", ["tape.jsonl", "tape.jsonl.zst"])
def test_no_header_is_one_clear_error(tmp_path: Path, name: str, data: bytes) -> None:
    path = tmp_path / name
    path.write_bytes(zstandard.compress(data) if name.endswith(".zst") else data)
    with pytest.raises(FormatError, match="no header") as failure:
        TapeReader(path)
    assert "\n" not in str(failure.value)
    assert str(path) in str(failure.value)


def test_the_first_event_must_be_the_header(tmp_path: Path) -> None:
    path = tmp_path / "tape.jsonl"
    path.write_bytes(signed(b'{"seq":0,"kind":"data","wall":1,"mono":0,"step":null,"data":{"channel":"pty","text":""}'))
    with pytest.raises(FormatError, match="no header"):
        TapeReader(path)


def test_no_tape_is_not_found(tmp_path: Path) -> None:
    with pytest.raises(NotFoundError):
        TapeReader(tmp_path / "tapes" / "00" / "none.jsonl")


def test_a_tape_that_was_sealed_meanwhile(tmp_path: Path) -> None:
    path = closed(tmp_path, seal=True)
    reader = TapeReader(path.with_suffix(""))
    assert (reader.sealed, reader.path) == (True, path)


@pytest.mark.parametrize(
    "tail", [b"{", b'{"seq":16,"kind":"end"}\n', b"\0" * 4096, b"\n", b"\n\n\n", b"x" * 700_000, b"\xff\n\xfe"]
)
def test_a_torn_tail_is_passed_over(tmp_path: Path, tail: bytes) -> None:
    path = closed(tmp_path)
    before = list(TapeReader(path).events())
    with path.open("ab") as file:
        file.write(tail)
    reader = TapeReader(path)
    assert reader.torn_bytes == len(tail)
    assert list(reader.events()) == before
    assert validate(path).torn_bytes == len(tail)


def damage(lines: list[bytes], how: str) -> list[bytes]:
    if how == "flipped bit":
        lines[5] = lines[5].replace(b"kind", b"kinb")
    elif how == "missing line":
        del lines[5]
    elif how == "repeated line":
        lines.insert(5, lines[4])
    elif how == "joined lines":
        lines[5] = lines[5].rstrip(b"\n")
    elif how == "not an event":
        lines[5] = signed(b'{"seq":5,"kind":"data","wall":"late","mono":0,"step":null,"data":{}')
    return lines


@pytest.mark.parametrize("how", ["flipped bit", "missing line", "repeated line", "joined lines", "not an event"])
@pytest.mark.parametrize("seal", [False, True])
def test_damage_in_the_middle_is_an_error_with_its_line(tmp_path: Path, how: str, seal: bool) -> None:
    path = closed(tmp_path, seal=seal)
    whole = zstandard.decompress(path.read_bytes()) if seal else path.read_bytes()
    data = b"".join(damage(whole.splitlines(keepends=True), how))
    path.write_bytes(zstandard.compress(data) if seal else data)
    with pytest.raises(FormatError, match=rf"{path.name}:6: the event is damaged"):
        list(TapeReader(path).events())
    assert [event.seq for event in TapeReader(path).events(lenient=True)] == list(range(5))
    assert len(validate(path).problems) == 1


@pytest.mark.parametrize("keep", [0.3, 0.6, 0.95])
def test_a_sealed_tape_that_stops_early(tmp_path: Path, keep: float) -> None:
    clock = TickingClock()
    with TapeWriter.create(tmp_path, header(), durability="none", clock=clock) as tape:
        for number in range(4000):
            tape("pty", hashlib.sha256(b"%d" % number).digest() * 3, clock.mono_ns())
        tape.seal(DONE)
    whole = tape.path.read_bytes()
    tape.path.write_bytes(whole[: int(len(whole) * keep)])
    reader = TapeReader(tape.path)
    with pytest.raises(FormatError):
        list(reader.events())
    assert 0 < len(list(reader.events(lenient=True))) < 4002
    tape.path.write_bytes(whole[: len(whole) // 2] + b"\x55" * 40 + whole[len(whole) // 2 + 40 :])
    with pytest.raises(FormatError):
        list(TapeReader(tape.path).events())
    list(TapeReader(tape.path).events(lenient=True))


def test_a_missing_blob_is_named(tmp_path: Path) -> None:
    with TapeWriter.create(tmp_path, header()) as tape:
        tape("page", b"x" * 70_000, 0)
        tape.seal(DONE)
    blobs = Blobs(tmp_path)
    (ref,) = blobs
    blobs.path(ref).unlink()
    reader = TapeReader(tape.path)
    _, event, _ = reader.events()
    with pytest.raises(FormatError, match=rf":2: the blob {ref} is missing"):
        reader.payload(event)
    assert "is missing" in validate(tape.path).problems[0]
    with pytest.raises(FormatError, match="carries no bytes"):
        reader.payload(next(reader.events()))


def test_a_reader_can_follow_a_writer(tmp_path: Path) -> None:
    clock = TickingClock()
    with TapeWriter.create(tmp_path, header(), clock=clock) as tape:
        for step in range(3):
            record_steps(tape, 1, clock, first=step)
            assert sum(1 for _ in TapeReader(tape.path).events()) == 1 + 5 * (step + 1)


@pytest.mark.parametrize("sealed", [True, False])
def test_a_line_without_end_is_not_held(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, sealed: bool) -> None:
    with TapeWriter.create(tmp_path, header(), durability="none") as tape:
        tape("pty", b"x" * 9, 0)
    plain = tape.path.read_bytes() + b'{"seq":2,"kind":"data"' + b"x" * (8 << 20)
    path = tape.path
    path.write_bytes(plain)
    if sealed:
        path = path.with_name(f"{path.name}.zst")
        path.write_bytes(zstandard.compress(plain))
    monkeypatch.setattr("worldtape.storage.tapes._scan.LONGEST", 1 << 20)
    reader = TapeReader(path)
    tracemalloc.start()
    try:
        with pytest.raises(FormatError, match=rf"{path.name}: a line of more than 1 MiB"):
            list(reader.events())
        assert len(list(reader.events(lenient=True))) == 2
        assert tracemalloc.get_traced_memory()[1] < 5 << 20
    finally:
        tracemalloc.stop()


def test_what_no_reader_would_take_is_not_written(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("worldtape.storage.tapes.writer.LONGEST", 1 << 20)
    with TapeWriter.create(tmp_path, header(), durability="none") as tape:
        with pytest.raises(InputError, match="an event of 2 MiB does not fit on a tape"):
            tape.append("thought", {"text": "x" * (2 << 20)})
        tape.seal(DONE)
    assert validate(tape.path).problems == []
