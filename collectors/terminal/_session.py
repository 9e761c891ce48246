"""One terminal session: types, waits, and knows why the wait ended."""

from __future__ import annotations

import asyncio
import os
import stat
import time

from worldtape.collectors.terminal import _proc
from worldtape.collectors.terminal._far import borrow_master
from worldtape.collectors.terminal._inside import Inside
from worldtape.collectors.terminal._pump import Pump
from worldtape.collectors.terminal._stand import Stand
from worldtape.collectors.terminal._tail import Tail
from worldtape.collectors.terminal.marks import Marks
from worldtape.collectors.terminal.settle import GONE, RELAYS, SHELLS, Look, Watch
from worldtape.schemas import SettledBy, Sink

_YIELDS = 4
_SHORTEST, _LONGEST = 0.001, 0.02
_MARK_S = 0.004
"""So long, or twice as long as the last one took, a mark that must come is waited for.

Then somebody looks whether the command itself waits for input: on a machine with much to do, later.
"""
_REST_S, _REST_AT_PROMPT_S = 0.7, 0.05
_REST_INSIDE_S = 0.2
_CARRIED_S = 0.2
_FASTER = 2.0
_SUBMITS = frozenset(b"\r\n\x03\x04\x1a\x0f")


class Session:
    """A screen, the bytes that feed it, and a look at who waits for input.

    Args:
        fd: reads terminal output, takes keys; non-blocking.
        shell: process id of the shell in our own `/proc`; None where it cannot be seen.
        size: columns and rows at the start.
        nonce: the word in this session's prompt marks.
    """

    def __init__(self, fd: int, shell: int | None, size: tuple[int, int], nonce: str) -> None:
        self.pump = Pump(fd, size)
        self.screen = self.pump.screen
        self.marks = Marks(nonce)
        self.tail = Tail()
        self.pump.feeds += [self.marks.feed, self.tail.feed]
        self.watch = None if shell is None or _proc.read_stat(shell) is None else Watch(shell)
        self.seen = self.watch is not None
        """False when nobody can see the shell's processes, so that only rest tells."""
        self.inside: Inside | None = None
        """Looks from inside where `watch` cannot."""
        self.last = Look(alive=True)
        self._stand = Stand()
        self._far = stat.S_ISSOCK(os.fstat(fd).st_mode)
        self._borrowed = borrow_master(shell) if self._far and shell is not None else None
        if self._borrowed is not None:
            self.pump.keys_fd = self._borrowed
        self._typed: tuple[float, int] | None = None
        self._marks_before = 0
        self._mark_s = _MARK_S
        self._submitted = True
        self._marks_at_begin = self._marks_known = 0
        self._marked_program: int | None = None
        self._entered = False
        self._prompt = b""
        """What the shell printed after its newest mark, when all of it was known to have come."""

    def started(self) -> None:
        """Take the program that waits now for the shell that prints marks, if it is one that can."""
        self.marks.take()
        if self.watch is not None and self.last.pid == self.watch.shell and self.last.command == "bash":
            self._marked_program = self.watch.program

    def begin(self, sink: Sink) -> None:
        """Send what is read from now on to `sink`, and begin to look for exit codes of one action."""
        self.pump.attach(sink)
        self.tail.clear(at_prompt=self.at_prompt)
        self._marks_at_begin = self.marks.seen
        self._marks_known = max(self._marks_known, self.marks.seen) if self.watch is None else self._marks_known
        if self.inside is not None:
            self.inside.forget()
        self._entered = False

    def resize(self, cols: int, rows: int) -> None:
        """Record that the screen has another size from now on."""
        self.pump.record("pty.size", b'{"cols":%d,"rows":%d}\n' % (cols, rows), time.monotonic_ns())

    async def type(self, data: bytes, deadline: float) -> int:
        """Type `data`; return how many bytes could not be typed before `deadline` (monotonic s)."""
        if not _SUBMITS.isdisjoint(data):
            self._marks_before, self._submitted, self._entered = self.marks.seen, True, True
        self._stand = Stand()
        self.tail.typed(data)
        before = self.pump.received["pty"]
        untyped = await self.pump.write(data, deadline)
        self._typed = (time.monotonic(), before) if data else None
        return untyped

    async def hold(self, until: float) -> SettledBy | None:
        """Read until the moment `until` (monotonic s), no longer; None when the shell is gone then."""
        while (left := until - time.monotonic()) > 0 and not self.pump.ended:
            await self.pump.readable(left)
            self.pump.read()
        self.pump.read()
        self.last = self._look()
        if self.last.alive:
            return SettledBy.DURATION
        await self._rest_of_output()
        return None

    async def settle(self, deadline: float) -> SettledBy | None:
        """Read until the foreground process waits for input and all output has come.

        Returns:
            PROMPT, INPUT or REST; DEADLINE when `deadline` (monotonic s) came first; None when the shell is gone.
        """
        pause, yields, quiet = _SHORTEST, 0, time.monotonic()
        began = quiet
        while True:
            fresh = self.pump.read() > 0
            left = deadline - time.monotonic()
            if fresh:
                pause, yields, quiet = _SHORTEST, 0, time.monotonic()
            if (fresh or pause == _SHORTEST) and self._more_to_come and left > 0:
                pause *= _FASTER
                if await self.pump.readable(min(left, self._mark_s)):
                    continue
            self.last = look = self._look()
            if not look.alive:
                await self._rest_of_output()
                return None
            settled = await self._verdict(look, time.monotonic() - quiet, deadline)
            if settled is not None:
                self._mark_s = min(max(_MARK_S, _FASTER * (time.monotonic() - began)), _LONGEST)
                return settled
            left = deadline - time.monotonic()
            if yields < _YIELDS and not self._more_to_come:
                yields += 1
                os.sched_yield()
                await asyncio.sleep(0)
                continue
            await self.pump.readable(min(pause, left))
            pause = min(pause * _FASTER, _LONGEST)

    async def _verdict(self, look: Look, quiet: float, deadline: float) -> SettledBy | None:
        """Say what ends the wait now, if anything does; `quiet` is for how many seconds nothing came."""
        if not look.seen and self.inside is not None and not self.at_prompt:
            return await self._verdict_inside(quiet, deadline)
        if look.command in RELAYS or not look.seen:
            if quiet >= (_REST_AT_PROMPT_S if self.at_prompt else _REST_S):
                return SettledBy.PROMPT if self.at_prompt else SettledBy.REST
        elif not look.waiting:
            self._stand.clear()
        elif self._stands(look) and self._arrived() and await self._all_came(deadline):
            return SettledBy.PROMPT if self.at_prompt else SettledBy.INPUT
        return SettledBy.DEADLINE if time.monotonic() >= deadline else None

    async def _verdict_inside(self, quiet: float, deadline: float) -> SettledBy | None:
        assert self.inside is not None
        look = await self.inside.look() if quiet >= _REST_INSIDE_S else None
        if look is not None and look.waiting and not self.pump.read():
            self.last = look
            return SettledBy.PROMPT if self.at_prompt else SettledBy.INPUT
        return SettledBy.DEADLINE if time.monotonic() >= deadline else None

    @property
    def _more_to_come(self) -> bool:
        """Whether a look would be too early.

        A line was entered at a prompt that will tell its exit code, or has told it and printed less than the last time.
        """
        if not self._submitted or self._marks_known == 0:
            return False
        return self.marks.seen == self._marks_before or len(self.marks.after) < len(self._prompt)

    @property
    def in_shell(self) -> bool:
        """Whether the foreground process is a shell that waits."""
        return self.last.waiting and self.last.command in SHELLS

    @property
    def at_prompt(self) -> bool:
        """Whether a shell waits for a command.

        Where marks come, the newest line that was entered must have been followed by one: `read x` is no prompt.
        """
        marked = self.marks.seen > self._marks_before or not self._submitted
        if not self.last.seen:
            return marked
        if not self.in_shell:
            return False
        if self.watch is None and self.last.command == "bash" and self._marks_known > 0:
            return marked
        return marked if self._marking else True

    @property
    def _marking(self) -> bool:
        """Whether the waiting shell is the one that prints marks: the first, unless it executed another one."""
        if self.watch is None or self.last.pid != self.watch.shell:
            return False
        if self.marks.seen != self._marks_known:
            self._marks_known, self._marked_program = self.marks.seen, self.watch.program
        return self._marked_program == self.watch.program

    @property
    def code_unknown(self) -> bool:
        """Whether a line was entered and a shell is back at its prompt without having told an exit code."""
        return self._entered and self.marks.seen == self._marks_at_begin and self.at_prompt

    @property
    def shell_code(self) -> int | None:
        """The exit code of the shell that is gone or, negative, the signal that ended it; None when unknown."""
        status = None if self.watch is None else self.watch.status
        if status is None:
            return None
        return -(status & 0x7F) if status & 0x7F else status >> 8

    @property
    def gone(self) -> bool:
        """Whether the shell was seen to be gone, as far as it could be seen at all; else only its output ended."""
        return self.watch is not None and self.watch.gone

    def killed(self, reason: str | None, code: int | None) -> str | None:
        """Say what on our side killed the shell that is gone; None where it ended by itself, or by its own command.

        Args:
            reason: what the sandbox knows about it.
            code: the shell's exit code or, negative, the signal that ended it; None when unknown.
        """
        if code is None:
            if reason is None and not self.gone:
                return "the connection to the terminal was lost"
            return reason or (None if self._entered else "the shell went away between two actions")
        return None if code >= 0 else reason or f"the shell was ended by signal {-code}"

    def close(self) -> None:
        """Let go of the terminal."""
        self.pump.close()
        if self.watch is not None:
            self.watch.close()
        if self._borrowed is not None:
            os.close(self._borrowed)
            self._borrowed = None

    def _look(self) -> Look:
        if self.watch is None:
            return GONE if self.pump.ended else Look(alive=True, seen=False)
        look = self.watch.look()
        self.seen = look.seen
        return GONE if self.pump.ended else look

    def _stands(self, look: Look) -> bool:
        return self._stand.holds(look, self.pump.received["pty"], time.monotonic())

    def _arrived(self) -> bool:
        """Say whether typed keys have reached the terminal: at once, where its own end is at hand."""
        exact = self.watch is not None and self.watch.slave is not None
        if (exact and (not self._far or self._borrowed is not None)) or self._typed is None:
            return True
        when, before = self._typed
        return self.pump.received["pty"] > before or time.monotonic() - when > _CARRIED_S

    async def _rest_of_output(self) -> None:
        until = time.monotonic() + _CARRIED_S
        while self.pump.read() or (self._far and not self.pump.ended and time.monotonic() < until):
            await self.pump.readable(_SHORTEST)

    async def _all_came(self, deadline: float) -> bool:
        """Say whether everything written before the look has been read; false: look again."""
        if not self._far or self.watch is None or self.watch.slave is None:
            came = not self.pump.read()
            if came and self._prompted:
                self._prompt = self.marks.after
            return came
        if self._as_before and not self.pump.read():
            return True
        before, after = self.pump.received["pty"], self.marks.after
        number, question = self.marks.ask()
        try:
            if os.write(self.watch.slave, question) != len(question):
                return False
        except OSError:
            return False
        while self.marks.answered < number and not self.pump.ended:
            left = deadline - time.monotonic()
            if left <= 0:
                return False
            await self.pump.readable(min(left, _LONGEST))
            self.pump.read()
        came = self.pump.received["pty"] == before + len(question)
        if came and self._prompted:
            self._prompt = after
        return came

    @property
    def _as_before(self) -> bool:
        """Whether the whole prompt has come: after a mark the same bytes as the last time, when all had come.

        The mark stands behind all that the command printed, so nothing is on its way then.
        """
        exact = self._borrowed is not None and self._prompt != b""
        return exact and self.marks.after == self._prompt and self._prompted

    @property
    def _prompted(self) -> bool:
        """Whether the shell that prints marks has printed one, and a prompt behind it, since a line was entered."""
        return self._submitted and self.marks.seen > self._marks_before and self._marking and self.at_prompt
