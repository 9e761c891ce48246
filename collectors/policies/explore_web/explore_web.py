"""Seeded exploration of a web site, over what is on its pages."""

from __future__ import annotations

from collections.abc import Mapping
from random import Random
from typing import Any, Self

from worldtape.collectors.policies._erring import errs
from worldtape.collectors.policies.explore_web.config import Dialect, ExploreWebConfig
from worldtape.collectors.policies.explore_web.memory import Memory
from worldtape.collectors.policies.explore_web.moves import Moves
from worldtape.collectors.policies.explore_web.page import Page
from worldtape.collectors.policies.explore_web.step import Plan, Step
from worldtape.collectors.policies.explore_web.values import Values, tables
from worldtape.collectors.policies.explore_web.voice import say
from worldtape.collectors.policies.explore_web.wrong import wrong_steps
from worldtape.collectors.web.tree import Element
from worldtape.errors import InputError
from worldtape.schemas import Action, History, PolicySpec, Status

_TRIES = 12
_PATIENT = 0.35
"""So often a wrong action may be one that the browser waits for."""
_LOST = 3
"""Turns without any change after which another page is opened."""
_FAULTY = 0.3
"""Of the forms, so many are filled wrongly."""


class ExploreWeb:
    """Follows links, fills forms, opens what can be opened, errs, and stays on the site where it began.

    It never repeats an action on a page that is in the same state. What it needs to know of a page stands in
    `history.tree`, which `worldtape.collectors.web.Web` keeps.

    Args:
        seed: decides everything that the pages do not.
        settings: the rest of `ExploreWebConfig`.
    """

    Config = ExploreWebConfig
    action_kinds = frozenset({"browser_call"})

    def __init__(self, seed: int = 0, **settings: Any) -> None:
        self.config = ExploreWebConfig.read({"seed": seed} | settings)
        told = self.config.model_dump(mode="json", exclude={"seed", "accounts"})
        self.spec = PolicySpec(kind="explore-web", seed=seed, parameters=told)
        self._rng = Random(f"worldtape explore-web {seed}")  # noqa: S311
        self._memory = Memory(self.config.accounts)
        self._values = Values(self._memory, self._rng)
        self._inclined = self._rng.choice(sorted(tables()["inclinations"].values()))
        self._plan: Plan = []
        self._start = ""
        self._dialect: Dialect = self.config.dialect or "browsergym"
        self._moves: Moves | None = None

    @classmethod
    def from_config(cls, settings: Mapping[str, Any] | ExploreWebConfig) -> Self:
        """Make one from the settings of a job file.

        Raises:
            ConfigError: the settings cannot be used.
        """
        config = settings if isinstance(settings, ExploreWebConfig) else ExploreWebConfig.read(settings)
        return cls(**config.model_dump())

    async def next(self, history: History) -> Action | None:
        """Return the next action; None at the end, or when the environment takes no more.

        Raises:
            InputError: the environment keeps no tree.
        """
        if not isinstance(history.tree, dict):
            raise InputError("the environment keeps no tree of its pages", where="explore-web", fix="record with `web`")
        page = Page.of(history.tree)
        if not history.turns:
            self._begin(page, history)
        elif history.turns[-1][1].done or len(history.turns) == self.config.steps:
            return None
        else:
            self._learn(history)
        self._memory.see(page)
        return self._choose(page)

    def _begin(self, page: Page, history: History) -> None:
        self._start = page.url
        if self.config.dialect is None and history.ready.observation.renderer.name == "web.snapshot":
            self._dialect = "playwright-mcp"
        self._moves = Moves(self._memory, self._values, self._rng, inclined=self._inclined, home=page.host)

    def _learn(self, history: History) -> None:
        status = history.turns[-1][1].outcome.status
        self._memory.turns += 1
        self._memory.failed += status is not Status.OK
        if status is not Status.OK and self._plan and self._rng.random() < 0.5:  # noqa: PLR2004
            self._plan = []

    def _choose(self, page: Page) -> Action | None:
        """Return the first action of the plan, or of a new one, that can be done and was not done in this state."""
        for _ in range(_TRIES):
            if not self._plan:
                self._plan = self._draw(page)
            while self._plan:
                step = self._plan.pop(0)
                if step.verb == "mark":
                    self._memory.pressed[str(step.value), ""] += 1
                    continue
                element = self._element(page, step)
                if (step.role and element is None) or self._memory.did(page, step.key):
                    self._plan = []
                    break
                action = say(step, element, self._dialect, page.url)
                if action is not None:
                    self._memory.do(page, step.key)
                    if element is not None:
                        self._memory.pressed[element.role, element.name] += 1
                    return action
        return say(Step("goto", value=self._start), None, self._dialect, page.url)

    def _element(self, page: Page, step: Step) -> Element | None:
        if step.verb == "disabled":
            return next((one for one in page.disabled if one.id == step.value), None)
        return page.find(step.role, step.name, step.nth) if step.role else None

    def _draw(self, page: Page) -> Plan:
        assert self._moves is not None
        rng, home = self._rng, [Step("goto", value=self._start)]
        if page.dialog is not None:
            return [Step("handle_dialog", value=rng.random() < 0.7)]  # noqa: PLR2004
        if page.host != self._moves.home:
            return [Step("close_tab")] if page.tabs > 1 else home
        if self._errs():
            patient = self.config.patient and rng.random() < _PATIENT
            return [rng.choice(wrong_steps(page, rng, self._dialect, patient=patient))]
        if self._memory.still >= _LOST:
            links = [page.where(one) for one in page.active if one.role == "link" and self._moves.stays(page, one)]
            fresh = [link for link in links if not self._memory.places[link.partition("#")[0]]]
            return [Step("goto", value=rng.choice(fresh))] if fresh else home
        moves = self._moves.on(page, faulty=rng.random() < _FAULTY)
        return rng.choices([move.plan for move in moves], [move.weight for move in moves])[0] if moves else home

    def _errs(self) -> bool:
        memory = self._memory
        return errs(self._rng, turns=memory.turns, failed=memory.failed, wished=self.config.failing)
