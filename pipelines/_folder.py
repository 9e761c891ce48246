"""The folder that a build or an export stands in: it appears whole, and never holds two of them."""

from __future__ import annotations

import fcntl
import os
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import orjson

from worldtape.errors import InputError, LockedError, boundary


@dataclass(frozen=True, slots=True)
class Kind:
    """What stands in a folder."""

    format: str
    """As its manifest says."""
    manifest: str
    """The manifest's name; `datasets` does not read it."""
    maker: str
    """The command that makes such folders."""


CORPUS = Kind(format="worldtape-corpus", manifest="build.json", maker="worldtape build")
EXPORT = Kind(format="worldtape-export", manifest="export.json", maker="worldtape export")


def standing(out: Path, kind: Kind) -> dict[str, Any] | None:
    """Return the manifest of what stands in `out`, or null where nothing stands there yet.

    Raises:
        InputError: something else stands there.
    """
    fix = f"give a new folder, or one that `{kind.maker}` made"
    if not out.exists() or (out.is_dir() and not any(out.iterdir())):
        return None
    if not out.is_dir():
        raise InputError("there is a file of this name", where=out, fix=fix)
    try:
        manifest = orjson.loads((out / kind.manifest).read_bytes())
    except (OSError, orjson.JSONDecodeError):
        manifest = None
    if not isinstance(manifest, dict) or manifest.get("format") != kind.format:
        raise InputError("the folder holds something else and is left as it is", where=out, fix=fix)
    return manifest


def whole(out: Path, manifest: dict[str, Any]) -> bool:
    """Tell whether every file that the manifest names is there with its size."""
    files: dict[str, int] = manifest["files"]
    return all((out / name).is_file() and (out / name).stat().st_size == size for name, size in files.items())


def sizes(folder: Path) -> dict[str, int]:
    """Return the files of a folder with their sizes, as `whole` compares them."""
    return {path.name: path.stat().st_size for path in sorted(folder.iterdir())}


def write_manifest(folder: Path, kind: Kind, facts: dict[str, Any]) -> None:
    """Say in `folder` what stands there, and what it was made of."""
    manifest = {"format": kind.format, "version": "1.0", **facts}
    (folder / kind.manifest).write_bytes(orjson.dumps(manifest, option=orjson.OPT_INDENT_2) + b"\n")


@contextmanager
def workshop(out: Path, fingerprint: str) -> Iterator[Path]:
    """Give a folder beside `out` to work in, alone; what a stopped one of the same fingerprint left is still there.

    Removed when the block ends well; kept for the next try where it does not.

    Raises:
        LockedError: somebody else works on the same `out`.
    """
    with boundary(out.parent):
        out.parent.mkdir(parents=True, exist_ok=True)
        lock = os.open(out.parent / f".{out.name}.lock", os.O_RDWR | os.O_CREAT, 0o644)
    try:
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError as error:
            fix = "wait for it, or give another folder"
            raise LockedError("somebody else is writing here", where=out, fix=fix) from error
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
    """Let `fresh` stand at `out`, in place of what stood there."""
    old = fresh.with_name(f"{fresh.name}.old")
    if out.exists():
        out.rename(old)
    fresh.rename(out)
    if old.exists():
        shutil.rmtree(old)
