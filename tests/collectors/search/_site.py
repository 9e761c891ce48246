"""A server on loopback that plays a search service and the web."""

from __future__ import annotations

import threading
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any, Self

import orjson


@dataclass
class Asked:
    """One request as it came."""

    method: str
    path: str
    headers: Mapping[str, str]
    body: bytes


@dataclass
class Told:
    """One answer as it is given."""

    body: bytes | str | Any = b""
    status: int = 200
    kind: str = "text/html; charset=utf-8"
    headers: Mapping[str, str] = field(default_factory=dict)
    length: int | None = None
    """What the server says instead of the true length."""
    wait: threading.Event | None = None
    """Set when the body may be finished."""

    @property
    def data(self) -> bytes:
        if isinstance(self.body, str):
            return self.body.encode()
        return self.body if isinstance(self.body, bytes) else orjson.dumps(self.body)


class Site:
    """Answers by path, query strings left out; `asked` holds what came."""

    def __init__(self) -> None:
        self.asked: list[Asked] = []
        self.answers: dict[str, Told | Callable[[Asked], Told]] = {}
        self._server = ThreadingHTTPServer(("127.0.0.1", 0), self._handler())
        self._server.daemon_threads = True
        self._thread = threading.Thread(target=self._server.serve_forever, kwargs={"poll_interval": 0.01})

    def __enter__(self) -> Self:
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._server.shutdown()
        self._server.server_close()
        self._thread.join()

    @property
    def host(self) -> str:
        return f"127.0.0.1:{self._server.server_address[1]}"

    @property
    def url(self) -> str:
        return f"http://{self.host}"

    def tell(self, path: str, body: Any = b"", **how: Any) -> str:
        """Let `path` be answered so; return its address."""
        self.answers[path] = Told(body, **how)
        return self.url + path

    def json(self, path: str, value: Any, **how: Any) -> str:
        return self.tell(path, orjson.dumps(value), kind="application/json", **how)

    def _handler(self) -> type[BaseHTTPRequestHandler]:
        site = self

        class Handler(BaseHTTPRequestHandler):
            def do_GET(self) -> None:
                size = int(self.headers.get("content-length", 0))
                asked = Asked(self.command, self.path, dict(self.headers), self.rfile.read(size))
                site.asked.append(asked)
                found = site.answers.get(self.path.partition("?")[0], Told(b"<p>nothing here</p>", 404))
                self._tell(found(asked) if callable(found) else found)

            do_POST = do_GET  # noqa: N815 - the library's name

            def _tell(self, told: Told) -> None:
                data = told.data
                self.send_response(told.status)
                self.send_header("content-type", told.kind)
                self.send_header("content-length", str(len(data) if told.length is None else told.length))
                for name, value in told.headers.items():
                    self.send_header(name, value)
                self.end_headers()
                try:
                    self.wfile.write(data)
                    self.wfile.flush()
                    if told.wait is not None:
                        told.wait.wait(20)
                except OSError:
                    return

            def log_message(self, *_: object) -> None:
                pass

        return Handler
