"""The sandbox `docker`."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from contextlib import suppress
from functools import cache
from typing import Any

from worldtape.collectors.terminal.sandbox._files import script, written
from worldtape.collectors.terminal.sandbox._oom import OomKills, memory_group
from worldtape.collectors.terminal.sandbox._process import in_thread
from worldtape.collectors.terminal.sandbox._ran import Ran
from worldtape.collectors.terminal.sandbox.config import SandboxConfig
from worldtape.collectors.terminal.sandbox.docker._attached import Attached
from worldtape.collectors.terminal.sandbox.docker._client import connect, explained
from worldtape.collectors.terminal.sandbox.docker._exec import Exec, raw
from worldtape.collectors.terminal.sandbox.docker._host_config import host_config
from worldtape.collectors.terminal.sandbox.docker._near import near
from worldtape.collectors.terminal.sandbox.docker._owner import LABEL, own
from worldtape.collectors.terminal.sandbox.docker._reap import reap
from worldtape.collectors.terminal.sandbox.docker._shell import Shell
from worldtape.collectors.terminal.sandbox.docker._watch import Watch, measure
from worldtape.errors import ComponentError, RefusedError

# Process 1 reads its standard input, which ends when the recorder does, however that ends; then the daemon removes it.
_INIT = ["sh", "-c", "command -v bash >/dev/null && exec bash; exec sh"]


@cache
def _reap_once() -> None:
    """Remove what dead recorders left, the first time that this process makes a container."""
    reap()


class Docker:
    """A container with an interactive shell; it ends, and is removed, with the process that made it."""

    def __init__(self, config: SandboxConfig) -> None:
        if config.network == "host":
            raise RefusedError(
                "a container on this machine's network is no sandbox", where="network", fix="say 'bridge'"
            )
        self.config = config
        self.spec = config.asked()
        self._client: Any = None
        self._container: str | None = None
        self._stdin: Any = None
        self._shell: Shell | None = None
        self._watch: Watch | None = None
        self._reason: str | None = None
        self._oom: OomKills | None = None
        self._outlived = 0

    @property
    def fd(self) -> int:
        """The shell's terminal, or the connection to it; −1 where there is none."""
        return -1 if self._shell is None else self._shell.fd

    @property
    def shell_pid(self) -> int | None:
        """The shell in this machine's `/proc`, where the daemon runs on it."""
        return None if self._shell is None else self._shell.pid

    async def start(self, *, cols: int, rows: int) -> None:
        """Create and start the container, then its shell."""
        await self.up()
        try:
            await in_thread(self._open_shell, cols, rows)
        except BaseException:
            await self.close()
            raise

    async def up(self) -> None:
        """Create and start the container, with no shell yet."""
        try:
            await in_thread(self._make)
            if self.config.files:
                written(await self.run(["sh"], stdin=script(self.config.files)))
        except BaseException:
            await self.close()
            raise

    def _make(self) -> None:
        self._client = connect()
        _reap_once()
        image = self._image()
        with explained(str(image["Name"])):
            made = self._client.create_container(
                image["Id"],
                command=_INIT,
                entrypoint=[],
                stdin_open=True,
                detach=False,
                hostname=self.config.hostname,
                user=self.config.user or "",
                labels={LABEL: own()},
                host_config=host_config(self._client, self.config.limits, self.config.network),
                working_dir=self.config.workdir,
            )
            self._container = made["Id"]
            self._stdin = self._client.attach_socket(self._container, params={"stdin": 1, "stream": 1})
            self._client.start(self._container)
            limit = self.config.limits.disk_mb << 20
            self._watch = Watch(measure(self._client, self._container), limit, self._over)
            self._watch.start()
        self._found(image)

    def _image(self) -> dict[str, Any]:
        return self._named(self.config.image)

    def _named(self, name: str | None) -> dict[str, Any]:
        from worldtape.collectors.terminal.image import ensure_image

        found = ensure_image(name, pull_s=self.config.pull_s)
        with explained(found.name):
            return dict(self._client.inspect_image(found.name)) | {"Name": found.name}

    def _found(self, image: dict[str, Any]) -> None:
        version = self._client.version()
        repo = [digest.partition("@")[2] for digest in image.get("RepoDigests") or []]
        found = {
            "image": image["Name"],
            "image_digest": repo[0] if repo else image["Id"],
            "versions": {"kernel": version["KernelVersion"], "docker": version["Version"]},
            "parameters": {"limits_by": "docker"},
        }
        self.spec = self.spec.model_copy(update=found)

    def _over(self) -> None:
        self._reason = f"the disk limit ({self.config.limits.disk_mb} MiB written outside /tmp)"
        self._client.kill(self._container)

    def _options(self) -> dict[str, Any]:
        env = {"TERM": "xterm-256color", "LANG": "C.UTF-8"} | self.config.env
        options: dict[str, Any] = {"environment": env, "user": self.config.user or ""}
        return options | ({"workdir": self.config.workdir} if self.config.workdir else {})

    def _open_shell(self, cols: int, rows: int) -> None:
        assert self._container is not None
        with explained("docker exec"):
            self._look_for(self.config.shell)
            asked = (self._client, self._container, self.config.shell, self._options(), (cols, rows))
            self._shell = near(*asked) or Attached(*asked)
        group = None if self._shell.pid is None else memory_group(self._shell.pid)
        self._oom = None if group is None else OomKills([group])

    def _look_for(self, shell: Sequence[str] | None) -> None:
        if shell is None:
            return
        looked = Exec(
            self._client, str(self._container), ["sh", "-c", 'command -v "$1"', "sh", shell[0]], self._options()
        )
        if looked.run(b"", 60).exit_code != 0:
            raise ComponentError(f"the shell {shell[0]!r} does not start", where=self.spec.image, fix="it is not there")

    def resize(self, cols: int, rows: int) -> None:
        """Give the PTY another size."""
        if self._shell is not None:
            self._shell.resize(cols, rows)

    async def run(
        self, argv: Sequence[str], *, stdin: bytes = b"", timeout_s: float = 60, user: str | None = None
    ) -> Ran:
        """Run a command by an exec without a terminal."""
        if self._container is None:
            raise ComponentError("the sandbox is not running", where="docker")
        options = self._options() | ({} if user is None else {"user": user})
        with explained("docker exec"):
            command = await asyncio.to_thread(Exec, self._client, self._container, argv, options)
            try:
                return await asyncio.to_thread(command.run, stdin, timeout_s)
            finally:
                command.stopped.set()

    def alive(self) -> bool:
        """Whether the shell runs."""
        return self._shell is not None and self._shell.alive()

    async def exit_code(self) -> int | None:
        """Ask the daemon how the shell ended."""
        return None if self._shell is None else await asyncio.to_thread(self._shell.exit_code)

    def reason(self) -> str | None:
        """Say which limit ended the container or its shell, if one did; a kill that the shell has outlived did not."""
        kills = 0 if self._oom is None else self._oom.count()
        if kills > self._outlived:
            if self.alive():
                self._outlived = kills
            elif self._reason is None:
                self._reason = "the memory limit"
        return self._reason

    async def close(self) -> None:
        """Remove the container, and with it everything that runs in it."""
        await in_thread(self._remove)

    def _remove(self) -> None:
        if self._watch is not None:
            self._watch.stop()
        if self._oom is not None:
            self._oom.close()
            self._oom = None
        shell, self._shell = self._shell, None
        if shell is not None:
            shell.close()
        container, self._container = self._container, None
        if container is not None:
            self._remove_container(container)
        stdin, self._stdin = self._stdin, None
        if stdin is not None:
            with suppress(OSError):
                raw(stdin).close()
                stdin.close()
        if self._client is not None:
            self._client.close()
            self._client = None

    def _remove_container(self, container: str) -> None:
        from docker.errors import DockerException, NotFound
        from requests.exceptions import RequestException

        with suppress(DockerException, RequestException):
            self._client.remove_container(container, force=True, v=True)
        with suppress(NotFound, DockerException, RequestException):
            self._client.wait(container, condition="removed", timeout=30)
