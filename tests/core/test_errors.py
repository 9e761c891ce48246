"""One line each; each is also a builtin error; foreign exceptions are translated at the boundary."""

from __future__ import annotations

import errno
import pickle

import pytest

from worldtape import errors
from worldtape.errors import ComponentError, FormatError, StorageError, WorldtapeError, boundary, need

TREE = [getattr(errors, name) for name in errors.__all__ if name.endswith("Error")]


@pytest.mark.parametrize("kind", TREE)
def test_a_message_is_one_line_and_survives_a_worker(kind: type[WorldtapeError]) -> None:
    error = kind("the tape is torn\nhere", where="a.jsonl:7", fix="run worldtape recover LAKE")
    assert str(error) == "a.jsonl:7: the tape is torn here; run worldtape recover LAKE"
    again = pickle.loads(pickle.dumps(error))
    assert (type(again), str(again)) == (kind, str(error))


def test_each_is_a_builtin_error_and_drawn_in_the_tree() -> None:
    for kind in TREE:
        assert kind.__name__ in (errors.__doc__ or "")
        assert kind is WorldtapeError or len({*kind.__mro__} - {*WorldtapeError.__mro__}) >= 2


def test_a_full_disk_says_what_to_do() -> None:
    with (
        pytest.raises(StorageError, match=r"/lake/x: the disk is full; free some space .* what is recorded is kept"),
        boundary(),
    ):
        raise OSError(errno.ENOSPC, "No space left on device", "/lake/x")


def test_foreign_errors_become_ours_and_bugs_stay_bugs() -> None:
    import pyarrow as pa

    with pytest.raises(FormatError, match=r"part-1\.parquet: Not a Parquet"), boundary("part-1.parquet"):
        raise pa.ArrowInvalid("Not a Parquet file\nsecond line")
    with pytest.raises(ZeroDivisionError), boundary():
        _ = 1 / 0
    with pytest.raises(ComponentError, match="mine"), boundary():
        raise ComponentError("mine")
    with pytest.raises(BrokenPipeError), boundary():
        raise BrokenPipeError(errno.EPIPE, "Broken pipe")


def test_a_missing_extra_is_named() -> None:
    with pytest.raises(ComponentError, match=r"no_such_module is not installed; pip install 'worldtape\[s3\]'"):
        need("no_such_module", extra="s3")
    assert need("json", extra="none").dumps({}) == "{}"
