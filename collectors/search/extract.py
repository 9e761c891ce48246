"""Pages as Markdown."""

from __future__ import annotations

import codecs
import copy
import functools
import logging
import re
from typing import Any
from urllib.parse import urljoin

from worldtape.collectors.mcp._json import clean
from worldtape.collectors.search.answers import Body, Fault, Page
from worldtape.errors import need
from worldtape.schemas import Status

_HTML = {"text/html", "application/xhtml+xml"}
_LEAST = 0.3
"""An extraction that has less of the words than this has missed the page: then all of its text stands there."""
_WORD = re.compile(r"\w+")
_LINK = re.compile(r"\]\(([^()\s]+)\)")
_TEXT = {"application/json", "application/xml", "application/yaml", "application/javascript"}


def extract(body: Body) -> Page | Fault:
    """Return what a page says, as Markdown: an HTML page without its frame, any other text as it stands.

    Extraction is a pure function of the body (trafilatura, its version in `Page.extractor`). Front matter of Markdown
    becomes title and date, its relative links become absolute. What is neither HTML nor text is a fault.

    Raises:
        ComponentError: trafilatura is not installed.
    """
    if not body.data.strip():
        return _empty(body)
    media = body.media_type or ("text/html" if body.data.lstrip()[:1] == b"<" else "text/plain")
    if media in _HTML:
        return _html(body)
    if not (media.startswith("text/") or media in _TEXT or media.endswith(("+json", "+xml"))):
        message = f"{body.url} is {media}, which cannot be read as text"
        return Fault(Status.TOOL_ERROR, "unsupported_content", message)
    text = clean(decoded(body.data, body.charset)).replace("\r\n", "\n")
    if media != "text/markdown":
        return _page(body, text, None, None, None)
    head, rest = front_matter(text)
    return _page(body, _linked(rest, body.url), head.get("title"), head.get("date"), None)


def decoded(data: bytes, charset: str | None = None) -> str:
    """Return a text: in the charset that was named, else in UTF-8, else in Latin-1."""
    data = data.removeprefix(codecs.BOM_UTF8)
    for name in (charset, "utf-8"):
        try:
            return data.decode(name or "utf-8")
        except (LookupError, UnicodeDecodeError):
            continue
    return data.decode("latin-1")


def front_matter(text: str) -> tuple[dict[str, str], str]:
    """Return the plain `key: value` lines at the head of a Markdown text, and the rest of it."""
    head, mark, rest = text.removeprefix("---\n").partition("\n---\n")
    if not text.startswith("---\n") or not mark:
        return {}, text
    pairs = (line.partition(":") for line in head.split("\n"))
    return {key.strip().lower(): value.strip().strip("\"'") for key, _, value in pairs if value.strip()}, rest


def _linked(text: str, url: str) -> str:
    """Return Markdown whose relative links are absolute; code stays as it is."""
    lines = []
    code = False
    for line in text.split("\n"):
        code ^= line.lstrip().startswith("```")
        apart = code or line.startswith(("    ", "\t"))
        lines.append(line if apart else _LINK.sub(lambda found: f"]({_joined(url, found[1])})", line))
    return "\n".join(lines)


def _joined(url: str, link: str) -> str:
    try:
        return urljoin(url, link)
    except ValueError:
        return link


def _html(body: Body) -> Page | Fault:
    trafilatura, config = _library()
    try:
        tree = _tree(body)
        title = " ".join((tree.findtext(".//title") or "").split())
        tree.make_links_absolute(body.url, resolve_base_href=True, handle_failures="ignore")
        plain = _framed(tree)
        whole = trafilatura.html2txt(copy.deepcopy(plain))
        text = trafilatura.extract(
            plain,
            output_format="markdown",
            include_formatting=True,
            include_links=True,
            include_tables=True,
            include_comments=False,
            favor_recall=True,
            config=config,
        )
    except (ValueError, LookupError, TypeError, AttributeError, AssertionError, RecursionError):
        return _empty(body)  # no document: the parser's own words differ from version to version
    lost = len(_WORD.findall(text or "")) < _LEAST * len(_WORD.findall(whole))
    return _page(body, whole if lost else text, title, None, f"trafilatura {trafilatura.__version__}")


def _tree(body: Body) -> Any:
    """Parse a page: in the charset that was named, in UTF-8 where it is that, else in what the page itself says."""
    from lxml import etree, html

    name = body.charset
    try:
        body.data.decode(name or "utf-8")
    except (LookupError, UnicodeDecodeError):
        name = None
    else:
        name = name or "utf-8"
    try:
        return html.document_fromstring(body.data, parser=html.HTMLParser(encoding=name))
    except etree.LxmlError as error:
        raise ValueError(str(error)) from error


def _framed(tree: Any) -> Any:
    """Take away navigation and footers, and mark the content: what the page calls so, else all of it."""
    for element in list(tree.iter("nav", "footer", "script", "style", "noscript", "template")):
        element.drop_tree()
    articles = list(tree.iter("article"))
    alone = articles[0] if len(articles) == 1 else None
    content = next(tree.iter("main"), alone)
    for element in articles:
        element.tag = "section"
    if content is None and (content := tree.find("body")) is not None:
        outer = tree.makeelement("body")
        tree.replace(content, outer)
        outer.append(content)
    if content is not None:
        content.tag = "article"
    return tree


@functools.lru_cache(maxsize=1)
def _library() -> tuple[Any, Any]:
    """Return trafilatura and its settings: short pages are pages, too.

    What it thinks of pages goes to those who listen, not to the terminal.
    """
    found: Any = need("trafilatura", extra="search")
    logging.getLogger("trafilatura").addHandler(logging.NullHandler())
    settings = need("trafilatura.settings", extra="search")
    config = copy.deepcopy(settings.DEFAULT_CONFIG)
    for name in ("MIN_EXTRACTED_SIZE", "MIN_OUTPUT_SIZE"):
        config["DEFAULT"][name] = "1"
    return found, config


def _page(body: Body, text: str | None, title: str | None, date: str | None, extractor: str | None) -> Page | Fault:
    whole = clean(text or "").strip("\n")
    if not whole.strip():
        return _empty(body)
    return Page(url=body.url, markdown=whole, title=title or None, date=date or None, extractor=extractor)


def _empty(body: Body) -> Fault:
    return Fault(Status.TOOL_ERROR, "no_content", f"no content could be extracted from {body.url}")


__all__ = ["decoded", "extract", "front_matter"]
