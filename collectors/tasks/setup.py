"""What is made in a sandbox before the first observation."""

from __future__ import annotations

import io
import tarfile
from pathlib import PurePosixPath

from pydantic import Field, field_validator

from worldtape.schemas.settings import Settings

_PLAIN, _RUNNABLE = 0o644, 0o755


class Setup(Settings):
    """Files first, then commands; both in the directory the shell starts in."""

    files: dict[str, str] = Field(default_factory=dict)
    """Relative path to text; a text that begins with `#!` is made executable."""
    commands: tuple[str, ...] = ()
    """Shell commands, run by `sh -e` one after the other; one that fails fails the start."""

    @field_validator("files")
    @classmethod
    def _stay_inside(cls, files: dict[str, str]) -> dict[str, str]:
        for name in files:
            path = PurePosixPath(name)
            if not name or path.is_absolute() or ".." in path.parts:
                raise ValueError(f"{name!r} is not a relative path below the working directory")
        return files

    def archive(self) -> bytes:
        """Return the files as a tar archive: the same files always give the same bytes."""
        buffer = io.BytesIO()
        with tarfile.open(fileobj=buffer, mode="w", format=tarfile.GNU_FORMAT) as tar:
            for name, text in sorted(self.files.items()):
                data = text.encode()
                info = tarfile.TarInfo(name)
                info.size = len(data)
                info.mode = _RUNNABLE if text.startswith("#!") else _PLAIN
                info.mtime = 1_700_000_000
                tar.addfile(info, io.BytesIO(data))
        return buffer.getvalue()
