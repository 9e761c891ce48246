"""What pages and servers can do wrong is an outcome, and the tape is sealed."""

from __future__ import annotations

import asyncio
import ssl
import subprocess
import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import pytest
from playwright.async_api import Error

from tests.collectors.web._server import Pages
from tests.collectors.web._visit import on, visit
from worldtape.collectors.web import Web
from worldtape.collectors.web.engine import engine
from worldtape.errors import InputError
from worldtape.schemas import EndStatus, SettledBy, Status

pytestmark = [pytest.mark.web, pytest.mark.usefixtures("chromium")]


@pytest.mark.parametrize("status", [404, 500, 503])
def test_an_error_page_is_the_sites_own_error(status: int, pages: Pages) -> None:
    pages.put("/broken", f"<title>Oh</title><h1>Error {status}</h1>", status=status)
    pages.put("/start", '<title>Start</title><a href="/broken">Go</a>')
    seen = visit(f"{pages.url}/start", on("click", "Go"), "go_back()", f'goto("{pages.url}/broken")')
    clicked, back, gone = seen.results
    for one in (clicked, gone):
        assert one.outcome.status is Status.TOOL_ERROR
        assert one.outcome.error is not None
        assert (one.outcome.error.type, one.outcome.error.code) == ("http_error", status)
        assert f"Error {status}" in one.observation.text
        assert one.state_after is not None
        assert one.state_after["http_status"] == status
    assert back.outcome.status is Status.OK
    assert "Go" in back.observation.text


def test_a_server_that_is_not_there_a_name_that_is_not_known(pages: Pages) -> None:
    seen = visit(pages.put("/ok", "<h1>Fine</h1>"), 'goto("http://127.0.0.1:1/")', 'goto("http://nowhere.invalid/")')
    kinds = [str(one.outcome.error.type) for one in seen.results if one.outcome.error]
    assert [one.outcome.status for one in seen.results] == [Status.ENV_ERROR] * 2
    assert kinds[0].startswith("net::ERR_")
    assert kinds[1] == "net::ERR_NAME_NOT_RESOLVED"
    assert "goto: net::ERR_" in seen.text


def test_a_link_to_a_server_that_hangs_up(pages: Pages) -> None:
    seen = visit(pages.put("/link", '<a href="http://127.0.0.1:9/">Off</a>'), on("click", "Off"))
    assert seen.last.outcome.status is Status.ENV_ERROR
    assert seen.last.outcome.error is not None
    assert str(seen.last.outcome.error.type).startswith("net::ERR_")


def test_a_navigation_that_is_not_answered_in_time_is_stopped(pages: Pages) -> None:
    hold = threading.Event()
    pages.put("/slow", "<h1>At last</h1>", hold=hold)
    start = pages.put("/from", '<title>From</title><a href="/slow">Slow</a>')
    try:
        seen = visit(start, f'goto("{pages.url}/slow")', on("click", "Slow"), timeout_s=4.0, action_s=1.0)
    finally:
        hold.set()
    assert [one.outcome.status for one in seen.results] == [Status.TIMEOUT_KILLED] * 2
    for result in seen.results:
        assert "link 'Slow'" in result.observation.text


def test_a_picture_that_does_not_come_leaves_the_page_loading(pages: Pages) -> None:
    hold = threading.Event()
    pages.put("/never.png", b"", hold=hold)
    try:
        seen = visit(pages.put("/half", '<h1>Half</h1><img src="/never.png">'), "noop(0)", timeout_s=0.7)
    finally:
        hold.set()
    assert seen.last.outcome.status is Status.TIMEOUT_STILL_RUNNING
    assert seen.last.observation.settled_by is SettledBy.DEADLINE
    assert "Half" in seen.text


def test_bad_certificates_are_an_outcome(tmp_path: Path, pages: Pages) -> None:
    with tls(tmp_path) as url:
        seen = visit(pages.put("/plain", "<h1>Plain</h1>"), f'goto("{url}")')
        assert seen.last.outcome.status is Status.ENV_ERROR
        assert seen.last.outcome.error is not None
        assert str(seen.last.outcome.error.type).startswith("net::ERR_CERT_")
        trusting = visit(None, f'goto("{url}")', ignore_tls_errors=True)
        assert trusting.last.outcome.status is Status.OK
        assert "Secret" in trusting.text


def test_what_cannot_be_done_is_said(pages: Pages) -> None:
    url = pages.put("/cannot", "<p><button disabled>No</button><button onclick='this.remove()'>Once</button><p>x</p>")
    seen = visit(url, 'click("2")', 'click("3")', 'click("3")', 'click("77")', 'fill("4", "x")', action_s=0.3)
    found = [(one.outcome.status, one.outcome.error.type if one.outcome.error else None) for one in seen.results]
    assert found == [
        (Status.TOOL_ERROR, "not_actionable"),
        (Status.OK, None),
        (Status.TOOL_ERROR, "element_gone"),
        (Status.REJECTED, "unknown_element"),
        (Status.TOOL_ERROR, "not_possible"),
    ]
    assert "click: element is not enabled" in seen.results[0].observation.text


@pytest.mark.parametrize(
    "text",
    ["click(", "import os", "os.system('ls')", "click(1, 2, 3, 4)", "fly()", "click(bid=open('x'))", "", "[" * 5000],
)
def test_what_cannot_be_read_is_rejected_and_nothing_is_done(text: str, pages: Pages) -> None:
    seen = visit(pages.put("/calm", "<h1>Calm</h1>"), text)
    assert seen.last.outcome.status is Status.REJECTED
    assert seen.last.state_after is not None
    assert not seen.last.state_after["changed"]


@pytest.mark.parametrize("ref", ["e²", "f²e1", "1" * 5000, "e" + "1" * 5000, "f9e1", "e", "[]", ""])
def test_an_id_that_is_none_is_rejected(ref: str, pages: Pages) -> None:
    seen = visit(pages.put("/one", "<button>One</button>"), f"click({ref!r})")
    assert seen.last.outcome.status is Status.REJECTED
    assert seen.last.outcome.error is not None
    assert seen.last.outcome.error.type == "unknown_element"


def test_files_of_this_machine_are_not_opened(pages: Pages) -> None:
    seen = visit(
        pages.put("/calm", "<h1>Calm</h1>"),
        'goto("file:///etc/passwd")',
        'goto("chrome://version")',
        'goto("http://[")',
    )
    assert [one.outcome.status for one in seen.results] == [Status.REJECTED] * 3
    assert "root" not in seen.text


def test_a_start_page_that_does_not_open_is_no_recording(pages: Pages) -> None:
    with pytest.raises(InputError, match="the start page cannot be opened: goto: net::ERR_"):
        visit("http://nowhere.invalid/")
    assert "Not found" in visit(f"{pages.url}/missing").first_text


def test_a_page_that_crashes_ends_the_trajectory(pages: Pages) -> None:
    async def crash(environment: Web) -> None:
        session: Any = environment._session

        async def kill() -> None:
            with suppress(Error):
                await session.active.cdp.send("Page.crash")

        async def later() -> None:
            session.crashing = asyncio.get_running_loop().create_task(kill())

        await engine().call(later())

    seen = visit(pages.put("/calm", "<h1>Calm</h1>"), "noop(5000)", hook=crash)
    assert seen.results[0].outcome.status is Status.ENV_ERROR
    assert seen.results[0].outcome.error is not None
    assert seen.results[0].outcome.error.type == "page_crashed"
    assert "The page crashed." in seen.results[0].observation.text
    assert seen.tape.sealed is not None
    assert seen.tape.sealed.status is EndStatus.ENV_ENDED


@contextmanager
def tls(folder: Path) -> Iterator[str]:
    """A server whose certificate nobody has signed."""
    key, certificate = folder / "key.pem", folder / "cert.pem"
    made = ["openssl", "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-days", "2", "-subj", "/CN=localhost"]
    subprocess.run([*made, "-keyout", str(key), "-out", str(certificate)], check=True, capture_output=True)

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            self.send_response(200)
            self.send_header("Content-Type", "text/html")
            self.end_headers()
            self.wfile.write(b"<h1>Secret</h1>")

        def log_message(self, format: str, *args: object) -> None:  # noqa: A002
            return

    class Quiet(ThreadingHTTPServer):
        daemon_threads = True

        def handle_error(self, request: object, client_address: object) -> None:
            return  # a browser that does not trust us

    server = Quiet(("127.0.0.1", 0), Handler)
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(certificate, key)
    server.socket = context.wrap_socket(server.socket, server_side=True, do_handshake_on_connect=False)
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.02})
    thread.start()
    try:
        yield f"https://127.0.0.1:{server.server_port}/"
    finally:
        server.shutdown()
        server.server_close()
        thread.join()
