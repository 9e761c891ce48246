"""Code that fails: what models write that know another library, another desktop, or no Python."""

from __future__ import annotations

from collections.abc import Iterator
from random import Random

from worldtape.collectors.desktop.widgets import Widget
from worldtape.collectors.policies.explore_desktop.scene import Scene
from worldtape.collectors.policies.explore_desktop.step import Step


def wrong_step(scene: Scene, rng: Random) -> Step:
    """Return a step whose code ends with a traceback on any desktop.

    Args:
        scene: what shows; its names stand in the code.
        rng: the policy's only source of chance.
    """
    named = [one for one in scene.usable if one.name]
    widget = rng.choice(named) if named else None
    return Step("code", value=rng.choice([*_names(widget), *_calls(widget, rng), *_syntax(widget, rng), *_files(rng)]))


def _names(widget: Widget | None) -> Iterator[str]:
    word = _identifier(widget.name if widget else "") or "save_button"
    yield f"pyautogui.click({word})"
    yield f"pyautogui.moveTo({word}.x, {word}.y)\npyautogui.click()"
    yield f"{word}.click()"
    yield "time.sleep(0.5)\nwait_for_window('Save As')"


def _calls(widget: Widget | None, rng: Random) -> Iterator[str]:
    x, y = widget.centre if widget else (rng.randint(40, 900), rng.randint(40, 700))
    yield f"pyautogui.clickOn({x}, {y})"
    yield f"pyautogui.double_click({x}, {y})"
    yield f"pyautogui.right_click(x={x}, y={y})"
    yield "pyautogui.type('draft')"
    yield f"pyautogui.click({x}, {y}, clicks='two', button=)"
    yield f"pyautogui.scrollDown({rng.randint(2, 8)})"
    yield "pyautogui.send_keys('ctrl', 's')"
    yield f"pyautogui.click({x}, {y}, button={rng.choice(('double', 'wheel', 'LeftButton'))!r})"
    yield f"pyautogui.press({rng.choice(('entr', 'page_down', 'return_key', 'ctrl+s', 'F25'))!r})"
    yield f"pyautogui.hotkey({rng.choice(('ctrl+s', 'Ctrl-A', 'alt-tab'))!r})"
    yield f"pyautogui.click({x + 1400}, {y})"
    yield f"pyautogui.click({(widget.name if widget else 'Save')!r})"
    yield "import pywinauto\n\npywinauto.Desktop().windows()"


def _syntax(widget: Widget | None, rng: Random) -> Iterator[str]:
    x, y = widget.centre if widget else (rng.randint(40, 900), rng.randint(40, 700))
    yield f"pyautogui.click({x}, {y}"
    yield "pyautogui.write('It's done')"
    yield f"click on the {widget.name if widget else 'menu'}"
    yield f"if True:\npyautogui.click({x}, {y})"


def _files(rng: Random) -> Iterator[str]:
    name = rng.choice(("report.txt", "Documents/final.txt", "notes-old.md", "data/stock.csv"))
    yield f"print(open('/home/user/{name}').read())"
    yield f"import os\n\nos.remove('/home/user/{name}')"
    yield f"import subprocess\n\nsubprocess.run(['{rng.choice(('gedit', 'nautilus', 'notepad', 'code'))}', '{name}'])"


def _identifier(name: str) -> str:
    words = "".join(letter if letter.isascii() and letter.isalnum() else " " for letter in name.lower()).split()
    text = "_".join(words[:2])
    return f"{text}_button" if text and text[0].isalpha() else ""
