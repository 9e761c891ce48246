"""What a page answers with."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from http import HTTPStatus
from urllib.parse import quote

HTML = "text/html; charset=utf-8"
_ADDRESS = "!#$%&'()*+,/:;=?@[]~"
"""What may stand in an address as it is; line ends and backslashes may not."""


@dataclass(slots=True)
class Response:
    """An answer, and how it misbehaves on purpose."""

    body: bytes = b""
    status: int = HTTPStatus.OK
    media_type: str = HTML
    headers: dict[str, str] = field(default_factory=dict)
    delay_s: float = 0.0
    """Seconds before the first byte."""
    cut: bool = False
    """The connection is closed in the middle of the body."""

    @classmethod
    def to(cls, location: str) -> Response:
        """Send the browser somewhere else, by GET."""
        return cls(status=HTTPStatus.SEE_OTHER, headers={"location": quote(location, safe=_ADDRESS)})

    @classmethod
    def download(cls, name: str, text: str, media_type: str = "text/csv; charset=utf-8") -> Response:
        """Hand out a file."""
        return cls(
            text.encode(), media_type=media_type, headers={"content-disposition": f'attachment; filename="{name}"'}
        )

    def lines(self) -> Mapping[str, str]:
        """Return every header line that goes with it."""
        fixed = {"content-type": self.media_type, "content-length": str(len(self.body))}
        return {"cache-control": "no-store"} | self.headers | fixed
