"""The recorder drives an environment and owns a tape."""

from __future__ import annotations

import asyncio
import hashlib
from typing import Any

import pytest

from worldtape.collectors.recorder import Recorder, make_header
from worldtape.errors import ComponentError, InputError
from worldtape.schemas import (
    Action,
    Domain,
    End,
    EndStatus,
    History,
    Observation,
    Outcome,
    PolicySpec,
    Sink,
    Status,
    StepResult,
    Task,
    Timing,
)
from worldtape.testing import FakeEnvironment, ListTape

ANSWERS = {"hello": "world", "boom": RuntimeError("it broke")}


class Says:
    """A policy that says given words, then stops or raises."""

    spec = PolicySpec(kind="script")

    def __init__(self, *words: str, fails: BaseException | None = None) -> None:
        self.words = list(words)
        self.fails = fails

    async def next(self, history: History) -> Action | None:
        history.think(seen=history.screen)
        if self.words:
            return Action(kind="message", text=self.words.pop(0))
        if self.fails is not None:
            raise self.fails
        return None


def record(
    body: Any, environment: FakeEnvironment | None = None, **settings: Any
) -> tuple[ListTape, FakeEnvironment, Any]:
    """Run `body(recorder)` and return the tape, the environment and what came out or was raised."""
    environment = environment or FakeEnvironment(ANSWERS)
    tape = ListTape()

    async def run() -> Any:
        async with Recorder(environment, tape, **settings) as recorder:
            return await body(recorder)

    try:
        outcome: Any = asyncio.run(run())
    except BaseException as error:  # noqa: BLE001 - the outcome is what the test looks at
        outcome = error
    return tape, environment, outcome


def test_the_order_of_events() -> None:
    async def body(recorder: Recorder) -> Observation:
        recorder.history.think(plan="say hello")
        return await recorder.step("hello")

    tape, environment, observation = record(body)
    assert tape.kinds() == ["data", "ready", "captured", "thought", "action", "data", "captured", "result", "end"]
    assert [event.step for event in tape.events] == [None, None, None, 0, 0, None, 0, 0, None]
    assert tape.syncs == [5]
    captured = tape.events[6].data
    assert captured["sha256"] == hashlib.sha256(b"world").hexdigest()
    assert captured["received"] == {"text": len(b"readyworld")}
    assert "text" not in captured
    assert "observation" not in tape.events[7].data
    assert observation.text == "world"
    assert (environment.entered, environment.left) == (1, 1)
    assert tape.sealed == End(status=EndStatus.COMPLETED, steps=1)


def test_a_start_that_fails_is_a_tape_too() -> None:
    environment = FakeEnvironment(fail_start=ComponentError("no daemon", fix="start it"))
    tape, environment, error = record(None, environment)
    assert isinstance(error, ComponentError)
    assert tape.kinds() == ["end"]
    assert tape.sealed is not None
    assert tape.sealed.status is EndStatus.FAILED
    assert "no daemon" in (tape.sealed.reason or "")
    assert (environment.entered, environment.left) == (0, 0)


def test_a_policy_runs_until_it_is_done() -> None:
    tape, _, end = record(lambda recorder: recorder.run(Says("hello", "what")))
    assert end.status is EndStatus.COMPLETED
    assert tape.sealed == end
    assert end.steps == 2
    thoughts = [event for event in tape.events if event.kind == "thought"]
    assert [event.data["seen"] for event in thoughts] == ["ready", "world", "what: not found"]
    assert [event.step for event in thoughts] == [0, 1, 2]
    results = [event.data["outcome"]["status"] for event in tape.events if event.kind == "result"]
    assert results == ["ok", "tool_error"]


@pytest.mark.parametrize("limit", [{"max_steps": 2}, {"max_seconds": 0}])
def test_limits(limit: dict[str, Any]) -> None:
    tape, _, end = record(lambda recorder: recorder.run(Says(*["hello"] * 9), **limit))
    assert end.status is EndStatus.LIMIT
    assert tape.sealed == end
    assert end.steps == limit.get("max_steps", 0)


class Slow(Says):
    """Thinks for ever once its words are said."""

    async def next(self, history: History) -> Action | None:
        if not self.words:
            await asyncio.Event().wait()
        return await super().next(history)


class Stuck(FakeEnvironment):
    """Never answers."""

    async def step(self, action: Action, sink: Sink) -> StepResult:
        await asyncio.Event().wait()
        raise AssertionError


def test_a_time_limit_holds_for_a_policy_that_thinks() -> None:
    tape, environment, end = record(lambda recorder: recorder.run(Slow("hello"), max_seconds=0.2))
    assert (end.status, end.steps) == (EndStatus.LIMIT, 1)
    assert "thinking" in end.reason
    assert (tape.sealed, environment.left) == (end, 1)


def test_a_time_limit_holds_for_an_action_that_runs() -> None:
    tape, environment, end = record(lambda recorder: recorder.run(Says("hello"), max_seconds=0.2), Stuck())
    assert (end.status, end.steps) == (EndStatus.LIMIT, 0)
    assert "cut short" in end.reason
    assert tape.kinds()[-2:] == ["action", "end"]
    assert (tape.sealed, environment.left) == (end, 1)


def test_a_policys_own_timeout_is_no_limit() -> None:
    _, _, error = record(lambda recorder: recorder.run(Says(fails=TimeoutError("mine")), max_seconds=60))
    assert isinstance(error, ComponentError)
    assert "mine" in str(error)


def test_a_policy_that_fails() -> None:
    tape, environment, error = record(lambda recorder: recorder.run(Says("hello", fails=KeyError("lost"))))
    assert isinstance(error, ComponentError)
    assert "the policy failed: KeyError: 'lost'" in str(error)
    assert tape.sealed is not None
    assert tape.sealed.status is EndStatus.FAILED
    assert tape.sealed.steps == 1
    assert environment.left == 1


def test_an_error_of_ours_in_a_policy_stays_what_it_is() -> None:
    wrong = InputError("no such model")
    tape, _, error = record(lambda recorder: recorder.run(Says(fails=wrong)))
    assert error is wrong
    assert tape.sealed is not None
    assert tape.sealed.status is EndStatus.FAILED


@pytest.mark.parametrize("stop", [KeyboardInterrupt(), asyncio.CancelledError()])
def test_being_stopped_leaves_an_interrupted_tape(stop: BaseException) -> None:
    tape, environment, error = record(lambda recorder: recorder.run(Says("hello", fails=stop)))
    assert isinstance(error, type(stop))
    assert tape.sealed is None
    assert tape.closed
    assert environment.left == 1


def test_cancelling_the_task() -> None:
    environment, tape = FakeEnvironment(ANSWERS), ListTape()

    async def main() -> None:
        async def work() -> None:
            async with Recorder(environment, tape) as recorder:
                await recorder.step("hello")
                started.set()
                await asyncio.Event().wait()

        started = asyncio.Event()
        task = asyncio.create_task(work())
        await started.wait()
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task

    asyncio.run(main())
    assert tape.sealed is None
    assert tape.closed
    assert environment.left == 1


def test_an_environment_that_raises_is_a_bug_and_seals_the_tape() -> None:
    tape, environment, error = record(lambda recorder: recorder.step("boom"))
    assert isinstance(error, RuntimeError)
    assert tape.sealed is not None
    assert tape.sealed.status is EndStatus.FAILED
    assert environment.left == 1


def test_the_end_of_the_environment_ends_the_recording() -> None:
    async def body(recorder: Recorder) -> Exception:
        await recorder.step("hello")
        with pytest.raises(InputError, match="has ended") as caught:
            await recorder.step("hello")
        return caught.value

    tape, _, _ = record(body, FakeEnvironment(ANSWERS, ends_after=1))
    assert tape.sealed is not None
    assert tape.sealed.status is EndStatus.ENV_ENDED


def test_our_own_failure_ends_as_failed() -> None:
    async def body(recorder: Recorder) -> End | None:
        broken = StepResult(
            observation=recorder.history.ready.observation,
            outcome=Outcome(status=Status.INFRA_ERROR),
            timing=Timing(),
            done=True,
        )
        recorder.environment = FakeEnvironment({"x": broken})
        await recorder.step("x")
        return recorder.end

    tape, _, end = record(body)
    assert end.status is EndStatus.FAILED
    assert tape.sealed == end


def test_the_empty_action_ends() -> None:
    async def body(recorder: Recorder) -> Observation:
        assert (await recorder.step("")).text == "ready"
        assert recorder.end is not None
        return recorder.history.ready.observation

    tape, environment, _ = record(body)
    assert environment.actions == []
    assert tape.sealed == End(status=EndStatus.COMPLETED)


def test_reward_and_task() -> None:
    async def body(recorder: Recorder) -> Task | None:
        recorder.reward = 1.0
        await recorder.run(Says("hello"))
        return recorder.history.task

    task = Task(id="a/b", instruction="Say hello.")
    tape, _, seen = record(body, task=task)
    assert seen == task
    assert tape.sealed is not None
    assert tape.sealed.reward == 1.0


def test_it_must_be_started() -> None:
    recorder = Recorder(FakeEnvironment(), ListTape())
    with pytest.raises(ComponentError, match="not started"):
        _ = recorder.history

    async def body(running: Recorder) -> None:
        with pytest.raises(InputError, match="no step"):
            _ = running.last

    record(body)


def test_headers() -> None:
    header = make_header(FakeEnvironment(), extra={"job": "j"})
    assert header.domain is Domain.TERMINAL
    assert header.policy.kind == "push"
    assert header.recorder["name"] == "worldtape"
    assert set(header.recorder) == {"name", "version", "python", "platform"}
    assert header.extra == {"job": "j"}
