"""Lakes that lie on an object store."""

from __future__ import annotations

import sys
import uuid
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.storage import _lakes, _s3
from worldtape.errors import ComponentError, FormatError, InputError, NotFoundError, StorageError
from worldtape.storage import Lake, part_id, query
from worldtape.storage.lake import compact, forget, merge, recording, recover_parts, summary

pytestmark = pytest.mark.filterwarnings("ignore::DeprecationWarning:botocore", "ignore::DeprecationWarning:aiobotocore")


@pytest.fixture(scope="module")
def s3(tmp_path_factory: pytest.TempPathFactory) -> Iterator[dict[str, Any]]:
    import s3fs

    with _s3.server(tmp_path_factory.mktemp("s3")) as options:
        _s3.until(lambda: s3fs.S3FileSystem(**options).mkdir("bucket"))
        yield options


@pytest.fixture(params=["memory", "s3"])
def remote(request: pytest.FixtureRequest) -> Lake:
    name = uuid.uuid4().hex
    if request.param == "memory":
        return Lake.open(f"memory://{name}", create=True)
    return Lake.open(f"s3://bucket/{name}", create=True, storage_options=request.getfixturevalue("s3"))


def test_a_whole_life(remote: Lake, tmp_path: Path):
    assert query(remote, "SELECT count(*) AS n FROM turns").to_pylist() == [{"n": 0}]
    local = Lake.open(tmp_path, create=True)
    for name in ("a", "gone"):
        part = _lakes.write(local, [name])
        local.write_note("rules", part, _lakes.note([name]))
        _lakes.tape(local, name, blob=name.encode() * 50)
    assert merge(remote, [local]).trajectories == 2
    assert merge(remote, [local]).trajectories == 0
    assert remote.commit() == local.commit()
    assert remote.commit() == local.commit()
    again = Lake.open(remote.uri, storage_options=remote.store.options)
    assert [tape.trajectory_id for tape in again.tapes()] == ["a", "gone"]
    assert again.read(again.parts()[0], ["step"])["step"].to_list() == [0, 1, 2]
    assert query(again, "SELECT count(*) AS n FROM turns JOIN rules USING (trajectory_id)").to_pylist() == [{"n": 6}]
    assert compact(again).merged == 2
    assert {part.part_id for part in again.parts()} == {part_id(["a", "gone"])}
    assert forget(again, "gone").blobs == 1
    assert [row["trajectories"] for row in summary(again).domains] == [1]
    assert len(recording(again, "a").turns) == 3
    assert recover_parts(again) == type(recover_parts(again))()
    assert merge(Lake.open(tmp_path / "back", create=True), [again]).tapes == 1


def test_orphans_are_removed_once_they_are_old(remote: Lake):
    _lakes.write(remote, ["a"])
    remote.store.remove(remote.files("trajectories")[0].name)
    assert remote.parts() == []
    assert recover_parts(remote).orphans == []
    assert len(recover_parts(remote, stale_s=-3600).orphans) == 1
    assert remote.files("transitions") == []


def test_damage_is_named(remote: Lake):
    _lakes.write(remote, ["a"])
    (part,) = remote.parts()
    remote.store.write(part.name, b"PAR1 but not for long")
    with pytest.raises(FormatError, match=part.part_id):
        remote.read(part)
    with pytest.raises(FormatError, match=part.part_id):
        query(remote, "SELECT * FROM transitions")
    assert recover_parts(remote).damaged == [part.name]


def test_no_lake_there(remote: Lake):
    with pytest.raises(NotFoundError, match="no lake here"):
        Lake.open(f"{remote.uri}-not", storage_options=remote.store.options)


def test_no_server(tmp_path: Path):
    options = {"key": "k", "secret": "s", "client_kwargs": {"endpoint_url": f"http://127.0.0.1:{_s3.free_port()}"}}
    options["config_kwargs"] = {"retries": {"max_attempts": 0}, "connect_timeout": 1}
    with pytest.raises(StorageError, match="s3://bucket/lake"):
        Lake.open("s3://bucket/lake", storage_options=options)


def test_no_s3fs(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setitem(sys.modules, "s3fs", None)
    with pytest.raises(ComponentError, match=r"pip install 'worldtape\[s3\]'"):
        Lake.open("s3://bucket/lake")


def test_no_such_protocol():
    with pytest.raises(InputError, match="Protocol not known: ftpx"):
        Lake.open("ftpx://there")


def test_blobs_of_a_remote_lake_are_copied_by_merge():
    with pytest.raises(InputError, match="merge"):
        _ = Lake.open("memory://blobs", create=True).blobs
