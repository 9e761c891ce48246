"""The folder a corpus stands in: it appears whole, and never holds two builds."""

from __future__ import annotations

import fcntl
import os
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import orjson

from worldtape.errors import InputError, LockedError, boundary

MANIFEST = "build.json"
"""Says which build stands in a folder; `datasets` does not read it."""
_FORMAT = "worldtape-corpus"


def standing(out: Path) -> dict[str, Any] | None:
    """Return the manifest of the corpus in `out`, or null where nothing stands there yet.

    Raises:
        InputError: something else stands there.
    """
    fix = "give a new folder, or one that `worldtape build` made"
    if not out.exists() or (out.is_dir() and not any(out.iterdir())):
        return None
    if not out.is_dir():
        raise InputError("there is a file of this name", where=out, fix=fix)
    try:
        manifest = orjson.loads((out / MANIFEST).read_bytes())
    except (OSError, orjson.JSONDecodeError):
        manifest = None
    if not isinstance(manifest, dict) or manifest.get("format") != _FORMAT:
        raise InputError("the folder holds something else and is left as it is", where=out, fix=fix)
    return manifest


def whole(out: Path, manifest: dict[str, Any]) -> bool:
    """Tell whether every file that the manifest names is there with its size."""
    files: dict[str, int] = manifest["files"]
    return all((out / name).is_file() and (out / name).stat().st_size == size for name, size in files.items())


def write_manifest(folder: Path, facts: dict[str, Any]) -> None:
    """Name the build (`fingerprint`, counts, …) and the files that stand in `folder`."""
    files = {path.name: path.stat().st_size for path in sorted(folder.iterdir())}
    manifest = {"format": _FORMAT, "version": "1.0", **facts, "files": files}
    (folder / MANIFEST).write_bytes(orjson.dumps(manifest, option=orjson.OPT_INDENT_2) + b"\n")


@contextmanager
def workshop(out: Path, fingerprint: str) -> Iterator[Path]:
    """Give a folder beside `out` to work in, alone; what a stopped build of the same fingerprint left is still there.

    Removed when the block ends well; kept for the next try where it does not.

    Raises:
        LockedError: another build works on the same `out`.
    """
    with boundary(out.parent):
        out.parent.mkdir(parents=True, exist_ok=True)
        lock = os.open(out.parent / f".{out.name}.lock", os.O_RDWR | os.O_CREAT, 0o644)
    try:
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError as error:
            fix = "wait for it, or give another folder"
            raise LockedError("another build is writing here", where=out, fix=fix) from error
        folder = out.parent / f".{out.name}.build-{fingerprint[:16]}"
        for left in out.parent.glob(f".{out.name}.build-*"):
            if left != folder:
                shutil.rmtree(left)
        with boundary(folder):
            folder.mkdir(exist_ok=True)
            yield folder
            shutil.rmtree(folder)
        (out.parent / f".{out.name}.lock").unlink(missing_ok=True)
    finally:
        os.close(lock)


def replace(out: Path, fresh: Path) -> None:
    """Let `fresh` stand at `out`, in place of an older corpus."""
    old = fresh.with_name(f"{fresh.name}.old")
    if out.exists():
        out.rename(old)
    fresh.rename(out)
    if old.exists():
        shutil.rmtree(old)
