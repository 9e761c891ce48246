"""Any search service with a JSON API; a server of ours plays it."""

from __future__ import annotations

import re
import threading
from typing import Any

import orjson
import pytest

from tests.collectors.mcp._run import in_loop
from tests.collectors.search._play import Play
from tests.collectors.search._site import Asked, Site, Told
from worldtape.collectors.search import Fields, HttpConfig, SearchConfig, WebConfig, web_extractor, web_search
from worldtape.errors import ConfigError
from worldtape.schemas import Status

RESULTS = [
    {"link": "https://a.example/1", "name": "One", "text": "the <b>first</b>", "age": "3 days ago"},
    {"link": "https://b.example/2", "name": "Two", "text": None, "age": 2024},
    {"name": "no address"},
    {},
    "no result",
]
FIELDS = Fields(url="link", title="name", snippet="text", date="age")


def service(site: Site, path: str = "/search?q={query}&n={count}", **more: Any) -> SearchConfig:
    given = {"url": site.url + path, "results": "web.items", "fields": FIELDS} | more
    return SearchConfig(provider="http", http=HttpConfig(**given), web=WebConfig(private=True), timeout_s=10)


@in_loop
async def test_results_as_the_service_gave_them(site: Site) -> None:
    site.json("/search", {"web": {"items": RESULTS}})
    async with Play(service(site)) as play:
        result = await play(web_search("tides & boats", "ü"))
    assert site.asked[0].path == "/search?q=tides%20%26%20boats&n=10"
    assert result.observation.text.split("\n\n")[:4] == [
        'Results for "tides & boats":',
        "[1] URL: https://a.example/1\nTitle: One\nSnippet: the <b>first</b>\nDate: 3 days ago",
        "[2] URL: https://b.example/2\nTitle: Two\nDate: 2024",
        "[3] URL: \nTitle: no address",
    ]
    assert play.channel("search.body") == 2 * orjson.dumps({"web": {"items": RESULTS}})
    head = play.lines("search.response")[0]
    assert (head["status"], head["media_type"]) == (200, "application/json")


@in_loop
async def test_a_post_with_a_body_and_a_count(site: Site) -> None:
    site.json("/search", [{"url": f"https://a.example/{n}"} for n in range(9)])
    config = HttpConfig(
        url=site.url + "/search",
        method="POST",
        body={"q": "site:x {query}", "num": "{count}", "raw": ["{other}", "{"]},
        results="",
    )
    async with Play(SearchConfig(provider="http", http=config, results=3)) as play:
        text = await play.text(web_search("{count}"))
    assert orjson.loads(site.asked[0].body) == {"q": "site:x {count}", "num": 3, "raw": ["{other}", "{"]}
    assert text.count("URL: ") == 3


@in_loop
async def test_secrets_stand_nowhere(site: Site, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SEARCH_TOKEN", "Bearer t0p-s3cret")
    monkeypatch.setenv("SEARCH_KEY", "k/3&y")

    def echo(asked: Asked) -> Told:
        told = [asked.headers["authorization"], asked.path, "k/3&y"]
        return Told(orjson.dumps({"web": {"items": [{"link": "https://x.example/", "name": str(told)}]}}))

    site.answers["/search"] = echo
    config = service(site, headers_from={"authorization": "SEARCH_TOKEN"}, params_from={"key": "SEARCH_KEY"})
    async with Play(config) as play:
        text = await play.text(web_search("tides"))
        header = play.search.spec.model_dump_json() + play.ready.model_dump_json()
    assert site.asked[0].headers["authorization"] == "Bearer t0p-s3cret"
    assert site.asked[0].path.endswith("&key=k%2F3%26y")
    kept = b"".join(data for _, data in play.bytes).decode() + text + header
    assert "***" in text
    for secret in ("t0p-s3cret", "k/3&y", "k%2F3%26y", "SEARCH_TOKEN"):
        assert secret not in kept


def test_a_secret_that_is_not_set(site: Site) -> None:
    @in_loop
    async def start() -> None:
        async with Play(service(site, headers_from={"x-key": "WORLDTAPE_NO_SUCH_VARIABLE"})):
            pass

    with pytest.raises(ConfigError, match="WORLDTAPE_NO_SUCH_VARIABLE is not set"):
        start()


@in_loop
async def test_errors_in_the_words_of_the_service(site: Site) -> None:
    host = site.host.partition(":")[0]
    told: list[tuple[Told, Status, str]] = [
        (
            Told({"error": {"message": "Rate limit reached"}}, 429),
            Status.TOOL_ERROR,
            f"429 Too Many Requests for {host}: Rate limit reached",
        ),
        (Told(b"<h1>upstream", 502), Status.TOOL_ERROR, f"502 Bad Gateway for {host}"),
        (Told({"error": {"message": "quota used up"}}), Status.TOOL_ERROR, "quota used up"),
        (Told(b"<html>please log in"), Status.ENV_ERROR, "the search service sent no list of results"),
        (Told({"web": {"items": {"a": 1}}}), Status.ENV_ERROR, "the search service sent no list of results"),
        (Told(b'{"web":', length=500), Status.ENV_ERROR, f"the connection to {host} broke: RemoteProtocolError"),
        (
            Told(b"this is no gzip", headers={"content-encoding": "gzip"}),
            Status.ENV_ERROR,
            f"the connection to {host} broke: DecodingError",
        ),
    ]
    async with Play(service(site, error="error.message")) as play:
        for answer, status, text in told:
            site.answers["/search"] = answer
            result = await play(web_search("tides"))
            assert result.observation.text == f'Search for "tides" failed: {text}'
            assert result.outcome.status is status
    assert b"<h1>upstream" in play.channel("search.body")
    assert play.channel("search.body").endswith(b'{"web":')


@in_loop
async def test_keys_do_not_follow_a_redirect(site: Site, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SEARCH_TOKEN", "t0p-s3cret")
    with Site() as other:
        site.tell("/search", status=302, headers={"location": other.url})
        async with Play(service(site, headers_from={"x-key": "SEARCH_TOKEN"})) as play:
            text = await play.text(web_search("tides"))
        assert other.asked == []
    assert text == 'Search for "tides" failed: 127.0.0.1 redirects to 127.0.0.1'


@in_loop
async def test_no_results_in_any_form(site: Site) -> None:
    async with Play(service(site)) as play:
        answers: list[dict[str, Any]] = [{"web": {"items": []}}, {"web": {"items": None}}, {"web": {}}, {}]
        for value in answers:
            site.json("/search", value)
            result = await play(web_search("tides"))
            assert result.observation.text == 'No results found for "tides".'
            assert result.outcome.status is Status.OK


@in_loop
async def test_one_query_of_two_fails(site: Site) -> None:
    def answer(asked: Asked) -> Told:
        return Told(b"{}", 503) if "boats" in asked.path else Told({"web": {"items": RESULTS[:1]}})

    site.answers["/search"] = answer
    async with Play(service(site)) as play:
        result = await play(web_search("tides", "boats"))
    assert result.outcome.status is Status.OK
    assert result.outcome.error is not None
    assert result.outcome.error.type == "partial_failure"
    assert 'Search for "boats" failed: 503 Service Unavailable' in result.observation.text


@in_loop
async def test_a_service_that_does_not_answer_in_time(site: Site) -> None:
    done = threading.Event()
    site.tell("/search", b'{"web"', length=900, wait=done)
    config = service(site).model_copy(update={"timeout_s": 0.3})
    async with Play(config) as play:
        result = await play(web_search("tides", "boats"))
        done.set()
    assert result.outcome.status is Status.TIMEOUT_KILLED
    assert result.observation.settled_by == "deadline"
    assert re.search(r"within 0\.\d+ s", result.observation.text)


@in_loop
async def test_a_service_that_is_not_there(site: Site) -> None:
    config = HttpConfig(url="http://127.0.0.1:1/?q={query}")
    async with Play(SearchConfig(provider="http", http=config)) as play:
        result = await play(web_search("tides"))
    assert result.outcome.status is Status.INFRA_ERROR
    assert not result.done


@in_loop
async def test_the_pages_of_a_service_come_from_the_web(site: Site) -> None:
    url = site.tell("/page", "<title>T</title><h1>Tides</h1><p>High water is at noon, low water six hours later.</p>")
    async with Play(service(site)) as play:
        assert (await play.text(web_extractor(url))).startswith("# Tides\n\nHigh water is at noon")


@pytest.mark.parametrize(
    ("given", "told"),
    [
        ({"provider": "http"}, "provider http needs the settings http"),
        ({"http": {"url": "https://a.example/"}}, "http does nothing"),
        ({"provider": "http", "http": {"url": "https://a.example/"}, "pages": "provider"}, "no pages of its own"),
        ({"provider": "http", "http": {"url": "a.example"}}, "http.url"),
        ({"provider": "embeded"}, "provider"),
        ({"tools": ["web_serch"]}, "tools"),
    ],
)
def test_settings_that_do_not_fit(given: dict[str, Any], told: str) -> None:
    with pytest.raises(ConfigError, match=told):
        SearchConfig(**given)
