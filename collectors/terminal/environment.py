"""A real terminal that answers keystrokes with its screen."""

from __future__ import annotations

import time
from collections.abc import Coroutine, Sequence
from pathlib import PurePath
from types import TracebackType
from typing import Any, Self

from worldtape.collectors.terminal._inside import Inside
from worldtape.collectors.terminal._session import Session
from worldtape.collectors.terminal.actions import Stroke, as_json, keystrokes, size_of, strokes_of
from worldtape.collectors.terminal.config import TerminalConfig
from worldtape.collectors.terminal.initial_state import Machine, look_around
from worldtape.collectors.terminal.keys import key_bytes
from worldtape.collectors.terminal.marks import new_nonce, prompt_command
from worldtape.collectors.terminal.outcomes import Facts, outcome
from worldtape.collectors.terminal.probes import disk, probe
from worldtape.collectors.terminal.sandbox import Ran, Sandbox, make_sandbox
from worldtape.errors import ComponentError, InputError, WorldtapeError
from worldtape.schemas import (
    Action,
    EnvironmentSpec,
    InitialState,
    Lossiness,
    Observation,
    Ready,
    SettledBy,
    Sink,
    StepResult,
    Timing,
)

_TYPE_S = 1.0
_ANSWER_S = 10.0


class Terminal:
    """An `Environment` of the domain `terminal`; see `TerminalConfig` for its settings.

    Actions of kind `keystrokes` hold the recipe's array (`keystrokes()` makes them), those of kind `resize` a size.
    An observation is the visible screen at the moment the wait ended.

    Attributes:
        until: no wait is longer than to this moment (monotonic s), and nothing is typed after it; None: no such moment.
    """

    domain = "terminal"

    def __init__(self, config: TerminalConfig | None = None) -> None:
        self.config = config or TerminalConfig()
        self.spec: EnvironmentSpec = self.config.spec()
        self._nonce = new_nonce()
        self._sandbox: Sandbox | None = None
        self._session: Session | None = None
        self._machine = Machine()
        self.until: float | None = None
        self._ended = False
        self._early: list[tuple[str, bytes, int]] = []

    async def __aenter__(self) -> Self:
        shell = self.config.shell
        marks = shell is None or PurePath(shell[0]).name == "bash"
        try:
            await self._open(marks=marks)
            if marks and shell is None and self.config.sandbox == "docker" and not await self._is_bash():
                await self._close()
                await self._open(marks=False)
            await self._set_up()
        except BaseException:
            await self.__aexit__(None, None, None)
            raise
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        await self._close()

    async def _open(self, *, marks: bool) -> None:
        env = {"PROMPT_COMMAND": prompt_command(self._nonce)} if marks else {}
        size = (self.config.cols, self.config.rows)
        self._early.clear()
        self._sandbox = make_sandbox(self.config.sandbox_config(self.config.secrets() | env))
        await self._sandbox.start(cols=size[0], rows=size[1])
        self._session = Session(self._sandbox.fd, self._sandbox.shell_pid, size, self._nonce)
        if not self._session.seen:
            self._session.inside = Inside(self._sandbox)

    async def _close(self) -> None:
        session, self._session = self._session, None
        if session is not None:
            session.close()
        sandbox, self._sandbox = self._sandbox, None
        if sandbox is not None:
            await sandbox.close()

    async def _is_bash(self) -> bool:
        """Wait for the first prompt of an image nobody knows: another shell would show our variable to its programs."""
        session, _ = self._started
        session.pump.attach(lambda channel, data, mono_ns: self._early.append((channel, data, mono_ns)))
        await session.settle(time.monotonic() + self.config.timeout_s)
        return session.last.command == "bash" or not session.seen

    async def reset(self, sink: Sink) -> Ready:
        """Wait for the first prompt and say what was found.

        Raises:
            ComponentError: the shell ended before its first prompt.
        """
        session, sandbox = self._started
        for channel, data, mono_ns in self._early:
            sink(channel, data, mono_ns)
        session.pump.attach(sink)
        settled = await session.settle(time.monotonic() + self.config.timeout_s)
        if settled is None:
            raise ComponentError("the shell ended before its first prompt", where=self.spec.backend)
        if not session.seen and session.inside is None:
            session.inside = Inside(sandbox)
        self._machine = await look_around(sandbox, self.config.workdir)
        session.started()
        state = probe(session, self._machine.users)
        found = self.spec.model_copy(
            update={
                "image_digest": sandbox.spec.image_digest,
                "versions": sandbox.spec.versions | self._machine.tools,
                "parameters": self.spec.parameters | sandbox.spec.parameters,
            }
        )
        initial = InitialState(text=self._machine.text(state, disk(session)), probes=state)
        lossiness = () if session.seen else (Lossiness.PROBED_INSIDE,)
        return Ready(
            environment=found,
            initial_state=initial,
            observation=self._observe(settled),
            lossiness=(Lossiness.MERGED_STREAMS, *lossiness),
        )

    async def step(self, action: Action, sink: Sink) -> StepResult:
        """Type the keys of `action` and wait as it asks; an invalid one is `rejected` and nothing is typed."""
        session, sandbox = self._started
        started, mono = time.time_ns() // 1000, time.monotonic_ns()
        session.begin(sink)
        sandbox.reason()
        facts = Facts(was_over=self._ended)
        try:
            play = self._prepare(action, facts)
        except InputError as error:
            facts.rejected = str(error)
        else:
            if not self._ended:
                facts.settled_by = await play
                await self._gather(facts)
            else:
                play.close()
        return self._result(facts, started, mono)

    async def probe(self) -> dict[str, Any] | None:
        """Return the state now, seen from outside (see `probes`)."""
        return None if self._session is None else probe(self._session, self._machine.users)

    @property
    def shell_pid(self) -> int | None:
        """The recorded shell in this machine's `/proc`; None where it cannot be seen."""
        return None if self._sandbox is None else self._sandbox.shell_pid

    async def run(self, command: str, *, timeout_s: float = 60.0) -> Ran:
        """Run a shell command out of band, where the recorded shell started: verifiers, set-up."""
        _, sandbox = self._started
        return await sandbox.run(["sh", "-c", command], timeout_s=timeout_s)

    def parse(self, given: Any) -> Action | None:
        """Return what `given` (text or array) asks for; text of no known form becomes an action that is rejected."""
        try:
            return keystrokes(given)
        except InputError:
            return Action(kind="keystrokes", text=given if isinstance(given, str) else as_json(given))

    @property
    def _started(self) -> tuple[Session, Sandbox]:
        if self._session is None or self._sandbox is None:
            raise ComponentError("the terminal was not started", fix="use it with `async with`")
        return self._session, self._sandbox

    async def _set_up(self) -> None:
        setup = self.config.setup
        if setup.files:
            await self._must(["tar", "-xf", "-"], stdin=setup.archive())
        for command in setup.commands:
            await self._must(["sh", "-ec", command])

    async def _must(self, argv: list[str], stdin: bytes = b"") -> None:
        limit = self.config.setup_seconds
        ran = await self._started[1].run(argv, stdin=stdin, timeout_s=limit)
        if ran.timed_out:
            fix = "let it run in the background, or raise setup_seconds"
            raise InputError(f"set-up did not end within {limit:g} s", where=argv[-1][:80], fix=fix)
        if ran.exit_code != 0:
            said = ran.text.strip().rpartition("\n")[2]
            raise InputError(f"set-up failed with {ran.exit_code}: {said}", where=argv[-1][:80])

    def _prepare(self, action: Action, facts: Facts) -> Coroutine[Any, Any, SettledBy | None]:
        timeout = action.timeout_s or self.config.timeout_s
        if action.kind == "resize":
            return self._resize(*size_of(action), timeout)
        if action.kind != "keystrokes":
            raise InputError(f"a terminal takes keystrokes, not {action.kind}")
        strokes = strokes_of(action)
        if not strokes:
            raise InputError("an empty array ends a session and is no action")
        facts.interrupts = any("\x03" in key_bytes(stroke.keystrokes).decode() for stroke in strokes)
        facts.kills = any("kill" in stroke.keystrokes.lower() for stroke in strokes) and self._started[1].alive()
        return self._type(strokes, timeout, facts)

    async def _type(self, strokes: Sequence[Stroke], timeout_s: float, facts: Facts) -> SettledBy | None:
        session, _ = self._started
        settled: SettledBy | None = None
        for stroke in strokes:
            deadline = self._in_time(time.monotonic() + timeout_s)
            data = key_bytes(stroke.keystrokes, application=session.screen.application_keys)
            if settled is not None and self._out_of_time:
                facts.untyped += len(data)
                settled = SettledBy.DEADLINE
                continue
            begun = time.monotonic()
            wait = stroke.duration
            if wait is None and self.config.wait == "duration":
                wait = self.config.default_duration
            latest = deadline if wait is None else self._in_time(begun + max(wait, _TYPE_S))
            facts.untyped += await session.type(data, latest)
            hold = session.settle(deadline) if wait is None else session.hold(self._in_time(begun + wait))
            settled = await hold
            if settled is None:
                break
        return settled

    def _in_time(self, moment: float) -> float:
        return moment if self.until is None else min(moment, self.until)

    @property
    def _out_of_time(self) -> bool:
        return self.until is not None and time.monotonic() >= self.until

    async def _resize(self, cols: int, rows: int, timeout_s: float) -> SettledBy | None:
        session, sandbox = self._started
        session.resize(cols, rows)
        sandbox.resize(cols, rows)
        return await session.settle(self._in_time(time.monotonic() + timeout_s))

    async def _gather(self, facts: Facts) -> None:
        session, sandbox = self._started
        facts.codes = session.marks.take()
        seen_waiting = session.last.waiting or not session.last.seen or facts.settled_by is SettledBy.REST
        facts.waiting = seen_waiting and facts.settled_by is not SettledBy.DEADLINE
        if any(facts.codes):
            facts.message = session.tail.last_line(session.marks)
        if facts.settled_by is None:
            self._ended = True
            code = session.shell_code
            facts.shell_code = await sandbox.exit_code() if code is None else code
            reason = sandbox.reason()
            facts.killed = session.killed(reason, facts.shell_code)
            if facts.killed and reason is None and facts.own_signal and await self._answers():
                facts.killed = None
            elif not facts.killed and facts.shell_code is None and not await self._answers():
                facts.killed = "the sandbox went away"

    async def _answers(self) -> bool:
        """Say whether the sandbox, whose shell is gone, still runs commands."""
        try:
            return (await self._started[1].run(["true"], timeout_s=_ANSWER_S)).exit_code == 0
        except (WorldtapeError, OSError):
            return False

    def _result(self, facts: Facts, started: int, mono: int) -> StepResult:
        session, _ = self._started
        settled = facts.settled_by
        if settled is None and not facts.rejected:
            settled = SettledBy.EVENT
        took = time.monotonic_ns() - mono
        first = session.pump.first_mono
        timing = Timing(
            started_at=started,
            first_output_at=None if first is None else started + (first - mono) // 1000,
            ended_at=started + took // 1000,
            duration_ms=took / 1e6,
        )
        return StepResult(
            observation=self._observe(settled),
            outcome=outcome(facts),
            timing=timing,
            state_after=None if self._ended else probe(session, self._machine.users),
            done=self._ended,
            lossiness=(Lossiness.NO_EXIT_CODE,) if session.code_unknown and not facts.rejected else (),
        )

    def _observe(self, settled: SettledBy | None) -> Observation:
        session, _ = self._started
        return Observation(
            text=session.screen.render(),
            renderer=session.screen.rendering,
            settled_by=settled,
            received={channel: count for channel, count in session.pump.received.items() if count},
        )


__all__ = ["Terminal"]
