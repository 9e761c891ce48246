"""One text editor, acted upon by code: what is seen, known and kept of it."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from tests.collectors.desktop._held import Held, held_desktop
from worldtape.collectors.desktop.image import IMAGE
from worldtape.collectors.desktop.widgets import Widget, widgets
from worldtape.collectors.renderers import make_renderer
from worldtape.schemas import Action, SettledBy, Status

pytestmark = pytest.mark.desktop
CLEAR = "pyautogui.hotkey('ctrl', 'a')\npyautogui.press('delete')\n"


@pytest.fixture(scope="module")
def held(desktop_image: str) -> Iterator[Held]:
    """Return a text editor with a file."""
    with held_desktop(programs=("mousepad notes.txt",), files={"notes.txt": "one\n", "more/two.txt": "2"}) as found:
        assert found.desktop.spec.kind == "os"
        yield found


def text(held: Held) -> str:
    """What stands in the editor."""
    return next(one.text or "" for one in widgets(held.desktop.tree) if one.role == "text")


def widget(held: Held, role: str, name: str) -> Widget:
    return next(one for one in widgets(held.desktop.tree) if (one.role, one.name.strip()) == (role, name))


def test_what_was_found_stands_in_ready(held: Held) -> None:
    ready = held.recorder.history.ready
    assert ready.environment.image == IMAGE.name
    assert ready.environment.image_digest is not None
    assert {"mousepad", "xvfb", "openbox", "python", "docker"} <= ready.environment.versions.keys()
    assert "mousepad notes.txt" in (ready.initial_state.text or "")
    assert "notes.txt" in ready.observation.text
    probes = ready.initial_state.probes or {}
    assert probes["changed"] is None
    assert probes["active_window"] == "~/notes.txt - Mousepad"
    assert probes["files"]["count"] == 3


def test_typing_shows_in_the_tree_of_the_same_step(held: Held) -> None:
    result = held.run(CLEAR + "pyautogui.write('Grüße, 你好\\n\\tenter')")
    assert result.outcome.status is Status.OK
    assert result.observation.settled_by is SettledBy.EVENT
    assert held.state["changed"] is True
    assert text(held) == "Grüße, 你好\n\tenter"
    assert held.state["active_window"] == "*~/notes.txt - Mousepad"


def test_nothing_done_is_nothing_changed(held: Held) -> None:
    result = held.run("time.sleep(0)")
    assert result.outcome.status is Status.OK
    assert result.observation.settled_by is SettledBy.REST
    assert held.state["changed"] is False


def test_a_menu_opens_by_a_click_and_closes_by_a_key(held: Held) -> None:
    x, y = widget(held, "menu", "File").centre
    held.run(f"pyautogui.click({x}, {y})")
    action = held.recorder.history.turns[-1][0]
    assert action.target is not None
    assert (action.target.role, action.target.name) == ("menu", "File")
    assert any(one.role == "menu item" for one in widgets(held.desktop.tree))
    assert held.state["pointer"] == [x, y]
    held.run("pyautogui.press('esc')")
    assert not any(one.role == "menu item" for one in widgets(held.desktop.tree))


def test_saving_is_in_the_state_and_in_the_facts(held: Held) -> None:
    held.run(CLEAR + "pyautogui.write('saved')\npyautogui.hotkey('ctrl', 's')")
    assert held.state["files"]["modified"] == ["notes.txt"]
    assert held.state["active_window"] == "~/notes.txt - Mousepad"
    facts = held.facts()
    assert facts["files"] == {"more/": None, "more/two.txt": "2", "notes.txt": "saved"}
    assert facts["windows"] == ["~/notes.txt - Mousepad"]
    assert "saved" in facts["texts"]


def test_the_clipboard_is_state(held: Held) -> None:
    before = held.state["clipboard"]
    held.run(CLEAR + "pyautogui.write('copied')\npyautogui.hotkey('ctrl', 'a')\npyautogui.hotkey('ctrl', 'c')")
    assert held.state["clipboard"] not in {None, before}
    assert held.facts()["clipboard"] == "copied"


def test_what_code_prints_and_raises_is_seen(held: Held) -> None:
    result = held.run("print('so far')\n1 / 0")
    assert result.outcome.status is Status.TOOL_ERROR
    assert result.outcome.error is not None
    assert (result.outcome.error.type, result.outcome.error.message) == ("ZeroDivisionError", "division by zero")
    assert "so far" in result.observation.text
    assert 'File "<action>", line 2' in result.observation.text
    assert "/opt" not in result.observation.text


@pytest.mark.parametrize(
    ("code", "kind"),
    [
        ("pyautogui.click(", "SyntaxError"),
        ("pyautogui.click(5000, 10)", "PyAutoGUIException"),
        ("pyautogui.press('ctrl+s')", "PyAutoGUIException"),
        ("pyautogui.click(10, 10, button='fourth')", "PyAutoGUIException"),
        ("pyautogui.click('save.png')", "PyAutoGUIException"),
        ("pyautogui.doubleclick(1, 1)", "AttributeError"),
        ("raise SystemExit(3)", "SystemExit"),
    ],
)
def test_wrong_code_ends_with_an_error_of_its_own(held: Held, code: str, kind: str) -> None:
    outcome = held.run(code).outcome
    assert outcome.status is Status.TOOL_ERROR
    assert outcome.exit_code == 1
    assert outcome.error is not None
    assert outcome.error.type == kind


def test_code_that_runs_too_long_is_killed(held: Held) -> None:
    result = held.run("pyautogui.sleep(60)", timeout_s=0.5)
    assert result.outcome.status is Status.TIMEOUT_KILLED
    assert result.timing.duration_ms is not None
    assert result.timing.duration_ms < 60_000


def test_code_that_ends_itself_has_its_signal(held: Held) -> None:
    outcome = held.run("import os\nos.kill(os.getpid(), 9)").outcome
    assert outcome.status is Status.TOOL_ERROR
    assert outcome.signal == 9


def test_every_call_of_pyautogui_works(held: Held) -> None:
    held.run(CLEAR + "pyautogui.write(['a', 'b', 'enter', 'c'])\npyautogui.hotkey('ctrl', 'a')")
    code = """
assert pyautogui.size() == (1280, 800)
pyautogui.moveTo(400, 300)
assert pyautogui.position() == (400, 300)
pyautogui.moveRel(10, -10)
assert pyautogui.position() == (410, 290)
pyautogui.moveTo((420, 310), duration=0.1)
assert pyautogui.onScreen(0, 0) and not pyautogui.onScreen(1280, 0)
pyautogui.tripleClick(500, 205)
pyautogui.scroll(-2)
pyautogui.scroll(2, 500, 300)
pyautogui.hscroll(1)
pyautogui.mouseDown(button='left')
pyautogui.mouseUp()
pyautogui.moveTo(330, 205)
pyautogui.dragTo(500, 240, duration=0.1)
pyautogui.dragRel(-10, 0)
pyautogui.middleClick(600, 500)
pyautogui.keyDown('shift')
pyautogui.keyUp('shift')
with pyautogui.hold('ctrl'):
    pyautogui.press('end')
pyautogui.press(['d', 'e'], presses=2)
pyautogui.typewrite('!')
"""
    result = held.run(code)
    assert result.outcome.status is Status.OK, result.outcome.error
    assert text(held).endswith("dede!")


def test_a_program_that_is_started_is_waited_for(held: Held) -> None:
    held.run("import subprocess\nsubprocess.Popen(['galculator'])")
    assert "galculator" in held.state["windows"]
    assert any(one.application == "galculator" for one in widgets(held.desktop.tree))
    held.run("pyautogui.hotkey('alt', 'f4')")
    assert [one["program"] for one in held.state["ended"]] == ["galculator"]
    assert held.state["ended"][0]["code"] == 0


def test_unsaved_changes_are_asked_about(held: Held) -> None:
    held.run("pyautogui.write('x')\npyautogui.hotkey('ctrl', 'w')")
    assert "Save Changes" in held.state["windows"]
    assert "Save Changes" in held.recorder.last.observation.text
    held.run("pyautogui.press('esc')")
    assert "Save Changes" not in held.state["windows"]


def test_an_action_of_another_kind_is_rejected(held: Held) -> None:
    step = held.recorder.step(Action(kind="keystrokes", text="ls\n"))
    held.runner.run(step)
    assert held.recorder.last.outcome.status is Status.REJECTED


def test_the_picture_is_the_screen(held: Held) -> None:
    part = next(one for one in held.recorder.history.ready.observation.parts if one.channel == "screenshot")
    event = next(one for one in held.tape.events if one.kind == "data" and one.data["channel"] == "screenshot")
    assert event.payload is not None
    assert part.bytes == len(event.payload)
    assert event.payload[:8] == b"\x89PNG\r\n\x1a\n"
    assert int.from_bytes(event.payload[16:20]) == 1280
    assert int.from_bytes(event.payload[20:24]) == 800


def test_the_tape_gives_every_observation_again(held: Held) -> None:
    given = b"".join(
        event.payload or b"" for event in held.tape.events if event.kind == "data" and event.data["channel"] == "tree"
    )
    seen = [held.recorder.history.ready.observation, *(result.observation for _, result in held.recorder.history.turns)]
    for observation in seen:
        renderer = make_renderer(observation.renderer)
        renderer.feed("tree", given[: observation.received["tree"]])
        assert renderer.render() == observation.text
