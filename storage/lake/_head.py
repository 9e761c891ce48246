"""The header of a tape, without the rest of it."""

from __future__ import annotations

from io import BytesIO
from typing import TYPE_CHECKING, Any

from worldtape.errors import FormatError
from worldtape.storage.lake import _layout as layout
from worldtape.storage.lake._packed import open_pack, pack_name, plain_tape
from worldtape.storage.tapes import TapeReader
from worldtape.storage.tapes._head import read_header
from worldtape.storage.tapes._unpacked import Unpacked
from worldtape.storage.tapes.paths import SEALED

if TYPE_CHECKING:
    from worldtape.storage.lake._lake import Lake
    from worldtape.storage.lake._tape_ref import TapeRef

_BLOCK = 1 << 18
"""Bytes that an object store sends at once; nearly every header is in the first."""


def tape_header(lake: Lake, tape: TapeRef, *, own: bool = True) -> dict[str, Any]:
    """Return the header of a tape; of one on an object store, only its beginning is fetched.

    Args:
        lake: where it lies.
        tape: the tape.
        own: refuse the header of another trajectory.

    Raises:
        FormatError: it has none, or it is another trajectory's: the file was copied or renamed.
        VersionError: a newer major version wrote it.
    """
    if layout.PACK_FILE.fullmatch(tape.name):
        open_pack(lake, tape.name)  # says why not
    if lake.store.local:
        header = TapeReader(lake.store.full(tape.name)).header
    elif pack_name(tape.name):
        header = read_header(BytesIO(plain_tape(lake, tape.name)), tape.path)[1]
    else:
        with lake.store.open(tape.name, block=_BLOCK) as file:
            stream = Unpacked(file, tape.path) if tape.name.endswith(SEALED) else file
            header = read_header(stream, tape.path)[1]
    if own:
        check_id(header, tape.trajectory_id, tape.path)
    return header


def check_id(header: dict[str, Any], trajectory_id: str, where: object) -> None:
    """Refuse a tape whose header does not have the id that its file is named after.

    Raises:
        FormatError: it is another trajectory's.
    """
    if header.get("trajectory_id") != trajectory_id:
        what = f"the tape is another trajectory's: its header says {header.get('trajectory_id')!r}"
        raise FormatError(what, where=where, fix="give the file its own name again, or remove it")
