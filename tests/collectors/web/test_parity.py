"""Ten pages: what Playwright's own snapshot lists stands in each renderer's text, and the text is stable."""

from __future__ import annotations

import ast
import json
import re
from collections import Counter
from pathlib import Path
from typing import Any

import pytest

from tests.collectors.web._server import FOLDER, Pages
from tests.collectors.web._visit import visit
from worldtape.collectors.web import Web, elements
from worldtape.collectors.web.engine import engine
from worldtape.collectors.web.render.axtree import AxTree
from worldtape.collectors.web.render.snapshot import Snapshot

pytestmark = [pytest.mark.web, pytest.mark.usefixtures("chromium")]

PAGES = sorted(path.name for path in Path(FOLDER).glob("*.html"))
INTERACTIVE = set(
    "button link textbox searchbox combobox listbox option checkbox radio switch slider spinbutton tab menuitem "  # noqa: SIM905
    "menuitemcheckbox menuitemradio treeitem gridcell".split()
)
CHROMIUM = {
    "Date": "textbox",
    "DateTime": "textbox",
    "InputTime": "textbox",
    "ColorWell": "textbox",
    "PopUpButton": "combobox",
}
Listed = Counter[tuple[str, str]]


def playwrights(snapshot: str) -> Listed:
    """The interactive elements of a snapshot of Playwright, by role and name."""
    found: Listed = Counter()
    for line in snapshot.splitlines():
        key = line.strip().removeprefix("- ")
        if key.startswith("'"):
            key = key[1:].replace("''", "'")
        match = re.match(r'([a-z]+)(?: ("(?:[^"\\]|\\.)*"))?', key)
        if match and match[1] in INTERACTIVE:
            found[match[1], plain(json.loads(match[2])) if match[2] else ""] += 1
    return found


def plain(name: str) -> str:
    return " ".join(re.sub("[\\u200b\\u00ad]", "", name).split())


def ours(renderer: str, text: str) -> Listed:
    found: Listed = Counter()
    for line in text.splitlines():
        if renderer == "web.axtree":
            match = re.match(r"\s*(?:\[\w+\] )(\w+) ('(?:[^'\\]|\\.)*'|\"(?:[^\"\\]|\\.)*\")", line)
            name = ast.literal_eval(match[2]) if match else ""
        else:
            match = re.match(r'\s*- (\w+)(?: ("(?:[^"\\]|\\.)*"))?.* \[ref=\w+\]', line)
            name = json.loads(match[2]) if match and match[2] else ""
        if match:
            found[CHROMIUM.get(match[1], match[1]), plain(name)] += 1
    return found


async def asked(environment: Web) -> str:
    """Playwright's snapshot of the page and of every frame that is shown."""

    async def ask() -> str:
        session: Any = environment._session
        page = session.active.page
        shown = [await page.aria_snapshot()]
        for frame in page.frames[1:]:
            owner = await frame.frame_element()
            if await owner.is_visible():
                shown.append(await frame.locator("body").aria_snapshot())
        return "\n".join(shown)

    return await engine().call(ask())


@pytest.mark.parametrize("page", PAGES)
def test_every_interactive_element_is_told_by_both_renderers(page: str, pages: Pages) -> None:
    seen = visit(f"{pages.url}/{page}", hook=asked)
    wanted = playwrights(seen.hooked)
    assert wanted.total() >= 3, seen.hooked
    for name, text in (("web.axtree", seen.first_text), ("web.snapshot", Snapshot().tell(seen.trees[0]))):
        missing = wanted - ours(name, text)
        assert not missing, f"{missing}\n{text}\n{seen.hooked}"


@pytest.mark.parametrize("page", PAGES)
def test_the_text_is_the_same_after_a_reload_and_on_another_day(page: str, pages: Pages) -> None:
    url = f"{pages.url}/{page}"
    first = visit(url, "reload()")
    second = visit(url, renderer="web.snapshot")
    texts = [first.first_text, *(one.observation.text for one in first.results)]
    assert texts[0] == texts[1]
    assert not any(one.state_after["changed"] for one in first.results if one.state_after)
    assert AxTree().tell(second.trees[0]) == texts[0]
    assert Snapshot().tell(first.trees[0]) == second.first_text


def test_ids_lead_to_the_elements_they_stand_for(pages: Pages) -> None:
    """Each element that is there to be acted upon is found again by its selector, and is the one of the tree."""

    async def look(environment: Web) -> list[tuple[str, str, str | None]]:
        async def ask() -> list[tuple[str, str, str | None]]:
            session: Any = environment._session
            page = session.active.page
            found: list[tuple[str, str, str | None]] = []
            for one in elements(environment.tree):
                if one.selector and one.tag not in {"option", "area"}:
                    handle = await session.active.element(one.id)
                    again = await page.locator(one.selector).first.element_handle(timeout=2000)
                    same = await handle.evaluate("(a, b) => a === b", again)
                    tag = await handle.evaluate("e => e.tagName.toLowerCase()")
                    assert same or one.name == "Closed button", one
                    found.append((one.id, tag, one.tag))
            return found

        return await engine().call(ask())

    for page in ("frames.html", "forms.html", "tables.html"):
        seen = visit(f"{pages.url}/{page}", hook=look)
        assert len(seen.hooked) >= 5
        assert all(tag == wanted for _, tag, wanted in seen.hooked)
