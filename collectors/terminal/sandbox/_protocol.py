"""The seam between a recorded terminal and what its shell runs in."""

from collections.abc import Sequence
from typing import Protocol

from worldtape.collectors.terminal.sandbox._ran import Ran
from worldtape.schemas import EnvironmentSpec


class Sandbox(Protocol):
    """One machine-like place with one interactive shell on a PTY."""

    spec: EnvironmentSpec
    """What is asked for; after `start`, what was found: image digest, versions, how the limits are held."""

    @property
    def fd(self) -> int:
        """Non-blocking: read the PTY's output from it, write keys to it; −1 before `start`."""
        ...

    @property
    def shell_pid(self) -> int | None:
        """The interactive shell in this machine's `/proc`; null where it cannot be seen."""
        ...

    async def start(self, *, cols: int, rows: int) -> None:
        """Bring it up, with a shell on a PTY that has its size before the first prompt.

        Raises:
            ComponentError: a daemon, an image or namespaces are missing; the message says what brings them.
        """
        ...

    def resize(self, cols: int, rows: int) -> None:
        """Give the PTY another size, in cells."""
        ...

    async def run(
        self, argv: Sequence[str], *, stdin: bytes = b"", timeout_s: float = 60, user: str | None = None
    ) -> Ran:
        """Run a command beside the shell, under the same limits; what it starts in the background lives on."""
        ...

    def alive(self) -> bool:
        """Whether the sandbox and its interactive shell run."""
        ...

    async def exit_code(self) -> int | None:
        """Return the exit code of the shell that has ended or, negative, the signal that ended it, as its keeper knows.

        Null while it runs, and where there is no such keeper or it cannot be asked.
        """
        ...

    def reason(self) -> str | None:
        """Say why the sandbox was ended from outside (a limit, the daemon); null while the shell lives or just ended.

        It is asked before each action, so that what the shell has outlived by then is never taken for its end.
        """
        ...

    async def close(self) -> None:
        """Remove everything; a second call does nothing."""
        ...
