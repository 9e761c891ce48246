"""The page apps on loopback."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from functools import partial
from http import HTTPStatus
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Thread
from typing import Any

from worldtape.collectors.android.apps.apps import PAGE_APPS, page
from worldtape.errors import NotFoundError


@dataclass(frozen=True)
class Served:
    """Apps that are being served.

    Attributes:
        origin: `http://127.0.0.1:<port>`.
        seed: what the apps hold at first.
    """

    origin: str
    seed: int

    @property
    def home(self) -> str:
        """The address of the screen with the icons."""
        return f"{self.origin}/home.html"

    @property
    def labels(self) -> dict[str, str]:
        """Label of an app to its name."""
        return {label: name for name, label in PAGE_APPS.items()}

    def url(self, name: str) -> str:
        """Return the address of an app.

        Raises:
            NotFoundError: there is none of this name.
        """
        if name not in PAGE_APPS:
            raise NotFoundError(f"no page app {name!r}", fix=f"known: {', '.join(PAGE_APPS)}")
        return f"{self.origin}/{name}.html"


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def __init__(self, *given: Any, seed: int) -> None:
        self.seed = seed
        super().__init__(*given)

    def do_GET(self) -> None:
        found = page(self.path.partition("?")[0], self.seed)
        body, media_type = found or (b"not found\n", "text/plain")
        self.send_response(HTTPStatus.OK if found else HTTPStatus.NOT_FOUND)
        self.send_header("content-type", media_type)
        self.send_header("content-length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, format: str, *args: Any) -> None:  # noqa: A002 — the name it has above
        """Say nothing."""


class _Server(ThreadingHTTPServer):
    daemon_threads = True
    block_on_close = False

    def handle_error(self, request: Any, client_address: Any) -> None:
        """Say nothing: a browser that was killed hangs up."""


@contextmanager
def serve(seed: int = 0) -> Iterator[Served]:
    """Serve the page apps on a free port of loopback.

    Args:
        seed: decides what they hold at first; what is changed is kept by the browser, under the address of the server.
    """
    with _Server(("127.0.0.1", 0), partial(_Handler, seed=seed)) as server:
        thread = Thread(target=server.serve_forever, name="android apps", kwargs={"poll_interval": 0.05}, daemon=True)
        thread.start()
        try:
            yield Served(f"http://127.0.0.1:{server.server_port}", seed)
        finally:
            server.shutdown()
            thread.join()


__all__ = ["Served", "serve"]
