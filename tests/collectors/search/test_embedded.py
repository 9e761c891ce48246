"""The engine that Worldtape brings, over its own small web and over other folders."""

from __future__ import annotations

import gzip
import os
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from tests._components import require
from tests.collectors.mcp._run import in_loop
from tests.collectors.search._play import Play
from worldtape.collectors.search import EmbeddedConfig, FolderConfig, SearchConfig, web_extractor, web_search
from worldtape.collectors.search.providers.documents import SHIPPED, sources
from worldtape.collectors.search.providers.index import open_index
from worldtape.errors import ComponentError, NotFoundError
from worldtape.schemas import Status

LIGHT = "https://wiki.skerra.example/stakk-lighthouse.md"


def over(folder: Path, **more: Any) -> EmbeddedConfig:
    return EmbeddedConfig(folders=(FolderConfig(path=folder, url="https://docs.example/"),), **more)


def write(folder: Path, **files: str) -> Path:
    folder.mkdir(exist_ok=True)
    for name, text in files.items():
        (folder / name.replace("_", ".")).write_text(text, encoding="utf-8")
    return folder


@in_loop
async def test_ten_results_with_what_the_documents_state() -> None:
    async with Play() as play:
        result = await play(web_search("lighthouse Stakk lens"))
        blocks = result.observation.text.split("\n\n")
        assert blocks[0] == 'Results for "lighthouse Stakk lens":'
        assert len(blocks) == 11
        assert blocks[1].startswith("[1] URL: https://")
        assert LIGHT in blocks[1] + blocks[2]
        assert any(block.endswith("Date: 2025-08-11") for block in blocks)
        assert result.outcome.status is Status.OK
        raw, answer = play.lines("search.body")[0], play.lines("search.answer")[0]
        assert answer["searches"] == [{"query": "lighthouse Stakk lens", "results": raw}]
        assert result.timing.first_output_at is not None


@in_loop
async def test_the_same_question_has_the_same_answer() -> None:
    texts = []
    for _ in range(2):
        async with Play() as play:
            texts.append([await play.text(web_search(q, "kelp price")) for q in ("tide mill", "who was first captain")])
    assert texts[0] == texts[1]


@in_loop
async def test_nothing_found_is_an_answer() -> None:
    async with Play() as play:
        for query in ("zzyzx", "!?", '""'):
            result = await play(web_search(query))
            assert result.observation.text == f'No results found for "{query}".'
            assert result.outcome.status is Status.OK


@in_loop
async def test_phrases_and_hosts() -> None:
    async with Play(SearchConfig(results=50)) as play:
        await play(web_search('"grey petrel" pairs', "petrel site:news.lervik.example", "tide site:skerra.example"))
        phrase, news, wiki = play.lines("search.answer")[0]["searches"]
    assert all("petrel" in str(hit).lower() for hit in phrase["results"])
    assert {hit["url"].split("/")[2] for hit in news["results"]} == {"news.lervik.example"}
    assert {hit["url"].split("/")[2] for hit in wiki["results"]} <= {"wiki.skerra.example", "data.skerra.example"}


@pytest.mark.parametrize(
    "query", ["a OR b", 'unclosed "quote', "NEAR(a b)", "title: x", "x*", "^y", "a\0b", "it's (", "-x"]
)
def test_no_query_is_an_error(query: str) -> None:
    index = open_index(EmbeddedConfig())
    index.find(query, 3)
    index.find(query * 300, 3)
    index.close()


@in_loop
async def test_pages_are_its_documents() -> None:
    async with Play() as play:
        page = await play(web_extractor(LIGHT + "#lens"))
        assert page.observation.text.startswith("# Stakk lighthouse\n")
        assert "[Ingrid Aune](https://wiki.skerra.example/ingrid-aune.md)" in page.observation.text
        assert play.channel("search.body") == (SHIPPED / "wiki.skerra.example/stakk-lighthouse.md").read_bytes()
        assert page.observation.parts[0].media_type == "text/markdown"
        ships = await play.text(web_extractor("https://www.skerra-lines.example/ships.html", "the battery ferry"))
        assert "| Tern | 2019 |" in ships
        assert "Timetable" not in ships
        assert "Imprint" not in ships
        station = await play.text(web_extractor("https://weather.stakk.example/records.txt"))
        assert "\nLowest pressure         938.5 hPa   1992-01-01\n" in station
        facts = await play.search.facts()
        assert facts["visited"][1] == "https://www.skerra-lines.example/ships.html"


@in_loop
async def test_pages_that_are_not_there() -> None:
    told = [
        ("https://wiki.skerra.example/none.md", Status.TOOL_ERROR, 404, "404 Not Found for "),
        ("https://elsewhere.example/x", Status.ENV_ERROR, None, "could not resolve host: elsewhere.example"),
        ("ftp://wiki.skerra.example/", Status.TOOL_ERROR, None, "invalid URL 'ftp://wiki.skerra.example/'"),
        ("stakk", Status.TOOL_ERROR, None, "invalid URL 'stakk'"),
        ("http://[::1", Status.TOOL_ERROR, None, "invalid URL"),
        ("https://wiki.skerra.example/\ud800", Status.TOOL_ERROR, 404, "404 Not Found"),
    ]
    async with Play() as play:
        for url, status, code, text in told:
            result = await play(web_extractor(url))
            assert result.outcome.status is status
            assert result.outcome.error is not None
            assert result.outcome.error.code == code
            assert result.observation.text.startswith(f"Error: {text}")
        assert (await play.search.facts())["visited"] == []


@in_loop
async def test_the_state_moves_with_what_was_done() -> None:
    async with Play() as play:
        assert play.ready.initial_state.probes is not None
        actions = (web_search("kelp"), web_search("kelp"), web_extractor(LIGHT), web_extractor(LIGHT))
        counts = [play.ready.initial_state.probes, *[(await play(action)).state_after or {} for action in actions]]
    assert [c["queries"] for c in counts] == [0, 1, 2, 2, 2]
    assert [c["visited"] for c in counts] == [0, 0, 0, 1, 1]
    assert counts[1]["found"] == counts[2]["found"] > 0
    assert len({c["index"] for c in counts}) == 1


def test_an_index_is_made_once_for_the_same_content(tmp_path: Path) -> None:
    folder = write(tmp_path / "docs", a_md="# Tides\nhigh water", b_html="<title>Boats</title><p>low water", c_log="x")
    cache = tmp_path / "cache"
    first = open_index(over(folder, cache=cache))
    (made,) = cache.glob("*.sqlite")
    before = made.stat().st_mtime_ns
    copy = shutil.copytree(folder, tmp_path / "copy")
    second = open_index(over(copy, cache=cache))
    assert (second.digest, second.size, made.stat().st_mtime_ns) == (first.digest, 2, before)
    assert [hit.title for hit in first.find("water", 9)] == [hit.title for hit in second.find("water", 9)]
    write(folder, a_md="# Tides\nslack water now")
    third = open_index(over(folder, cache=cache))
    assert third.digest != first.digest
    assert third.find("slack", 9)[0].snippet == "Tides slack water now"
    for index in (first, second, third):
        index.close()


def test_an_index_that_was_deleted_or_damaged(tmp_path: Path) -> None:
    folder = write(tmp_path / "docs", a_md="# Tides")
    config = over(folder, cache=tmp_path / "what? 100% cache")
    for _ in range(2):
        index = open_index(config)
        assert index.find("tides", 1)
        index.close()
        (made,) = (tmp_path / "what? 100% cache").glob("*.sqlite")
        made.unlink()
    open_index(config).close()
    made.write_bytes(b"no database at all, but long enough to be one" * 100)
    with pytest.raises(ComponentError, match="the index is damaged"):
        open_index(config)


def test_what_a_killed_process_left_is_made_anew(tmp_path: Path) -> None:
    config = over(write(tmp_path / "docs", a_md="# Tides"), cache=tmp_path / "cache")
    open_index(config).close()
    (made,) = (tmp_path / "cache").glob("*.sqlite")
    made.rename(made.with_suffix(".unfinished"))
    index = open_index(config)
    assert index.find("tides", 1)
    index.close()
    assert {path.suffix for path in (tmp_path / "cache").iterdir()} == {".sqlite", ".lock"}


def test_many_at_once_make_one_index(tmp_path: Path) -> None:
    folder = write(tmp_path / "docs", **{f"n{number}_md": f"# Tide {number}" for number in range(50)})
    code = (
        "import sys; from pathlib import Path; from worldtape.collectors.search import EmbeddedConfig, FolderConfig\n"
        "from worldtape.collectors.search.providers.index import open_index\n"
        "folder, cache = map(Path, sys.argv[1:])\n"
        "config = EmbeddedConfig(folders=(FolderConfig(path=folder, url='https://d.example/'),), cache=cache)\n"
        "print(len(open_index(config).find('tide', 99)))"
    )
    words = [sys.executable, "-c", code, str(folder), str(tmp_path / "cache")]
    started = [subprocess.Popen(words, stdout=subprocess.PIPE, text=True) for _ in range(3)]
    assert [process.communicate(timeout=60)[0].strip() for process in started] == ["50"] * 3
    assert len(list((tmp_path / "cache").glob("*.sqlite"))) == 1


def test_which_files_are_documents(tmp_path: Path) -> None:
    folder = write(tmp_path / "docs", a_md="a", b_TXT="b", _hidden_md="h", d_png="p")
    (folder / "c.txt.gz").write_bytes(gzip.compress(b"packed words"))
    (folder / "broken.txt.gz").write_bytes(b"no gzip")
    (folder / "a b.md").write_text("named with a blank")
    (folder / "link.md").symlink_to(folder / "a.md")
    Path(os.fsdecode(os.fsencode(folder) + b"/\xff.md")).write_text("***")
    (folder / "sub").mkdir()
    (folder / "sub" / "big.txt").write_text("x" * (2 << 20))
    found = sources(over(folder))
    assert [url.removeprefix("https://docs.example/") for url in found] == [
        "%FF.md",
        "a%20b.md",
        "a.md",
        "b.TXT",
        "broken.txt",
        "c.txt",
        "sub/big.txt",
    ]
    index = open_index(over(folder, file_mb=1, cache=tmp_path))
    assert [hit.url for hit in index.find("packed", 9)] == ["https://docs.example/c.txt"]
    assert index.find("broken", 9) == []
    index.close()


def test_missing_and_empty_folders(tmp_path: Path) -> None:
    with pytest.raises(NotFoundError, match="there is no such folder"):
        open_index(over(tmp_path / "none"))
    with pytest.raises(NotFoundError, match="no document to index"):
        open_index(over(tmp_path))


@in_loop
async def test_a_document_that_has_gone_since(tmp_path: Path) -> None:
    folder = write(tmp_path / "docs", a_md="# Tides", b_md="# Boats")
    async with Play(SearchConfig(embedded=over(folder, cache=tmp_path))) as play:
        (folder / "a.md").unlink()
        result = await play(web_extractor("https://docs.example/a.md"))
        assert result.observation.text == "Error: 404 Not Found for https://docs.example/a.md"
        assert await play.text(web_extractor("https://docs.example/b.md")) == "# Boats"


def real_documents() -> EmbeddedConfig:
    """What every Debian machine has below /usr/share/doc: text of hundreds of authors."""
    names = ("bash", "perl", "git", "zlib1g", "libc6", "openssl", "tar", "dpkg", "apt", "python3", "ca-certificates")
    folders = tuple(
        FolderConfig(path=folder, url=f"https://docs.example/{name}/")
        for name in names
        if (folder := Path("/usr/share/doc", name)).is_dir()
    )
    require("documents below /usr/share/doc", len(folders) > 1, "they come with Debian's packages")
    return EmbeddedConfig(folders=folders, suffixes=(".html", ".md", ".txt", "readme", "faq", "news", "copyright"))


@in_loop
async def test_real_documents() -> None:
    async with Play(SearchConfig(embedded=real_documents())) as play:
        result = await play(web_search("license", "installation", "bugs"))
        assert result.outcome.status is Status.OK
        found = (await play.search.facts())["found"]
        assert len(found) >= 2
        for url in found[:12]:
            page = await play(web_extractor(url))
            assert page.outcome.status is Status.OK
            assert page.observation.text.strip()
