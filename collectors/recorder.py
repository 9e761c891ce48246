"""Drives an environment and writes what happens on a tape."""

from __future__ import annotations

import asyncio
import hashlib
import platform
import time
from collections.abc import Iterator
from contextlib import contextmanager
from types import TracebackType
from typing import Any, Self

from worldtape.errors import ComponentError, InputError, WorldtapeError
from worldtape.schemas import (
    Action,
    Domain,
    End,
    EndStatus,
    Environment,
    EventKind,
    Header,
    History,
    Lineage,
    Observation,
    Policy,
    PolicySpec,
    Status,
    StepResult,
    Tape,
    Task,
    new_id,
)

PUSH = PolicySpec(kind="push")
"""The policy of somebody's own agent loop."""
UNSTARTED = "the start failed: "
"""How the reason of a recording begins whose environment never started; the error's class comes next."""
_SLOW_SYNC_S = 0.001
_GRACE_S = 10.0
"""So much longer an environment that knows when to stop may take to observe."""


def make_header(
    environment: Environment,
    policy: PolicySpec = PUSH,
    *,
    task: Task | None = None,
    lineage: Lineage | None = None,
    extra: dict[str, Any] | None = None,
) -> Header:
    """Return the header of a new recording of `environment`, with a new id and our own versions.

    Raises:
        InputError: `environment` has no `domain`, and its kind is no domain either.
    """
    from worldtape import __version__

    return Header(
        trajectory_id=new_id(),
        domain=_domain(environment),
        environment=environment.spec,
        task=task,
        policy=policy,
        lineage=lineage or Lineage(),
        recorder={
            "name": "worldtape",
            "version": __version__,
            "python": platform.python_version(),
            "platform": platform.platform(),
        },
        extra=extra or {},
    )


def _domain(environment: Environment) -> Domain:
    name = getattr(environment, "domain", environment.spec.kind)
    try:
        return Domain(name)
    except ValueError:
        fix = f"give the environment an attribute `domain`, one of {', '.join(sorted(Domain))}"
        raise InputError(f"{name!r} is no domain", where=type(environment).__name__, fix=fix) from None


class Recorder:
    """Runs one environment and owns one tape; an async context manager that seals it, whatever happens.

    Entering starts the environment and records what was found. Each `step` writes the action, makes it durable, carries
    it out, and writes what was observed.

    Args:
        environment: not started yet.
        tape: its header is written already.
        task: what is to be done, shown to policies.

    Attributes:
        history: the trajectory so far, as a policy sees it.
        end: how it ended; None while it runs.
    """

    def __init__(self, environment: Environment, tape: Tape, *, task: Task | None = None) -> None:
        self.environment = environment
        self.tape = tape
        self.task = task
        self.end: End | None = None
        self.reward: float | None = None
        self._history: History | None = None
        self._open = False
        self._sync_s = 0.0

    async def __aenter__(self) -> Self:
        try:
            await self.environment.__aenter__()
            self._open = True
            ready = await self.environment.reset(self.tape)
            self.tape.append(EventKind.READY, ready.model_dump(mode="json", exclude={"observation"}))
            self._captured(ready.observation, None)
        except BaseException as error:
            await self._fail_start(error)
            raise
        self._history = History(ready, self.task, self._think, lambda: getattr(self.environment, "tree", None))
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        try:
            if error is None:
                self._seal(self.end or self._ended(EndStatus.COMPLETED))
            elif isinstance(error, Exception):
                self._seal(self.end or self._ended(EndStatus.FAILED, _one_line(error)))
        finally:
            self.tape.close()
            await self._leave(kind, error, trace)

    @property
    def history(self) -> History:
        """The trajectory so far."""
        if self._history is None:
            raise ComponentError("the recorder was not started", fix="use it with `async with`")
        return self._history

    @property
    def last(self) -> StepResult:
        """The result of the newest step.

        Raises:
            InputError: there was no step yet.
        """
        if not self.history.turns:
            raise InputError("there was no step yet")
        return self.history.turns[-1][1]

    async def step(self, action: Action | str | Any) -> Observation:
        """Carry out one action and record it.

        Args:
            action: an `Action`, or what the environment's `parse` reads: for a terminal the recipe's array, as
                text or as a list. The empty array ends the recording and gives the newest observation again.

        Raises:
            InputError: the recording has ended, or `action` is nothing that this environment reads.
        """
        history = self.history
        if self.end is not None:
            raise InputError(f"the recording has ended: {self.end.reason or self.end.status}")
        wanted = self._parse(action)
        if wanted is None:
            self.end = self._ended(EndStatus.COMPLETED)
            return history.turns[-1][1].observation if history.turns else history.ready.observation
        step = len(history.turns)
        self.tape.append(EventKind.ACTION, wanted.to_dict(), step=step)
        await self._sync()
        result = await self.environment.step(wanted, self.tape)
        self._captured(result.observation, step)
        self.tape.append(EventKind.RESULT, result.model_dump(mode="json", exclude={"observation"}), step=step)
        history.turns.append((wanted, result))
        if result.done:
            broken = result.outcome.status is Status.INFRA_ERROR
            self.end = self._ended(EndStatus.FAILED if broken else EndStatus.ENV_ENDED, _why(result))
        return result.observation

    async def run(self, policy: Policy, *, max_steps: int = 50, max_seconds: float | None = None) -> End:
        """Let `policy` act until it is done, the environment ends, or a limit is reached.

        `max_seconds` holds for what runs too: an action is observed as it is then, or has no result where the
        environment does not know `until`; a policy that still thinks is not waited for.

        Raises:
            ComponentError: the policy failed; the tape ends as failed.
        """
        until = None if max_seconds is None else time.monotonic() + max_seconds
        limited: Any = self.environment if hasattr(self.environment, "until") else None
        if limited is not None:
            limited.until = until
        while self.end is None:
            if len(self.history.turns) >= max_steps:
                self.end = self._ended(EndStatus.LIMIT, f"{max_steps} steps")
            elif until is not None and time.monotonic() >= until:
                self.end = self._ended(EndStatus.LIMIT, f"{max_seconds:g} s")
            else:
                await self._turn(policy, until, grace=0.0 if limited is None else _GRACE_S)
        return self.end

    async def _turn(self, policy: Policy, until: float | None, *, grace: float) -> None:
        with self._in_time(until, "the policy was still thinking") as time_left:
            async with time_left:
                action = await self._next(policy)
        if self.end is not None:
            return
        if action is None:
            self.end = self._ended(EndStatus.COMPLETED)
            return
        with self._in_time(None if until is None else until + grace, "an action was cut short") as time_left:
            async with time_left:
                await self.step(action)

    @contextmanager
    def _in_time(self, until: float | None, what: str) -> Iterator[asyncio.Timeout]:
        """Give a scope that ends at `until` (monotonic s); where it was needed, the recording has reached its limit."""
        scope = asyncio.timeout(None if until is None else until - time.monotonic())
        try:
            yield scope
        except TimeoutError:
            if not scope.expired():
                raise
            self.end = self._ended(EndStatus.LIMIT, f"out of time: {what}")

    async def _next(self, policy: Policy) -> Action | None:
        try:
            return await policy.next(self.history)
        except (asyncio.CancelledError, KeyboardInterrupt, SystemExit):
            raise
        except Exception as error:
            self.end = self._ended(EndStatus.FAILED, f"the policy failed: {_one_line(error)}")
            if isinstance(error, WorldtapeError):
                raise
            raise ComponentError(f"the policy failed: {_one_line(error)}", where=policy.spec.kind) from error

    def _parse(self, action: Any) -> Action | None:
        if isinstance(action, Action):
            return action
        parse = getattr(self.environment, "parse", None)
        if parse is None:
            raise InputError(f"{action!r:.60} is no Action", fix="this environment reads nothing else")
        wanted: Action | None = parse(action)
        return wanted

    async def _sync(self) -> None:
        """Make the action durable; a disk that is slow now is waited for aside, so that other sessions go on."""
        began = time.perf_counter()
        if self._sync_s > _SLOW_SYNC_S:
            await asyncio.to_thread(self.tape.sync)
        else:
            self.tape.sync()
        self._sync_s = time.perf_counter() - began

    def _captured(self, observation: Observation, step: int | None) -> None:
        data = observation.model_dump(mode="json", exclude={"text"})
        data["sha256"] = hashlib.sha256(observation.text.encode()).hexdigest()
        self.tape.append(EventKind.CAPTURED, data, step=step)

    def _think(self, thought: dict[str, Any]) -> None:
        self.tape.append(EventKind.THOUGHT, thought, step=len(self.history.turns))

    def _ended(self, status: EndStatus, reason: str | None = None) -> End:
        steps = 0 if self._history is None else len(self._history.turns)
        return End(status=status, reason=reason, reward=self.reward, steps=steps)

    def _seal(self, end: End) -> None:
        self.end = end if self.reward is None else end.model_copy(update={"reward": self.reward})
        self.tape.seal(self.end)

    async def _fail_start(self, error: BaseException) -> None:
        try:
            if isinstance(error, Exception):
                self._seal(self._ended(EndStatus.FAILED, f"{UNSTARTED}{_one_line(error)}"))
        finally:
            self.tape.close()
            await self._leave(type(error), error, error.__traceback__)

    async def _leave(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self._open:
            self._open = False
            await self.environment.__aexit__(kind, error, trace)


def _why(result: StepResult) -> str | None:
    error = result.outcome.error
    return "the environment ended" if error is None else error.message


def _one_line(error: BaseException) -> str:
    return " ".join(f"{type(error).__name__}: {error}".split()) if str(error) else type(error).__name__


__all__ = ["PUSH", "UNSTARTED", "Recorder", "make_header"]
