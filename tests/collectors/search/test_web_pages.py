"""Pages fetched from the web; a server of ours plays it."""

from __future__ import annotations

import asyncio
import gzip
import socket
import threading
import time
from typing import Any

import pytest

from tests.collectors.mcp._run import in_loop
from tests.collectors.search._play import Play
from tests.collectors.search._site import Site
from worldtape.collectors.search import SearchConfig, WebConfig, web_extractor
from worldtape.schemas import Status

PAGE = """<!doctype html><html><head><title>Fares</title></head><body>
<nav><a href="/">Home</a> <a href="/login">Log in</a></nav>
<article><h1>Fares</h1><p>One way, in crowns; see the <a href="boats.html#skua">boats</a> for what they carry.</p>
<table><tr><th>Line</th><th>Adult</th></tr><tr><td>1</td><td>86</td></tr></table></article>
<footer>Imprint and cookies</footer></body></html>"""


def web(**more: Any) -> SearchConfig:
    fields = {"web": WebConfig(private=True), "pages": "web", "timeout_s": 10.0} | more
    return SearchConfig(**fields)


@in_loop
async def test_a_page_becomes_markdown(site: Site) -> None:
    url = site.tell("/a/fares.html", PAGE)
    async with Play(web()) as play:
        result = await play(web_extractor(url))
    text = result.observation.text
    assert text.startswith("# Fares\n")
    assert f"[boats]({site.url}/a/boats.html#skua)" in text
    assert "| 1 | 86 |" in text
    assert "Log in" not in text
    assert play.channel("search.body") == PAGE.encode()
    request, head, answer = (play.lines(f"search.{name}")[0] for name in ("request", "response", "answer"))
    assert (request["method"], request["url"]) == ("GET", url)
    assert head["headers"]["content-type"] == "text/html; charset=utf-8"
    assert answer["extractor"].startswith("trafilatura ")
    assert (result.observation.parts[0].bytes, result.outcome.status) == (len(PAGE.encode()), Status.OK)


@in_loop
async def test_a_large_body_is_kept_whole_and_shown_in_part(site: Site) -> None:
    body = "<h1>Long</h1>" + "".join(f"<p>Paragraph {n} of the long page on tides and boats.</p>" for n in range(4000))
    url = site.tell("/long", body)
    async with Play(web(page_chars=500)) as play:
        text = await play.text(web_extractor(url))
        assert text.startswith("# Long\n\nParagraph 0")
        assert "characters in total]" in text[-50:]
        assert "Paragraph 3999" in play.lines("search.answer")[0]["markdown"]
    async with Play(web(web=WebConfig(private=True, page_mb=1))) as play:
        url = site.tell("/huge", "x" * (3 << 20), kind="text/plain")
        await play(web_extractor(url))
        assert len(play.channel("search.body")) == 1 << 20
        assert play.lines("search.response")[0]["cut"] is True


@in_loop
async def test_errors_of_pages(site: Site) -> None:
    site.tell("/gone", "<h1>Gone</h1>", status=410)
    site.tell("/odd", "x", status=499)
    site.tell("/pdf", b"%PDF-1.7", kind="application/pdf")
    site.tell("/empty", b"")
    site.tell("/blank", "<html><body><script>go()</script></body></html>")
    site.tell("/loop", b"", status=302, headers={"location": "/loop"})
    told = [
        ("/gone", Status.TOOL_ERROR, 410, "410 Gone for {url}"),
        ("/odd", Status.TOOL_ERROR, 499, "499 for {url}"),
        ("/none", Status.TOOL_ERROR, 404, "404 Not Found for {url}"),
        ("/pdf", Status.TOOL_ERROR, None, "{url} is application/pdf, which cannot be read as text"),
        ("/empty", Status.TOOL_ERROR, None, "no content could be extracted from {url}"),
        ("/blank", Status.TOOL_ERROR, None, "no content could be extracted from {url}"),
        ("/loop", Status.TOOL_ERROR, None, "more than 5 redirects from {url}"),
    ]
    async with Play(web()) as play:
        for path, status, code, text in told:
            result = await play(web_extractor(site.url + path))
            assert result.observation.text == f"Error: {text.format(url=site.url + path)}"
            assert result.outcome.status is status
            assert result.outcome.error is not None
            assert result.outcome.error.code == code


@in_loop
async def test_other_texts_stand_as_they_are(site: Site) -> None:
    told: list[tuple[bytes, str, str]] = [
        (b"a,b\r\n1,2\r\n", "text/csv", "a,b\n1,2"),
        (b'{"a": [1]}', "application/json", '{"a": [1]}'),
        (b"---\ntitle: T\n---\n# X\n[y](z.md)\n", "text/markdown", "# X\n[y](URL/z.md)"),
        ("grün".encode("latin-1"), "text/plain; charset=iso-8859-1", "grün"),
        ("grün".encode("latin-1"), "text/plain", "grün"),
        ("\ufeffgrün".encode(), "text/plain; charset=no-such", "grün"),
        ("<p>שלום עולם, this is a page</p>".encode(), "", "שלום עולם, this is a page"),
        (b"<p>nul \x00 and \x1b[31m here is text</p>", "text/html", "nul"),
    ]
    async with Play(web()) as play:
        for body, kind, text in told:
            url = site.tell("/text", body, kind=kind)
            shown = await play.text(web_extractor(url))
            assert shown.startswith(text.replace("URL", site.url)), kind


@in_loop
async def test_redirects_and_compression(site: Site) -> None:
    site.tell("/new", gzip.compress(PAGE.encode()), headers={"content-encoding": "gzip"})
    url = site.tell("/old", b"moved", status=301, headers={"location": "/new"})
    async with Play(web()) as play:
        assert (await play.text(web_extractor(url))).startswith("# Fares")
        assert [head["status"] for head in play.lines("search.response")] == [301, 200]
        assert play.lines("search.answer")[0]["url"] == site.url + "/new"
        assert play.channel("search.body") == b"moved" + PAGE.encode()


@in_loop
async def test_private_addresses_are_refused(site: Site) -> None:
    url = site.tell("/admin", PAGE)
    async with Play(web(web=WebConfig())) as play:
        for place in (url, "http://[::1]/", "http://10.0.0.1/", "http://169.254.169.254/latest", "http://localhost/"):
            result = await play(web_extractor(place))
            assert result.outcome.error is not None
            assert result.outcome.error.type == "private_address"
    assert site.asked == []
    assert play.channel("search.request") == b""


@in_loop
async def test_hosts_that_cannot_be_reached(site: Site, monkeypatch: pytest.MonkeyPatch) -> None:
    async def unknown(*_: Any, **__: Any) -> Any:
        raise socket.gaierror(-2, "Name or service not known")

    async with Play(web()) as play:
        refused = await play(web_extractor("http://127.0.0.1:1/"))
        secure = await play(web_extractor(f"https://{site.host}/"))
        monkeypatch.setattr(asyncio.get_running_loop(), "getaddrinfo", unknown)
        nowhere = await play(web_extractor("http://nowhere.example/x"))
    kinds = [
        (result.outcome.status, result.outcome.error and result.outcome.error.type)
        for result in (refused, secure, nowhere)
    ]
    assert kinds == [(Status.ENV_ERROR, "connect"), (Status.ENV_ERROR, "tls"), (Status.ENV_ERROR, "dns")]
    assert nowhere.observation.text == "Error: could not resolve host: nowhere.example"


@pytest.mark.parametrize(
    "url", ["http://127.0.0.1:99999/", "http://a b/", "http://\0/", "//x", "http:///x", "mailto:a@b.example"]
)
def test_addresses_that_are_none(url: str) -> None:
    @in_loop
    async def play() -> None:
        async with Play(web()) as play:
            result = await play(web_extractor(url))
            assert result.outcome.error is not None
            assert result.outcome.error.type in ("invalid_url", "dns")

    play()


@in_loop
async def test_a_page_that_comes_too_late_and_the_end_of_the_run(site: Site) -> None:
    done = threading.Event()
    url = site.tell("/slow", "<p>first half", length=900, wait=done)
    async with Play(web(timeout_s=2.0)) as play:
        slow = await play(web_extractor(url))
        assert play.channel("search.body") == b"<p>first half"
        play.search.until = time.monotonic() + 0.1
        action = web_extractor(url).model_copy(update={"timeout_s": 60.0})
        last = await play(action)
        done.set()
    assert slow.outcome.status is last.outcome.status is Status.TIMEOUT_KILLED
    assert slow.observation.text.startswith(f"Error: no answer from {url} within ")
    assert last.observation.text.startswith(f"Error: no answer from {url} within 0.")
