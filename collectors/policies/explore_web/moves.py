"""What could be done next on a page, and how much it is worth."""

from __future__ import annotations

import re
from collections.abc import Iterator
from random import Random
from typing import NamedTuple

from worldtape.collectors.policies.explore_web.filling import fill
from worldtape.collectors.policies.explore_web.memory import Memory
from worldtape.collectors.policies.explore_web.page import FIELDS, Page, is_select, is_typed
from worldtape.collectors.policies.explore_web.step import Plan, Step
from worldtape.collectors.policies.explore_web.values import Values, tables
from worldtape.collectors.web.tree import Element

_ROLES = {"button": 1.6, "tab": 1.3, "DisclosureTriangle": 1.2, "link": 1.0, "option": 4.0, "menuitem": 2.0}
_INCLINED = 6.0
_LEADS_ON = 2.0
_ELSEWHERE = 0.5
"""Of what all pages have, against what this page has."""
_KEYS = ("Tab", "Escape", "PageDown", "End", "Home")
_SCROLL = 600


class Move(NamedTuple):
    """A way to go on."""

    weight: float
    plan: Plan


class Moves:
    """Lists what can be done.

    Args:
        memory: what was seen and done.
        values: for fields.
        rng: the policy's only source of chance.
        inclined: pattern of names that this trajectory is drawn to.
        home: host of the site.
    """

    def __init__(self, memory: Memory, values: Values, rng: Random, *, inclined: str, home: str) -> None:
        self.memory, self.values, self.rng = memory, values, rng
        self.inclined = re.compile(inclined)
        self.home = home

    def on(self, page: Page, *, faulty: bool) -> list[Move]:
        """Return what was not done in this state yet; `faulty`: forms are to be filled wrongly."""
        moves = [*self._forms(page, faulty=faulty), *self._presses(page), *self._fields(page), *self._others(page)]
        return [move for move in moves if move.weight > 0 and not self.memory.did(page, move.plan[0].key)]

    def _forms(self, page: Page, *, faulty: bool) -> Iterator[Move]:
        for form in page.forms:
            own = page.in_main(form.fields[0])
            key = ("form", page.place if own else "", *form.key)
            tried = self.memory.pressed[str(key), ""]
            searched = any(self.values.kind(one) == "search" for one in form.fields)
            weight = (1.0 if searched else 4.0) / (1 + tried)
            if not own:
                weight *= _ELSEWHERE
            faults = self.rng.choice((1, 1, 2, len(form.fields))) if faulty else 0
            plan = fill(form, page, self.values, self.rng, faults=faults)
            if plan:
                mark = Step("mark", value=str(key))
                yield Move(weight * self._pull(*(one.name for one in form.submits), form.name), [*plan, mark])

    def _presses(self, page: Page) -> Iterator[Move]:
        sending = {one.id for form in page.forms for one in form.submits}
        for one in page.active:
            if one.role not in _ROLES or one.id in sending or not self.stays(page, one):
                continue
            if one.states.get("selected") in {True, "true"} and one.role == "tab":
                continue
            weight = _ROLES[one.role] * self.memory.novelty(one) * (0.25 + self.memory.rarity(one))
            if one.role == "link" and self.memory.places[page.where(one).partition("#")[0]]:
                weight *= 0.3
            if not page.in_main(one):
                weight *= _ELSEWHERE
            yield Move(weight * self._pull(one.name), [Step.on(page, "click", one)])

    def _fields(self, page: Page) -> Iterator[Move]:
        for one in page.active:
            if one.role not in FIELDS or not page.in_main(one):
                continue
            weight = 0.25 * self.memory.novelty(one)
            if is_select(one):
                name = self.values.option([option.name for option in page.options(one)], wrong=True)
                if name is not None and name != one.value:
                    yield Move(3 * weight * self._pull(one.name), [Step.on(page, "select", one, name)])
            elif one.role in {"checkbox", "radio", "switch"}:
                yield Move(weight, [Step.on(page, "click", one)])
            elif is_typed(one) and one.role == "combobox":
                yield Move(weight, [Step.on(page, "fill", one, self.values.right(one)[:4])])

    def _others(self, page: Page) -> Iterator[Move]:
        rng, top = self.rng, (page.tree.get("scroll") or (0, 0))[1]
        height = (page.tree.get("size") or (0, 0))[1] - (page.tree.get("viewport") or (0, 0))[1]
        if top < height - 1:
            yield Move(0.5, [Step("scroll", value=_SCROLL)])
        if top > 0:
            yield Move(0.4, [Step("scroll", value=-_SCROLL)])
        if len(self.memory.places) > 1:
            yield Move(0.6, [Step("back")])
            yield Move(0.1, [Step("forward")])
        yield Move(0.12, [Step("reload")])
        yield Move(0.15, [Step("key", value=rng.choice(_KEYS))])
        if self._opened(page):
            yield Move(1.5, [Step("key", value="Escape")])
        links = [one for one in page.active if one.role == "link" and self.stays(page, one)]
        if links:
            one = rng.choice(links)
            yield Move(0.15, [Step.on(page, "hover", one)])
            yield Move(0.12, [Step("new_tab"), Step("goto", value=page.where(one))])
        if page.tabs > 1:
            yield Move(1.2, [Step("close_tab")])
            yield Move(1.2, [Step("tab", value=(page.front + 1) % page.tabs)])

    def stays(self, page: Page, one: Element) -> bool:
        """Say whether pressing it stays on the site."""
        from urllib.parse import urlsplit

        where = page.where(one)
        return not where or (urlsplit(where).netloc == self.home and urlsplit(where).scheme in {"http", "https"})

    def _pull(self, *names: str) -> float:
        drawn = any(self.inclined.search(name.lower()) for name in names)
        leads_on = any(re.search(tables()["progress"], name.lower()) for name in names)
        return (_INCLINED if drawn else 1.0) * (_LEADS_ON if leads_on else 1.0)

    def _opened(self, page: Page) -> bool:
        return any(
            one.role == "dialog" or (one.states.get("expanded") in {True, "true"} and one.role == "button")
            for one in page.all
        )
