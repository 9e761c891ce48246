"""The explorer of desktops and given steps, on captures of real programs."""

from __future__ import annotations

import ast
import asyncio
from collections import Counter
from typing import Any

import pytest

from tests.collectors.desktop._captures import NAMES, tree
from worldtape.collectors.policies.desktop_script import DesktopScript, read_step
from worldtape.collectors.policies.explore_desktop import ExploreDesktop
from worldtape.collectors.policies.explore_desktop.scene import Scene
from worldtape.errors import ConfigError, InputError
from worldtape.schemas import (
    Action,
    EnvironmentSpec,
    History,
    InitialState,
    Observation,
    Outcome,
    Ready,
    Rendering,
    Status,
    StepResult,
    Timing,
)

SEEN = Observation(text="", renderer=Rendering(name="desktop.tree", version="1"))


class Shown:
    """A desktop that shows what it is told, and finds out by itself which code fails."""

    def __init__(self, name: str) -> None:
        self.tree: Any = tree(name)
        ready = Ready(environment=EnvironmentSpec(kind="os"), initial_state=InitialState(text=""), observation=SEEN)
        self.history = History(ready, None, lambda _: None, lambda: self.tree)

    def take(self, action: Action, *, status: Status = Status.OK, done: bool = False) -> None:
        result = StepResult(observation=SEEN, outcome=Outcome(status=status), timing=Timing(), done=done)
        self.history.turns.append((action, result))


def explored(seed: int, steps: int, names: tuple[str, ...] = NAMES, **settings: Any) -> list[Action]:
    shown = Shown(names[0])
    policy = ExploreDesktop(seed, steps=steps, **settings)
    while (action := asyncio.run(policy.next(shown.history))) is not None:
        shown.tree = tree(names[len(shown.history.turns) % len(names)])
        shown.take(action, status=Status.OK if _runs(action.text) else Status.TOOL_ERROR)
    return [action for action, _ in shown.history.turns]


def _runs(code: str) -> bool:
    """Say whether code is nothing but calls of the functions that there are."""
    try:
        body = ast.parse(code).body
    except SyntaxError:
        return False
    known = {"click", "doubleClick", "dragTo", "hotkey", "moveTo", "press", "rightClick", "scroll", "write", "Popen"}
    for node in body:
        if isinstance(node, ast.Import):
            continue
        call = node.value if isinstance(node, ast.Expr) else None
        if not isinstance(call, ast.Call) or not isinstance(call.func, ast.Attribute) or call.func.attr not in known:
            return False
        if not all(isinstance(one, (ast.Constant, ast.UnaryOp, ast.List)) for one in call.args):
            return False
        if {one.arg for one in call.keywords} - {"button"}:
            return False
    return True


def test_the_same_seed_does_the_same() -> None:
    assert explored(5, 30) == explored(5, 30)
    assert explored(5, 30) != explored(6, 30)


def test_actions_are_code_aimed_at_what_shows() -> None:
    actions = [action for seed in range(8) for action in explored(seed, 30, failing=0)]
    assert all(action.kind == "python" and _runs(action.text) for action in actions)
    targets = {(action.target.role, action.target.name) for action in actions if action.target is not None}
    assert len(targets) >= 40
    verbs = Counter(action.text.partition("(")[0] for action in actions)
    assert len(verbs) >= 6
    for action in actions:
        if action.target is not None:
            box = action.target.box
            assert box is not None
            assert box[0] >= 0
            assert box[0] + box[2] <= 1280


def test_about_the_wished_share_fails() -> None:
    failed = [not _runs(action.text) for seed in range(12) for action in explored(seed, 40, failing=0.25)]
    assert 0.15 < sum(failed) / len(failed) < 0.35


def test_nothing_is_done_twice_in_the_same_state() -> None:
    actions = explored(3, 25, ("folder",), failing=0)
    texts = Counter(action.text for action in actions)
    assert max(texts.values()) <= 3


def test_it_stays_in_an_open_menu_and_in_a_dialog() -> None:
    menu = {one.name for one in Scene(tree("menu")).items}
    assert {"Save As...", "Save", "Quit"} <= menu
    assert "Undo" not in menu
    for seed in range(20):
        action = explored(seed, 1, ("unsaved",), failing=0)[0]
        assert action.target is None or action.target.name in {"Cancel", "Don't Save", "Save"}
        action = explored(seed, 1, ("menu",), failing=0)[0]
        assert action.target is None or action.target.name in menu


def test_an_empty_desktop_gets_a_program() -> None:
    shown = Shown("folder")
    shown.tree = {"screen": [1280, 800], "windows": [], "nodes": []}
    action = asyncio.run(ExploreDesktop(1, programs=[["galculator"]]).next(shown.history))
    assert action is not None
    assert action.text == "import subprocess\n\nsubprocess.Popen(['galculator'])"


def test_it_ends_with_the_desktop_and_needs_a_tree() -> None:
    shown = Shown("folder")
    shown.take(Action(kind="python", text="pass"), done=True)
    assert asyncio.run(ExploreDesktop(1).next(shown.history)) is None
    shown.tree = None
    with pytest.raises(InputError, match="keeps no tree"):
        asyncio.run(ExploreDesktop(1).next(shown.history))


def said(step: Any, name: str) -> Action | None:
    return asyncio.run(DesktopScript([step]).next(Shown(name).history))


@pytest.mark.parametrize(
    ("step", "name", "code"),
    [
        ({"click": {"push button": "Don't Save"}}, "unsaved", "pyautogui.click(960, 614)"),
        ({"click": {"menu item": "Save As..."}}, "menu", "pyautogui.click(791, 504)"),
        ({"right": {"icon": "notes.txt"}}, "folder", "pyautogui.rightClick(489, 124)"),
        (
            {"fill": {"text": None}, "value": "b.txt"},
            "save_as",
            "pyautogui.click(758, 47)\npyautogui.hotkey('ctrl', 'a')\npyautogui.write('b.txt')",
        ),
        ({"hotkey": ["ctrl", "s"]}, "menu", "pyautogui.hotkey('ctrl', 's')"),
        ({"press": "enter"}, "menu", "pyautogui.press('enter')"),
        ({"write": "a\nb"}, "menu", "pyautogui.write('a\\nb')"),
        ({"start": ["thunar", "/tmp"]}, "menu", "import subprocess\n\nsubprocess.Popen(['thunar', '/tmp'])"),
        ("time.sleep(1)", "menu", "time.sleep(1)"),
    ],
)
def test_given_steps(step: Any, name: str, code: str) -> None:
    action = said(step, name)
    assert action is not None
    assert action.text == code


def test_a_step_that_cannot_be_done_says_what_is_there() -> None:
    with pytest.raises(InputError, match=r"step 1: Question has no push button 'Discard'.*Cancel, Don't Save, Save"):
        said({"click": {"push button": "Discard"}}, "unsaved")


@pytest.mark.parametrize(
    "step",
    [{}, {"click": "Save"}, {"tap": {"push button": "Save"}}, {"click": {"text": "a"}, "value": "b"},
     {"fill": {"text": "a"}}, {"hotkey": "ctrl"}, {"press": ["a"]}],
)  # fmt: skip
def test_what_is_no_step(step: Any) -> None:
    with pytest.raises(ConfigError):
        read_step(step)


def test_a_script_ends() -> None:
    shown = Shown("menu")
    script = DesktopScript([{"press": "escape"}])
    action = asyncio.run(script.next(shown.history))
    assert action is not None
    shown.take(action)
    assert asyncio.run(script.next(shown.history)) is None
