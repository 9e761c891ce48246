"""A small web server for tests: pages that answer as a test says, on loopback."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

FOLDER = Path(__file__).parent / "pages"
HTML = "text/html; charset=utf-8"


@dataclass
class Answer:
    """What one address answers."""

    body: str | bytes = ""
    status: int = 200
    headers: dict[str, str] = field(default_factory=dict)
    content_type: str = HTML
    hold: threading.Event | None = None
    """Answer only when this is set."""


@dataclass
class Pages:
    """Addresses and their answers; `/NAME.html` is a file of the folder `pages`."""

    port: int = 0
    answers: dict[str, Answer | Callable[[], Answer]] = field(default_factory=dict)
    asked: list[str] = field(default_factory=list)
    came: threading.Condition = field(default_factory=threading.Condition)

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.port}"

    def put(self, path: str, body: str | bytes = "", **facts: object) -> str:
        """Answer at `path` and return its address."""
        self.answers[path] = Answer(body, **facts)  # type: ignore[arg-type]
        return self.url + path

    def wait_for(self, path: str) -> None:
        """Wait until somebody asks for `path`."""
        with self.came:
            assert self.came.wait_for(lambda: path in self.asked, timeout=20)

    def answer(self, path: str) -> Answer:
        with self.came:
            self.asked.append(path)
            self.came.notify_all()
        found = self.answers.get(path)
        if callable(found):
            return found()
        if found is not None:
            return found
        file = FOLDER / path.lstrip("/")
        if path.endswith(".html") and file.is_file():
            return Answer(file.read_bytes())
        return Answer("<title>Not found</title><h1>Not found</h1>", status=404)


@contextmanager
def serve() -> Iterator[Pages]:
    """Serve until the scope ends."""
    pages = Pages()

    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def do_GET(self) -> None:
            found = pages.answer(self.path)
            if found.hold is not None:
                found.hold.wait(30)
            body = found.body.encode() if isinstance(found.body, str) else found.body
            self.send_response(found.status)
            headers = {"Content-Type": found.content_type, "Content-Length": str(len(body)), "Connection": "close"}
            for name, value in (headers | found.headers).items():
                self.send_header(name, value)
            self.end_headers()
            self.wfile.write(body)

        def do_POST(self) -> None:
            self.rfile.read(int(self.headers.get("Content-Length", "0")))
            self.do_GET()

        def log_message(self, format: str, *args: object) -> None:  # noqa: A002
            return

    class Quiet(ThreadingHTTPServer):
        daemon_threads = True

        def handle_error(self, request: object, client_address: object) -> None:
            return  # a browser that was killed

    server = Quiet(("127.0.0.1", 0), Handler)
    pages.port = server.server_port
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.02})
    thread.start()
    try:
        yield pages
    finally:
        server.shutdown()
        server.server_close()
        thread.join()
