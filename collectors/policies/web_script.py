"""Given steps on web pages, aimed at elements by role and name."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any
from urllib.parse import urljoin

from worldtape.collectors.policies.explore_web.config import Dialect
from worldtape.collectors.policies.explore_web.page import Page
from worldtape.collectors.policies.explore_web.step import Step
from worldtape.collectors.policies.explore_web.voice import say
from worldtape.errors import ConfigError, InputError
from worldtape.schemas import Action, History, PolicySpec

_AIMED = {"check", "click", "dblclick", "fill", "hover", "press", "select", "uncheck"}
_PLAIN = {"back", "close_tab", "forward", "goto", "handle_dialog", "key", "new_tab", "reload", "scroll", "tab", "tell"}
_FORM = (
    'write {click: {button: Search}}, {fill: {textbox: Name}, value: …}, {goto: /path} or a call such as click("12")'
)


def read_step(given: str | Mapping[str, Any]) -> Step:
    """Read one step.

    Args:
        given: a call as text, passed on as it stands; or a mapping whose first key is the verb. Where that needs an
            element its value is `{role: name}`, `nth` (from 0) chooses among those alike, and `value` is what is typed,
            chosen or pressed. Otherwise its value is an address (a path is one of the site), a key, pixels, an index
            or a text for the user.

    Raises:
        ConfigError: it is nothing of that.
    """
    if isinstance(given, str):
        return Step("broken", value=given)
    verb = next(iter(given), None)
    if verb in _PLAIN and len(given) == 1:
        return Step(str(verb), value=given[verb])
    aim = given.get(verb) if verb in _AIMED else None
    if not isinstance(aim, Mapping) or len(aim) != 1 or given.keys() - {verb, "nth", "value"}:
        raise ConfigError(f"{dict(given)!r:.100} is no step on a page", fix=_FORM)
    role, name = next(iter(aim.items()))
    return Step(str(verb), str(role), str(name), int(given.get("nth", 0)), given.get("value"))


class WebScript:
    """Plays steps one after the other; each is looked up on the page as it is then.

    Args:
        steps: see `read_step`.
        dialect: how actions are worded; None: as it goes with the environment's renderer.
    """

    action_kinds = frozenset({"browser_call"})

    def __init__(self, steps: Sequence[str | Mapping[str, Any]], *, dialect: Dialect | None = None) -> None:
        self.spec = PolicySpec(kind="script", parameters={"actions": len(steps)})
        self._steps = [read_step(step) for step in steps]
        self._dialect = dialect

    async def next(self, history: History) -> Action | None:
        """Return the next action, None at the end.

        Raises:
            InputError: the page has no element as the step names it.
        """
        at = len(history.turns)
        if at >= len(self._steps):
            return None
        step, page = self._steps[at], Page.of(history.tree or {})
        if step.verb == "goto":
            step = Step("goto", value=urljoin(page.url, str(step.value)))
        element = page.find(step.role, step.name, step.nth) if step.role else None
        if step.role and element is None:
            alike = sorted({one.name for one in page.active if one.role == step.role})
            fix = f"of this role: {', '.join(alike)[:200] or 'none'}"
            raise InputError(f"step {at + 1}: {page.url} has no {step.role} {step.name!r}", where="script", fix=fix)
        action = say(step, element, self._dialect or _dialect(history), page.url)
        if action is None:
            raise InputError(f"step {at + 1}: {step.verb} has no word in this dialect", where="script")
        return action


def _dialect(history: History) -> Dialect:
    snapshot = history.ready.observation.renderer.name == "web.snapshot"
    return "playwright-mcp" if snapshot else "browsergym"


__all__ = ["WebScript", "read_step"]
