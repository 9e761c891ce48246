"""Which episode comes next."""

from __future__ import annotations

import re
from collections.abc import Iterable
from random import Random

from worldtape.collectors.policies.explore.fill import Filler, UnfitError
from worldtape.collectors.policies.explore.tables import families, read_yaml
from worldtape.collectors.policies.explore.template import Episode, Family, Step
from worldtape.collectors.policies.explore.world import World

Plan = list[tuple[Step, Filler]]

_SPECIAL = {"editors": 0.75, "repls": 0.75, "running": 1.0, "pagers": 0.4}
"""Families that a session of some thirty steps should visit, and how likely it does."""
_FIRST_FILES = ("lines", "table", "log")
_TRIES = 40
_VOLATILE = re.compile(r"\d{3}")


class Chooser:
    """Draws episodes so that about a share of the turns fails and little is repeated.

    Args:
        world: what there is.
        rng: the policy's only source of chance.
        failing: the share of turns that should end in an error.
    """

    def __init__(self, world: World, rng: Random, *, failing: float) -> None:
        self.world = world
        self.rng = rng
        self.failing = failing
        self.turns = 0
        self.failed = 0
        self._used: set[str] = set()
        self._due = {name: rng.randint(6, 22) for name, chance in _SPECIAL.items() if rng.random() < chance}

    def opening(self) -> Plan:
        """Return the first steps: a folder of its own, then files of several kinds."""
        begin = families()["opening"].episodes
        create = families()["create"].episodes
        home = begin[0] if self.rng.random() < 0.8 else begin[1]  # noqa: PLR2004
        third = self.rng.choice(("py", "sh", "json", "ini", "words", "numbers", "awk-generated"))
        names = [*self.rng.sample(_FIRST_FILES, 3), third]
        made = [next(episode for episode in create if episode.id == name) for name in names]
        dirs = [begin[2]]
        return [(step, Filler(self.world)) for episode in (home, *dirs, *made) for step in episode.steps]

    def draw(self) -> Plan:
        """Return the steps of one episode that fits the world."""
        for attempt in range(_TRIES):
            family = self._family()
            plan = self._fit(family, fresh=attempt < _TRIES // 2)
            if plan:
                return plan
        return [(Step(do="ls -la"), Filler(self.world))]

    def react(self, screen: str) -> Plan | None:
        """Return what people do after the error that stands last on the screen, sometimes."""
        if self.rng.random() < 0.5:  # noqa: PLR2004
            return None
        lines = "\n".join(screen.rstrip().splitlines()[-6:])
        for row in read_yaml("reactions.yaml")["reactions"]:
            found = list(re.finditer(row["match"], lines))
            groups = found[-1].groups() if found else ()
            if found and not any(_VOLATILE.search(group) or group in self.world.absent for group in groups):
                given = {str(index): group for index, group in enumerate(groups, 1)}
                if groups:
                    given["base"] = groups[0].rsplit("/", 1)[-1]
                plan = [(Step(do=self.rng.choice(row["do"])), Filler(self.world, given))]
                return plan if self._new(plan) else None
        return None

    def _family(self) -> Family:
        known = families()
        for name, turn in self._due.items():
            if self.turns >= turn:
                del self._due[name]
                return known[name]
        share = (self.failed - 1) / max(1, self.turns)
        if self.rng.random() < min(0.8, max(0.03, self.failing + 5 * (self.failing - share))):
            return known["errors"]
        usual = [family for family in known.values() if not family.fails]
        return self.rng.choices(usual, [family.weight for family in usual])[0]

    def _fit(self, family: Family, *, fresh: bool) -> Plan | None:
        """Draw one episode of a family and fill it; None where it does not fit or was done before."""
        fitting = [episode for episode in family.episodes if self._possible((*family.needs, *episode.needs), episode)]
        if not fitting:
            return None
        episode = self.rng.choices(fitting, [episode.weight for episode in fitting])[0]
        filler = Filler(self.world)
        plan = [(step, filler) for step in episode.steps]
        try:
            for step in episode.steps:
                for text in step.texts():
                    filler.fill(text)
        except UnfitError:
            return None
        return plan if not fresh or self._new(plan) else None

    def _possible(self, needs: Iterable[str], episode: Episode) -> bool:
        if any(flag in self.world.flags for flag in episode.unless):
            return False
        first = (episode.steps[0].do or "").partition(" ")[0]
        return first not in self.world.absent and all(self.world.has(need) for need in needs)

    def _new(self, plan: Plan) -> bool:
        step, filler = plan[0]
        text = filler.fill(step.do or step.keys or "")
        if text in self._used:
            return False
        self._used.add(text)
        return True
