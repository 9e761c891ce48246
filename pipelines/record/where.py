"""The local folder that a recording goes into."""

from __future__ import annotations

import os
import re
from pathlib import Path

from worldtape.errors import InputError
from worldtape.storage import Lake

_ADDRESS = re.compile(r"(?!file:|local:)[A-Za-z][A-Za-z0-9+.-]+:(/|:)")
"""`s3://…`, also as a path that lost a slash."""


def local_lake(lake: str | os.PathLike[str]) -> Path:
    """Return the folder of a lake that can be recorded into; `~` and `file://` are taken as they are meant.

    Raises:
        InputError: it lies elsewhere, is a file, or is not named at all.
    """
    text = os.fspath(lake)
    if not text.strip():
        raise InputError("the lake has no name", fix="name a folder: --lake lake")
    if _ADDRESS.match(text):
        fix = f"record into a local folder, then `worldtape merge FOLDER --into {text}`"
        raise InputError("recordings are written on a local disk first", where=text, fix=fix)
    folder = Path(Lake(text).store.root)
    if folder.exists() and not folder.is_dir():
        raise InputError("this is a file, a lake is a folder", where=folder)
    return folder
