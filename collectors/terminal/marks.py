"""Prompt marks: how the shell tells the exit codes of its commands, and nothing else.

Before each prompt bash prints an operating system command that no terminal shows:
`ESC ] 8771 ; <nonce> ; <exit code> ; <number of commands so far> BEL`. It comes from a `PROMPT_COMMAND` that is not
exported, so no program sees it in its environment, and it does not follow the user into another shell.
"""

from __future__ import annotations

import re
import secrets
from dataclasses import dataclass

_LONGEST = 96
_LONGEST_PROMPT = 1024


def prompt_command(nonce: str) -> str:
    """Return bash code that sets the marks up; it can be a line of an rcfile or the first value of PROMPT_COMMAND.

    The number of commands is a prompt escape in a second element that does nothing; tracing (`set -x`) and a standard
    output that leads elsewhere do not matter.
    """
    mark = rf"""{{ printf "\033]8771;{nonce};%s;%s\007" "$?" "${{PROMPT_COMMAND[1]@P}}" >&3; }} 3>&2 2>/dev/null"""
    number = r"{ : \#; } 2>/dev/null"
    return f"unset PROMPT_COMMAND; PROMPT_COMMAND=('{mark}' '{number}'); declare +x PROMPT_COMMAND"


def new_nonce() -> str:
    """Return a word that only this session's shell knows."""
    return secrets.token_hex(4)


@dataclass(frozen=True, slots=True)
class Mark:
    """Where the mark of an exit code stands, and how many commands had been entered then."""

    start: int
    end: int
    number: int


class Marks:
    """Finds marks in a stream that may be split anywhere.

    Attributes:
        seen: how many there were.
        answered: the number of the newest question (`ask`) that came back.
        codes: exit codes of the commands finished since `take`.
        after: the beginning of what came after the newest mark, without answers: the prompt.
    """

    def __init__(self, nonce: str) -> None:
        self._start = f"\x1b]8771;{nonce};".encode()
        self._question = f"\x1b]8772;{nonce};".encode()
        code = re.escape(self._start) + rb"(\d{1,3});[^\x07\x1b]*?(\d+)[^\x07\x1b]*\x07"
        self._mark = re.compile(re.escape(self._question) + rb"(\d+)\x07|" + code)
        self._asked = 0
        self._held = b""
        self._number = 0
        self.seen = 0
        self.answered = 0
        self.after = b""
        self.codes: list[int] = []

    def feed(self, data: bytes) -> None:
        """Take the next bytes of output."""
        if not self._held and b"\x1b" not in data:
            self._follow(data)
            return
        data = self._held + data
        end = 0
        for match in self._mark.finditer(data):
            if match[1] is not None:
                self._follow(data[end : match.start()])
                self.answered = int(match[1])
            else:
                self._take(int(match[2]), int(match[3]))
                self.after = b""
            end = match.end()
        self._held = self._unfinished(data[end:])
        self._follow(data[end : len(data) - len(self._held)])

    def _follow(self, data: bytes) -> None:
        if len(self.after) <= _LONGEST_PROMPT:
            self.after += data[: _LONGEST_PROMPT + 1]

    def find(self, data: bytes) -> list[Mark]:
        """Return the marks of exit codes that stand in `data`, in order."""
        found = self._mark.finditer(data)
        return [Mark(match.start(), match.end(), int(match[3])) for match in found if match[1] is None]

    def ask(self) -> tuple[int, bytes]:
        """Return a number and bytes that, written to the terminal's own end, set `answered` to it when they arrive.

        What was written before them has arrived then, whatever stands between the terminal and us.
        """
        self._asked += 1
        return self._asked, self._question + b"%d\x07" % self._asked

    def take(self) -> tuple[int, ...]:
        """Return the exit codes since the last call, in order."""
        codes, self.codes = tuple(self.codes), []
        return codes

    def _take(self, code: int, number: int) -> None:
        if number > self._number:
            self.codes.append(code)
        self._number = number
        self.seen += 1

    def _unfinished(self, data: bytes) -> bytes:
        start = data.rfind(b"\x1b", max(0, len(data) - _LONGEST))
        if start < 0:
            return b""
        tail = data[start:]
        begun = any(tail.startswith(start) or start.startswith(tail) for start in (self._start, self._question))
        return tail if begun and b"\x07" not in tail else b""


__all__ = ["Mark", "Marks", "new_nonce", "prompt_command"]
