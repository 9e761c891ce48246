"""Actions that fail: what models do that misread a screen."""

from __future__ import annotations

import json
from collections.abc import Iterator
from random import Random

from worldtape.collectors.policies.explore_ui.step import Step
from worldtape.collectors.policies.explore_ui.view import View

_APPS = ("Calendar", "Camera", "Clock", "Files", "Maps", "com.android.settings")


def wrong_step(view: View, rng: Random) -> Step:
    """Return an action that should fail on this screen: most often it is aimed at what is not there.

    Args:
        view: the screen.
        rng: the policy's only source of chance.
    """
    make = rng.choices((_aims, _misused, _broken), (5, 2, 2))[0]
    return rng.choice(list(make(view, rng)) or list(_aims(view, rng)))


def _aims(view: View, rng: Random) -> Iterator[Step]:
    """What is not there."""
    beyond = len(view.all) + rng.randint(0, 30)
    yield Step("click", given={"index": beyond})
    yield Step("input_text", given={"index": beyond, "text": rng.choice(("hello", "42"))})
    width, height = view.screen.size or (412, 915)
    yield Step("click", given={"x": width + rng.randint(5, 600), "y": rng.randint(0, height)})
    yield Step(
        "click", given={"selector": f"text={rng.choice(('Log in', 'Continue', 'Next', 'Submit', 'Accept all'))}"}
    )
    yield Step("long_press", given={"selector": f"id={rng.choice(('fab', 'toolbar', 'list_item', 'confirm_button'))}"})
    yield Step("open_app", given={"app_name": rng.choice(_APPS)})


def _misused(view: View, rng: Random) -> Iterator[Step]:
    """What an element cannot do."""
    if view.pressed:
        yield Step.on(view, "input_text", rng.choice(view.pressed), text=rng.choice(("yes", "2", "search")))
    if shut := [one for one in view.all if one.is_("disabled")]:
        yield Step.on(view, "click", rng.choice(shut))


def _broken(view: View, rng: Random) -> Iterator[Step]:
    """What cannot be read, or what nobody knows."""
    index = rng.randrange(max(1, len(view.all)))
    for given in (
        {"action_type": "tap", "index": index},
        {"action_type": "double_click", "index": index},
        {"action_type": "click"},
        {"action_type": "click", "index": str(rng.choice(("first", "save", "last")))},
        {"action_type": "scroll", "direction": rng.choice(("forward", "bottom"))},
        {"action_type": "input_text", "index": index},
        {"action_type": "open_app"},
        {"action_type": "swipe", "direction": "up", "start": [10, 10], "end": [10, 90]},
        {"action_type": "click", "index": index, "x": 10, "y": 10},
    ):
        yield Step("raw", given=json.dumps(given))
    yield Step("raw", given=f'{{"action_type": "click", "index": {index}')
    yield Step("raw", given=f"click({index})")
