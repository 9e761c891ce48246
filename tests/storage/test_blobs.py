"""Blobs: once by their content, whole or not there."""

from __future__ import annotations

import hashlib
import os
import tracemalloc
from pathlib import Path

import pytest
import zstandard

from worldtape.errors import FormatError, NotFoundError
from worldtape.storage import Blobs, Lake
from worldtape.storage.blobs import read_blob


@pytest.mark.parametrize(
    "data", [b"", b"a", b"text " * 50_000, os.urandom(200_000)], ids=["empty", "one", "text", "random"]
)
def test_a_blob_comes_back(tmp_path: Path, data: bytes) -> None:
    blobs = Blobs(tmp_path)
    ref = blobs.put(data)
    assert ref == f"sha256:{hashlib.sha256(data).hexdigest()}"
    assert blobs.get(ref) == data
    assert blobs.path(ref).parent == tmp_path / "blobs" / "sha256" / ref[7:9]
    assert blobs.put(data, durable=False) == ref
    assert ref in blobs
    assert list(blobs) == [ref]


def test_a_blob_is_compressed_where_that_pays(tmp_path: Path) -> None:
    blobs = Blobs(tmp_path)
    assert blobs.path(blobs.put(b"text " * 50_000)).suffix == ".zst"
    assert blobs.path(blobs.put(os.urandom(1000))).suffix == ""


def test_damage_is_named(tmp_path: Path) -> None:
    blobs = Blobs(tmp_path)
    for data in (b"text " * 50_000, os.urandom(1000)):
        ref = blobs.put(data)
        path = blobs.path(ref)
        whole = path.read_bytes()
        path.write_bytes(whole[:-20] + b"x" * 20)
        with pytest.raises(FormatError, match="damaged"):
            blobs.get(ref)
        path.write_bytes(b"")
        assert blobs.put(data) == ref
        assert blobs.get(ref) == data


def test_a_wrong_name_leads_nowhere(tmp_path: Path) -> None:
    blobs = Blobs(tmp_path)
    with pytest.raises(NotFoundError):
        blobs.get("sha256:" + "0" * 64)
    for ref in ("sha256:../../secret", "md5:00", "sha256:" + "A" * 64):
        with pytest.raises(FormatError):
            blobs.get(ref)


def test_a_sweep_spares_who_still_writes(tmp_path: Path) -> None:
    import fcntl

    blobs = Blobs(tmp_path)
    folder = blobs.path(blobs.put(b"x")).parent
    gone, alive = folder / ".gone.tmp", folder / ".alive.tmp"
    gone.write_bytes(b"half")
    with alive.open("wb") as file:
        fcntl.flock(file, fcntl.LOCK_EX)
        assert blobs.sweep() == 1
    assert not gone.exists()
    assert alive.exists()
    assert blobs.sweep() == 1


@pytest.mark.parametrize("size", [0, 99, 101])
def test_a_blob_of_another_size_is_damaged(tmp_path: Path, size: int) -> None:
    blobs = Blobs(tmp_path)
    ref = blobs.put(b"x" * 100)
    assert blobs.get(ref, 100) == b"x" * 100
    with pytest.raises(FormatError, match=f"does not have {size} bytes"):
        blobs.get(ref, size)


def test_what_a_blob_says_of_its_size_is_not_believed(tmp_path: Path) -> None:
    blobs = Blobs(tmp_path)
    ref = blobs.put(b"x" * 100)
    blobs.path(ref).write_bytes(b"\x28\xb5\x2f\xfd\xe0" + (1 << 50).to_bytes(8, "little") + b"\x01\x00\x00")
    with pytest.raises(FormatError, match="damaged"):
        blobs.get(ref)


def test_no_more_is_unpacked_than_was_promised(tmp_path: Path) -> None:
    blobs = Blobs(tmp_path)
    ref = blobs.put(b"x" * 100)
    blobs.path(ref).write_bytes(zstandard.compress(bytes(64 << 20)))
    tracemalloc.start()
    try:
        with pytest.raises(FormatError, match="does not have 100 bytes"):
            blobs.get(ref, 100)
        assert tracemalloc.get_traced_memory()[1] < 8 << 20
    finally:
        tracemalloc.stop()


def test_a_blob_of_a_remote_lake_is_checked_as_well(tmp_path: Path) -> None:
    blobs = Blobs(tmp_path)
    refs = [blobs.put(data) for data in (b"text " * 50_000, os.urandom(1000))]
    names = [str(blobs.path(ref).relative_to(tmp_path)) for ref in refs]
    remote = Lake.open(f"memory://{tmp_path.name}", create=True)
    for name, ref in zip(names, refs, strict=True):
        data = (tmp_path / name).read_bytes()
        remote.store.write(name, data)
        assert read_blob(ref, remote.store.read) == blobs.get(ref)
        for spoiled in (data[: len(data) // 2], data[:-9] + b"x" * 9):
            remote.store.write(name, spoiled)
            with pytest.raises(FormatError, match="damaged"):
                read_blob(ref, remote.store.read)
    with pytest.raises(FormatError, match="does not name a blob"):
        read_blob("sha256:../../secret", remote.store.read)
