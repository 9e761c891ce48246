"""Plans that fill a form and send it."""

from __future__ import annotations

import re
from random import Random

from worldtape.collectors.policies.explore_web.page import Form, Page, is_select, is_typed
from worldtape.collectors.policies.explore_web.step import Plan, Step
from worldtape.collectors.policies.explore_web.values import Values, unchosen
from worldtape.collectors.web.tree import Element

_MUST = re.compile(r"accept|agree|have read|terms|rules")
_SKIPPED = 0.3
_KEPT = 0.75
_FEW = 2
_FREE = 3
"""At most so many fields are filled that need not be."""
_TICKED = 0.25
_BY_ENTER = 0.15


def fill(form: Form, page: Page, values: Values, rng: Random, *, faults: int) -> Plan:
    """Return the steps that fill `form` and send it.

    Args:
        form: one of the page's.
        page: where it stands.
        values: where they come from.
        rng: the policy's only source of chance.
        faults: so many fields are filled wrongly or left as they are.
    """
    typed = [one for one in form.fields if is_typed(one)]
    values.begin(typed)
    spoilt = {one.id for one in rng.sample(typed, min(faults, len(typed)))}
    steps: list[tuple[Step, bool]] = []
    groups: set[str] = set()
    for one in form.fields:
        group = one.attributes.get("name", "")
        if one.role == "radio" and group in groups:
            continue
        groups.add(group)
        step = _field(one, form, page, values, rng, wrong=one.id in spoilt)
        if step is not None:
            steps.append((step, one.id in spoilt or _wanted(one)))
    free = [index for index, (_, wanted) in enumerate(steps) if not wanted]
    dropped = set(rng.sample(free, max(0, len(free) - rng.randint(1, _FREE))))
    plan: Plan = [step for index, (step, _) in enumerate(steps) if index not in dropped]
    last = next((one for one in reversed(typed) if one.tag == "input"), None)
    if form.submits and (last is None or rng.random() > _BY_ENTER):
        plan.append(Step.on(page, "click", rng.choice(form.submits)))
    elif last is not None:
        plan.append(Step.on(page, "press", last, "Enter"))
    return plan


def _field(one: Element, form: Form, page: Page, values: Values, rng: Random, *, wrong: bool) -> Step | None:
    if one.role in {"checkbox", "switch"}:
        return _box(one, page, rng)
    if one.role == "radio":
        return _radio(one, form, page, rng)
    if is_select(one):
        return _select(one, page, values, wrong=wrong)
    return _typed(one, form, page, values, rng, wrong=wrong) if is_typed(one) else None


def _radio(one: Element, form: Form, page: Page, rng: Random) -> Step | None:
    alike = [other for other in form.fields if other.attributes.get("name") == one.attributes.get("name")]
    chosen = rng.choice(alike)
    return None if chosen.states.get("checked") == "true" else Step.on(page, "click", chosen)


def _select(one: Element, page: Page, values: Values, *, wrong: bool) -> Step | None:
    if one.value and one.value == values.persona["country"]:
        return None
    names = [option.name for option in page.options(one)]
    name = values.option([name for name in names if name != one.value], wrong=wrong)
    return None if name is None else Step.on(page, "select", one, name)


def _typed(one: Element, form: Form, page: Page, values: Values, rng: Random, *, wrong: bool) -> Step | None:
    if wrong:
        return Step.on(page, "fill", one, values.wrong(one))
    kept = one.value and values.account is None and rng.random() < _KEPT
    skipped = not _wanted(one) and len(form.fields) > _FEW and rng.random() < _SKIPPED
    if kept or skipped:
        return None
    return Step.on(page, "fill", one, values.right(one))


def _wanted(one: Element) -> bool:
    """Say whether the form cannot be sent without it, as far as one can see."""
    if one.role in {"checkbox", "switch"}:
        return _MUST.search(one.name.lower()) is not None
    if is_select(one):
        return one.value is None or unchosen(one.value)
    required = bool(one.states.get("required")) or one.attributes.get("aria-required") == "true"
    return required or one.role == "radio"


def _box(one: Element, page: Page, rng: Random) -> Step | None:
    on = one.states.get("checked") in {True, "true"}
    if _MUST.search(one.name.lower()):
        return None if on else Step.on(page, "check", one)
    if rng.random() > _TICKED:
        return None
    return Step.on(page, "uncheck" if on else "check", one)
