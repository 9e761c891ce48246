"""The validator finds what breaks a promise of the format."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from tests.storage._tapes import DONE, TickingClock, header, record_steps
from worldtape.storage import TapeWriter, validate

OK = {"outcome": {"status": "ok"}}


def captured(tape: TapeWriter, step: int | None, **received: int) -> None:
    tape.append("captured", {"received": received}, step=step)


def second_result(tape: TapeWriter) -> None:
    tape.append("result", OK, step=0)


def result_without_observation(tape: TapeWriter) -> None:
    tape.append("action", {}, step=1)
    tape.append("result", OK, step=1)


def skipped_step(tape: TapeWriter) -> None:
    tape.append("action", {}, step=2)


def captured_twice(tape: TapeWriter) -> None:
    tape.append("action", {}, step=1)
    captured(tape, 1, pty=10)
    captured(tape, 1, pty=10)


def more_than_was_received(tape: TapeWriter) -> None:
    captured(tape, None, pty=10_000)


def fewer_than_before(tape: TapeWriter) -> None:
    captured(tape, None, pty=1)


def another_header(tape: TapeWriter) -> None:
    tape.append("header", header().to_dict())


def an_event_after_the_end(tape: TapeWriter) -> None:
    tape.append("end", DONE.to_dict())


def two_open_actions(tape: TapeWriter) -> None:
    tape.append("action", {}, step=1)
    tape.append("action", {}, step=2)


@pytest.mark.parametrize(
    ("wrong", "problem"),
    [
        (second_result, "answers no open action"),
        (result_without_observation, "has no observation"),
        (skipped_step, "has step 2, not 1"),
        (captured_twice, "or is its second"),
        (more_than_was_received, "counts 10000 bytes of pty"),
        (fewer_than_before, "counts fewer bytes of pty"),
        (another_header, "stands in the middle"),
        (an_event_after_the_end, "stands after the end"),
        (two_open_actions, "the actions [1, 2] have no result"),
    ],
)
def test_a_broken_promise_is_found(tmp_path: Path, wrong: Callable[[TapeWriter], None], problem: str) -> None:
    clock = TickingClock()
    with TapeWriter.create(tmp_path, header(), clock=clock) as tape:
        record_steps(tape, 1, clock)
        assert validate(tape.path).problems == []
        wrong(tape)
        tape.seal(DONE)
    (found,) = validate(tape.path).problems
    assert problem in found
    assert str(tape.path) in found
