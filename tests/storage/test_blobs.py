"""Blobs: once by their content, whole or not there."""

from __future__ import annotations

import hashlib
import os
from pathlib import Path

import pytest

from worldtape.errors import FormatError, NotFoundError
from worldtape.storage import Blobs


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
