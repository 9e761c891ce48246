"""Actions that fail: what models do that misread a page."""

from __future__ import annotations

from collections.abc import Iterator
from random import Random
from urllib.parse import urlsplit

from worldtape.collectors.policies.explore_web.config import Dialect
from worldtape.collectors.policies.explore_web.page import Page, is_select, is_typed
from worldtape.collectors.policies.explore_web.step import Step

_PATHS = ("/sitemap", "/admin", "/old/index.html", "/product", "/account/delete", "/board", "/help/returns")


def wrong_steps(page: Page, rng: Random, dialect: Dialect, *, patient: bool) -> list[Step]:
    """Return actions that should fail on this page.

    Args:
        page: the page.
        rng: the policy's only source of chance.
        dialect: in which malformed calls are worded.
        patient: also what fails only when the browser has waited for it in vain.
    """
    return [
        step
        for steps in (_ids(page, rng), _misused(page, rng), _addresses(page, rng), _broken(page, rng, dialect))
        for step in steps
    ] + (list(_in_vain(page, rng)) if patient else [])


def _ids(page: Page, rng: Random) -> Iterator[Step]:
    highest = max((int(one.id) for one in page.all if one.id.isdigit()), default=0)
    yield Step("wrong", value=str(highest + rng.randint(1, 60)))
    yield Step("fill_wrong", value=(str(highest + rng.randint(1, 60)), rng.choice(("42", "lamp", "hello"))))
    if named := [one.name for one in page.active if one.name and page.in_main(one)]:
        yield Step("wrong", value=rng.choice(named))


def _misused(page: Page, rng: Random) -> Iterator[Step]:
    """What an element cannot do."""
    if pressed := [one for one in page.active if one.role in {"button", "link"}]:
        yield Step.on(page, "fill", rng.choice(pressed), rng.choice(("2", "yes", "search")))
        yield Step.on(page, "check", rng.choice(pressed))
        yield Step.on(page, "select", rng.choice(pressed), "First")
    if numbers := [one for one in page.active if is_typed(one) and one.attributes.get("type") == "number"]:
        yield Step.on(page, "fill", rng.choice(numbers), "two")
    if typed := [one for one in page.active if is_typed(one)]:
        yield Step.on(page, "press", rng.choice(typed), rng.choice(("Entr", "Ctrl-A", "Return key")))
    yield Step("key", value=rng.choice(("Submit", "Ctrl+Entr", "page down")))
    if page.tabs == 1:
        yield Step("tab", value=rng.randint(2, 6))


def _addresses(page: Page, rng: Random) -> Iterator[Step]:
    """Pages that are not there."""
    parts = urlsplit(page.url)
    if parts.scheme in {"http", "https"}:
        base = f"{parts.scheme}://{parts.netloc}"
        yield Step("goto", value=base + rng.choice(_PATHS))
        if parts.path.strip("/"):
            yield Step("goto", value=f"{base}{parts.path.rstrip('/')}-{rng.randint(2, 9)}")


def _broken(page: Page, rng: Random, dialect: Dialect) -> Iterator[Step]:
    """Calls that cannot be read, or that nobody knows."""
    ids = [one for one in page.active if one.id.isdigit()]
    if not ids:
        return
    one = rng.choice(ids)
    forms = (
        ("click({})", 'tap("{}")', 'click("{}"', 'click("{}", "twice")', "scroll_down()", 'fill("{}")')
        if dialect == "browsergym"
        else ('browser_tap(ref="{}")', 'browser_click("{}")', 'browser_type(ref="{}")', "browser_scroll(down=600)")
    )
    form = rng.choice(forms)
    if form != "click({})":
        yield Step("broken", value=form.format(one.id if dialect == "browsergym" else one.ref))


def _in_vain(page: Page, rng: Random) -> Iterator[Step]:
    if page.disabled:
        one = rng.choice(page.disabled)
        yield Step("disabled", one.role, one.name, value=one.id)
    if selects := [one for one in page.active if is_select(one)]:
        yield Step.on(page, "select", rng.choice(selects), "Another one")
