"""Archives are opened, and none of them does anything else."""

from __future__ import annotations

import gzip
import io
import lzma
import os
import tarfile
import zipfile
from collections.abc import Callable
from pathlib import Path

import pytest
import zstandard

from tests.pipelines.importing import Toy, only, put, rows, toy
from worldtape import import_files
from worldtape.pipelines.importing import ImportReport, _limits
from worldtape.pipelines.importing._zstd import is_whole
from worldtape.storage import TapeReader, find_tapes

ROW = rows(toy())
OTHER = rows(toy(("c", "C"), sibling="../note.txt"))


@pytest.fixture(autouse=True)
def _toy(monkeypatch: pytest.MonkeyPatch) -> None:
    only(monkeypatch, Toy)


def run(source: Path, lake: Path) -> ImportReport:
    report = import_files([source], lake)
    assert report.files == report.imported + len(report.refused) + len(report.unknown)
    return report


def zipped(**members: bytes) -> bytes:
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, data in members.items():
            archive.writestr(name.replace("__", "/"), data)
    return out.getvalue()


def tarred(*members: tarfile.TarInfo | tuple[str, bytes]) -> bytes:
    out = io.BytesIO()
    with tarfile.open(fileobj=out, mode="w") as archive:
        for member in members:
            if isinstance(member, tarfile.TarInfo):
                archive.addfile(member)
                continue
            info = tarfile.TarInfo(member[0])
            info.size = len(member[1])
            archive.addfile(info, io.BytesIO(member[1]))
    return out.getvalue()


def special(name: str, kind: bytes, target: str = "") -> tarfile.TarInfo:
    info = tarfile.TarInfo(name)
    info.type, info.linkname = kind, target
    return info


TAR = tarred(("runs/a.jsonl", ROW), ("runs/deep/b.jsonl", OTHER), ("runs/note.txt", b"beside"))
PACKED = {
    "zip": zipped(runs__a=ROW, runs__deep__b=OTHER, **{"runs__note.txt": b"beside"}),
    "tar": TAR,
    "tar.gz": gzip.compress(TAR),
    "tar.xz": lzma.compress(TAR),
    "tar.zst": zstandard.compress(TAR),
}


@pytest.mark.parametrize("kind", PACKED)
def test_members_are_sources(tmp_path: Path, kind: str) -> None:
    put(tmp_path / "x.bin", PACKED[kind])
    report = run(tmp_path / "x.bin", tmp_path / "lake")
    assert (report.archives, report.total.trajectories, report.refused) == (1, 2, [])
    assert report.unknown == [("x.bin/runs/note.txt", "text of unknown shape")]
    headers = [TapeReader(path).header for path in find_tapes(tmp_path / "lake")]
    assert [h["extra"]["source"] for h in headers if "source" in h["extra"]] == [{"sibling": "beside"}]
    assert all(header["source"]["uri"].startswith("x.bin/runs/") for header in headers)


@pytest.mark.parametrize("pack", [gzip.compress, lzma.compress, zstandard.compress])
def test_a_compressed_file_is_the_file(tmp_path: Path, pack: object) -> None:
    assert callable(pack)
    put(tmp_path / "in" / "a.jsonl", ROW)
    put(tmp_path / "in" / "b.jsonl.x", pack(ROW))
    report = run(tmp_path / "in", tmp_path / "lake")
    assert (report.total.trajectories, report.total.present) == (1, 1)


def test_one_archive_inside_another_is_opened_and_no_more(tmp_path: Path) -> None:
    deep = zipped(y=gzip.compress(ROW))
    put(tmp_path / "x.zip", zipped(a=gzip.compress(ROW), b=zipped(c=deep)))
    report = run(tmp_path / "x.zip", tmp_path / "lake")
    assert report.total.trajectories == 1
    assert report.unknown == [("x.zip/b/c", "an archive, too deep inside other archives")]


@pytest.mark.parametrize("name", ["../a", "/etc/a", "x/../../a", "..\\a", "C:\\a"])
@pytest.mark.parametrize("kind", ["zip", "tar"])
def test_members_that_climb_out_are_refused(tmp_path: Path, name: str, kind: str) -> None:
    put(tmp_path / "in" / "x", zipped(**{name: ROW}) if kind == "zip" else tarred((name, ROW)))
    report = run(tmp_path / "in", tmp_path / "lake")
    ((_, why),) = report.refused
    assert why == "its name climbs out of the archive"
    assert report.total.trajectories == 0
    assert sorted(path.name for path in tmp_path.iterdir()) == ["in", "lake"]


def test_links_and_devices_in_archives_are_refused(tmp_path: Path) -> None:
    kinds = {b"sym": tarfile.SYMTYPE, b"hard": tarfile.LNKTYPE, b"dev": tarfile.CHRTYPE, b"fifo": tarfile.FIFOTYPE}
    members = [special(name.decode(), kind, "/etc/passwd") for name, kind in kinds.items()]
    put(tmp_path / "x.tar", tarred(("a", ROW), *members))
    report = run(tmp_path / "x.tar", tmp_path / "lake")
    assert [name for name, _ in report.refused] == ["x.tar/dev", "x.tar/fifo", "x.tar/hard", "x.tar/sym"]
    assert report.total.trajectories == 1
    info = zipfile.ZipInfo("link")
    info.external_attr = 0o120777 << 16
    with zipfile.ZipFile(tmp_path / "y.zip", "w") as archive:
        archive.writestr(info, "/etc/passwd")
    assert run(tmp_path / "y.zip", tmp_path / "lake").refused == [
        ("y.zip/link", "a link inside an archive is not followed")
    ]


BOMB = b"\0" * (80 << 20)


@pytest.mark.parametrize(
    "data",
    [
        zipped(bomb=BOMB),
        gzip.compress(BOMB),
        zstandard.compress(BOMB),
        lzma.compress(BOMB, preset=0),
        gzip.compress(tarred(("bomb", BOMB))),
        zipped(inner=zipped(bomb=BOMB)),
    ],
    ids=["zip", "gz", "zst", "xz", "tar.gz", "zip in zip"],
)
def test_bombs_are_refused(tmp_path: Path, data: bytes) -> None:
    put(tmp_path / "x", data)
    ((_, why),) = run(tmp_path / "x", tmp_path / "lake").refused
    assert "it unpacks to more than 200 times its size" in why


def test_the_whole_is_bounded_too(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(_limits, "LARGEST", 1 << 20)
    put(tmp_path / "x.zip", zipped(**{f"{n}": os.urandom(300_000) for n in range(4)}))
    ((_, why),) = run(tmp_path / "x.zip", tmp_path / "lake").refused
    assert "it unpacks to more than 0 GiB" in why


def test_an_archive_without_its_directory_is_refused(tmp_path: Path) -> None:
    for cut in (5, len(PACKED["zip"]) // 2, len(PACKED["zip"]) - 9):
        put(tmp_path / "x", PACKED["zip"][:cut])
        ((_, why),) = run(tmp_path / "x", tmp_path / "lake").refused
        assert "damaged" in why


NOISES = [rows(toy((os.urandom(4000).hex(), "A"))) for _ in range(60)]
NOISE = b"".join(NOISES)
PACKERS: dict[str, Callable[[bytes], bytes]] = {"gz": gzip.compress, "xz": lzma.compress, "zst": zstandard.compress}
CUT = "it is cut short: what stands before the cut was read"


@pytest.mark.parametrize("kind", PACKERS)
def test_what_stands_before_a_cut_is_kept_and_the_cut_is_told(tmp_path: Path, kind: str) -> None:
    tar = tarred(*((f"{number}.jsonl", row) for number, row in enumerate(NOISES)))
    for plain in (NOISE, tar):
        data = PACKERS[kind](plain)
        put(tmp_path / "x", data[: len(data) * 3 // 4])
        report = run(tmp_path / "x", tmp_path / f"lake{len(plain)}")
        assert ("x", CUT) in report.refused
        assert 25 < report.total.trajectories < 60
        assert report.total.rejected == (plain is NOISE)


@pytest.mark.parametrize("kind", PACKERS)
def test_a_stream_of_which_nothing_is_left_is_damaged(tmp_path: Path, kind: str) -> None:
    put(tmp_path / "x", PACKERS[kind](NOISE)[:7])
    ((_, why),) = run(tmp_path / "x", tmp_path / "lake").refused
    assert "damaged" in why


def test_a_zstd_stream_is_whole_or_cut_at_every_byte() -> None:
    writer = zstandard.ZstdCompressor(write_checksum=True)
    skippable = b"\x5a\x2a\x4d\x18\x03\x00\x00\x00abc"
    frames = [writer.compress(NOISE[:900]), skippable, zstandard.compress(b"\0" * 300_000), writer.compress(b"")]
    ends = {sum(map(len, frames[:number])) for number in range(len(frames) + 1)}
    data = b"".join(frames)
    assert {cut for cut in range(len(data) + 1) if is_whole(io.BytesIO(data[:cut]))} == ends


def test_an_encrypted_member_is_refused(tmp_path: Path) -> None:
    data = bytearray(zipped(a=ROW))
    for magic, at in ((b"PK\x03\x04", 6), (b"PK\x01\x02", 8)):
        data[data.index(magic) + at] |= 1
    put(tmp_path / "x.zip", bytes(data))
    assert run(tmp_path / "x.zip", tmp_path / "lake").refused == [("x.zip/a", "it is encrypted")]


def test_links_that_lead_out_of_a_folder_are_refused(tmp_path: Path) -> None:
    put(tmp_path / "secret.json", ROW)
    put(tmp_path / "in" / "a.json", rows(toy(sibling="../secret.json")))
    (tmp_path / "in" / "out.json").symlink_to(tmp_path / "secret.json")
    (tmp_path / "in" / "same.json").symlink_to("a.json")
    (tmp_path / "in" / "nowhere").symlink_to("gone")
    (tmp_path / "in" / "folder").symlink_to(tmp_path)
    os.mkfifo(tmp_path / "in" / "pipe")
    report = run(tmp_path / "in", tmp_path / "lake")
    assert dict(report.refused) == {
        "nowhere": "a link that leads nowhere",
        "out.json": "a link that leads out of what was given",
    }
    assert dict(report.unknown) == {"folder": "a link to a folder: not followed", "pipe": "no regular file"}
    assert (report.total.trajectories, report.total.present) == (1, 1)
    (tape,) = find_tapes(tmp_path / "lake")
    assert "source" not in TapeReader(tape).header["extra"]


def test_a_pickle_is_never_opened(tmp_path: Path) -> None:
    witness = tmp_path / "witness"
    put(tmp_path / "in" / "x.pkl", b"\x80\x04cos\nsystem\n(V" + f"touch {witness}".encode() + b"\ntR.")
    put(tmp_path / "in" / "y.zip", zipped(data=(tmp_path / "in" / "x.pkl").read_bytes()))
    report = run(tmp_path / "in", tmp_path / "lake")
    assert len(report.unknown) == 2
    assert not witness.exists()


def test_no_temporary_file_stays(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    temporary = tmp_path / "tmp"
    temporary.mkdir()
    monkeypatch.setattr("tempfile.tempdir", str(temporary))
    put(tmp_path / "x.tar", TAR)
    put(tmp_path / "y.zip", zipped(bomb=BOMB))
    import_files([tmp_path / "x.tar", tmp_path / "y.zip"], tmp_path / "lake")
    assert list(temporary.iterdir()) == []
    assert not [path for path in (tmp_path / "lake").rglob("*") if "tmp" in path.name]
