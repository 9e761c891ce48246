"""The wait decides what is seen, never what happens."""

from __future__ import annotations

from tests.collectors.terminal._play import play
from worldtape.schemas import SettledBy, Status

COMMAND = "sleep 0.4; echo first; sleep 0.8; echo second > done; echo second\n"


def test_the_wait_decides() -> None:
    shown = []
    for wait in (0.1, 0.8, 2.0):
        done = play([{"keystrokes": COMMAND, "duration": wait}], [""], "cat done")
        first = done.results[0]
        assert first.observation.settled_by is SettledBy.DURATION
        assert first.timing.duration_ms is not None
        assert first.timing.duration_ms >= wait * 1000
        shown.append(first.observation.text.split("\n")[1:])
        assert done.lines[-2] == "second"
    assert shown[0] == []
    assert shown[1] == ["first"]
    assert shown[2][:2] == ["first", "second"]


def test_what_comes_later_belongs_to_the_next_turn() -> None:
    done = play([{"keystrokes": "sleep 0.3; echo later\n", "duration": 0.1}], [""])
    early, late = (result.observation for result in done.results)
    assert "later" not in early.text.split("\n")[1:]
    assert "\nlater\n" in late.text
    assert early.received["pty"] < late.received["pty"]
    assert [result.outcome.status for result in done.results] == [Status.TIMEOUT_STILL_RUNNING, Status.OK]
    assert [result.outcome.exit_codes for result in done.results] == [(), (0,)]


def test_mode_duration_waits_a_default() -> None:
    done = play("sleep 0.6; echo x", [{"keystrokes": "", "duration": 0.8}], wait="duration", default_duration=0.1)
    assert done.results[0].outcome.status is Status.TIMEOUT_STILL_RUNNING
    assert done.results[0].observation.settled_by is SettledBy.DURATION
    assert "\nx\n" in done.text


def test_the_deadline_keeps_what_came() -> None:
    done = play("echo came; sleep 30", timeout_s=0.3)
    assert done.last.outcome.status is Status.TIMEOUT_STILL_RUNNING
    assert done.last.observation.settled_by is SettledBy.DEADLINE
    assert done.lines[-1] == "came"


def test_an_action_brings_its_own_deadline() -> None:
    from worldtape.collectors.terminal import keystrokes

    action = keystrokes(["sleep 30\n"])
    assert action is not None
    done = play(action.model_copy(update={"timeout_s": 0.2}), ["C-c"])
    assert done.results[0].outcome.status is Status.TIMEOUT_STILL_RUNNING
    assert done.last.outcome.exit_code == 130
