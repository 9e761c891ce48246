"""What both sites share: the same for a seed, nothing left of an earlier instance, really served."""

from __future__ import annotations

import asyncio
import json
import re
from collections.abc import Awaitable, Callable
from typing import Any
from urllib.parse import urlencode

import httpx
import pytest

from tests.collectors.web.site._browser import Browser
from worldtape.collectors.web.site import SITES, Site, start_site
from worldtape.collectors.web.site.request import Request
from worldtape.errors import NotFoundError

NAMES = ("forum", "shop")
LEADS_NOWHERE = {
    404: {"/product/ceramic-egg-timer", "/thread/17"},
    500: {"/gift-cards", "/archive"},
    502: {"/tracking"},
}


def pages(site: Site, most: int = 150) -> dict[str, tuple[int, bytes]]:
    """Follow every link, breadth first, and return what answered."""
    browser, todo = Browser(site), ["/"]
    found: dict[str, tuple[int, bytes]] = {}
    while todo and len(found) < most:
        target = todo.pop(0).partition("#")[0]
        if target not in found:
            found[target] = (browser.get(target), browser.response.body)
            if browser.response.media_type.startswith("text/html"):
                todo += [link for link in browser.links if link.startswith("/")]
    return found


@pytest.mark.parametrize("name", NAMES)
def test_the_same_for_a_seed_and_other_for_another(name: str) -> None:
    first, again, other = pages(Site(name, seed=7), 60), pages(Site(name, seed=7), 60), pages(Site(name, seed=8), 60)
    assert first == again
    assert first != other


@pytest.mark.parametrize("name", NAMES)
def test_every_link_leads_to_a_page(name: str) -> None:
    for target, (status, _) in pages(Site(name, seed=0)).items():
        if status not in {200, 403}:
            assert target in LEADS_NOWHERE.get(status, ()), (target, status)


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("seed", range(6))
def test_every_seed_can_be_walked(name: str, seed: int) -> None:
    assert len(pages(Site(name, seed=seed), 25)) == 25


@pytest.mark.parametrize("name", NAMES)
def test_state_is_json_and_forgotten_by_reset(name: str) -> None:
    site = Site(name, seed=3)
    before = site.state()
    assert json.loads(json.dumps(before)) == before
    browser = Browser(site)
    browser.get("/nowhere")
    browser.post(
        "/login", email="maya@post.example", name="lena_k", password="pinecone-7" if name == "shop" else "soldering9"
    )
    assert site.state()["user"] is not None
    assert site.state()["visited"][0] == {"page": "GET /nowhere", "status": 404}
    site.reset()
    assert site.state() == before
    assert browser.get("/") == 200
    assert site.state()["user"] is None


@pytest.mark.parametrize("name", NAMES)
def test_fields_have_labels(name: str) -> None:
    for target, (_, body) in pages(Site(name, seed=0), 80).items():
        text = body.decode("utf-8", "replace")
        labelled = set(re.findall(r'<label for="([^"]+)"', text))
        for field in re.findall(r"<(?:input|select|textarea)\b[^>]*>", text):
            if 'type="hidden"' not in field and "aria-label=" not in field:
                identity = re.search(r'\bid="([^"]+)"', field)
                assert identity is not None, (target, field)
                assert identity[1] in labelled, (target, field)


def test_unknown_sites_are_told() -> None:
    assert set(SITES) >= set(NAMES)
    with pytest.raises(NotFoundError, match="did you mean 'shop'"):
        Site("shopp")


def served(work: Callable[[Site, httpx.AsyncClient], Awaitable[Any]], *, proxied: bool = False) -> Any:
    async def run() -> Any:
        async with start_site("shop", seed=4) as site:
            proxy = site.proxy if proxied else None
            async with httpx.AsyncClient(
                base_url=site.url, follow_redirects=True, proxy=proxy, trust_env=False
            ) as client:
                return await work(site, client)

    return asyncio.run(run())


def test_served_over_http() -> None:
    async def work(site: Site, client: httpx.AsyncClient) -> None:
        answers = await asyncio.gather(
            *(client.get(path) for path in ("/", "/site.css", "/site.js", "/favicon.svg", "/x"))
        )
        assert [one.status_code for one in answers] == [200, 200, 200, 200, 404]
        done = await client.post("/login", data={"email": "maya@post.example", "password": "pinecone-7"})
        assert done.url.path == "/account"
        assert site.state()["user"] == "maya@post.example"
        assert (await client.head("/catalogue")).content == b""
        assert (await client.post("/contact", content=b"x" * (2 << 20))).status_code == 413
        assert (await client.get("/prices.csv")).headers["content-disposition"].startswith("attachment")

    served(work)


def test_a_proxy_for_its_own_name_only() -> None:
    async def work(site: Site, client: httpx.AsyncClient) -> None:
        assert (await client.get(f"http://{site.host}/cart")).status_code == 200
        assert (await client.get("http://other.example/")).status_code == 502

    served(work, proxied=True)


def test_a_connection_is_cut_and_slow_pages_end_with_the_site() -> None:
    async def work(site: Site, client: httpx.AsyncClient) -> Any:
        with pytest.raises(httpx.RemoteProtocolError):
            await client.get("/torn")
        slow = asyncio.ensure_future(client.get("/never", timeout=30))
        while site.state()["visited"][-1]["page"] != "GET /never":  # noqa: ASYNC110 — a turn of the loop
            await asyncio.sleep(0)
        await site.server.close()
        with pytest.raises(httpx.HTTPError):
            await slow

    served(work)


@pytest.mark.parametrize(
    ("name", "target", "status"),
    [
        ("shop", "/catalogue?page=--5", 200),
        ("shop", f"/catalogue?min={'9' * 5000}", 422),
        ("shop", f"/orders/{'9' * 5000}", 404),
        ("forum", f"/thread/{'9' * 5000}", 404),
        ("forum", "/board/wood?page=-1", 404),
    ],
)
def test_numbers_that_are_none_break_no_page(name: str, target: str, status: int) -> None:
    assert Browser(Site(name, seed=0)).get(target) == status


@pytest.mark.parametrize(
    "back", ["/cart\r\nset-cookie: a=b", "/\\other.example/", "//other.example/", "http://x.example/"]
)
def test_signing_in_leads_nowhere_else(back: str) -> None:
    form = urlencode({"email": "maya@post.example", "password": "pinecone-7", "next": back}).encode()
    headers = {"content-type": "application/x-www-form-urlencoded"}
    answer = Site("shop").answer(Request.of("POST", "/login", headers, form))
    assert answer.status == 303
    assert re.fullmatch(r"/(account|cart%0D%0A.*|%5Cother\.example/)", answer.headers["location"])


@pytest.mark.parametrize("garbage", [b"\x00\x01 nonsense\r\n\r\n", b"GET http://[x/ HTTP/1.1\r\nHost: x\r\n\r\n"])
def test_garbage_is_refused(garbage: bytes) -> None:
    async def run() -> bytes:
        async with start_site("forum") as site:
            reader, writer = await asyncio.open_connection("127.0.0.1", site.server.port)
            writer.write(garbage)
            writer.write_eof()
            answer = await reader.read()
            writer.close()
            await writer.wait_closed()
            return answer

    assert asyncio.run(run()).startswith(b"HTTP/1.1 400")
