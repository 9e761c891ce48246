"""A real desktop that answers Python code with its accessibility tree."""

from __future__ import annotations

import hashlib
import time
from types import TracebackType
from typing import Any, Self

from worldtape.collectors.desktop._container import Container
from worldtape.collectors.desktop._link import Link, LinkLostError, Reply
from worldtape.collectors.desktop.actions import python_action
from worldtape.collectors.desktop.config import DesktopConfig
from worldtape.collectors.desktop.initial import initial_text
from worldtape.collectors.desktop.outcomes import lost, outcome_of, over, rejected
from worldtape.collectors.desktop.state import state_of
from worldtape.collectors.desktop.tree import places, read_tree
from worldtape.errors import ComponentError
from worldtape.schemas import (
    Action,
    EnvironmentSpec,
    InitialState,
    Observation,
    Outcome,
    Part,
    Ready,
    Rendering,
    SettledBy,
    Sink,
    StepResult,
    Timing,
)

_INLINE = 64 * 1024
_SLACK_S = 30.0
"""So much longer than it may take an answer is waited for."""
_MEDIA = {"tree": "application/json", "screenshot": "image/png"}


class Desktop:
    """An `Environment` of the domain `os`; see `DesktopConfig` for its settings.

    Actions are of kind `python`: code that runs in the container, with `pyautogui` and `time` at hand. An observation
    is the desktop when it has settled, rendered from the line of the channel `tree` that was kept for it.

    Attributes:
        until: nothing is waited for longer than to this moment (monotonic s); None: no such moment.
        tree: the newest capture, as `widgets` takes it; {} before the first.
    """

    domain = "os"
    action_kinds = frozenset({"python"})

    def __init__(self, config: DesktopConfig | None = None) -> None:
        self.config = config or DesktopConfig()
        self.spec: EnvironmentSpec = self.config.spec()
        self.until: float | None = None
        self.tree: dict[str, Any] = {}
        self._container: Container | None = None
        self._link: Link | None = None
        self._state: dict[str, Any] | None = None
        self._ended = False
        self._renderer = _make(self.config.renderer)
        self._received: dict[str, int] = {}

    async def __aenter__(self) -> Self:
        self._container = Container(self.config.sandbox_config())
        try:
            await self._container.up()
            self._link = await self._container.link()
        except BaseException:
            await self.__aexit__(None, None, None)
            raise
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        link, self._link = self._link, None
        container, self._container = self._container, None
        if link is not None:
            link.close()
        if container is not None:
            await container.close()

    async def reset(self, sink: Sink) -> Ready:
        """Bring up the desktop with its programs, and say what was found.

        Raises:
            ComponentError: something does not start; the message says what.
        """
        link, container = self._started
        limit = self.config.start_s + self.config.patience_ms / 1000 + _SLACK_S
        try:
            reply = await link.ask(self.config.start_request(), limit)
        except LinkLostError as error:
            said = await container.log()
            what = f"the session does not start: {said or container.reason() or error}"
            raise ComponentError(what, where=container.spec.image, fix="name an image that was built here") from error
        if "failed" in reply.head:
            fix = "name programs that the image holds, or raise start_s"
            raise ComponentError(str(reply.head["failed"]), where="programs", fix=fix)
        observation = self._observe(reply, sink)
        self._state = state_of(reply.head, self.tree, None)
        found = self.spec.model_copy(
            update={
                "image": container.spec.image,
                "image_digest": container.spec.image_digest,
                "versions": container.spec.versions | reply.head["versions"],
            }
        )
        initial = InitialState(text=initial_text(found, reply.head), probes=self._state)
        return Ready(environment=found, initial_state=initial, observation=observation)

    async def step(self, action: Action, sink: Sink) -> StepResult:
        """Run the code of `action` and observe when all rests; another kind is `rejected`, nothing is done."""
        started, mono = time.time_ns() // 1000, time.monotonic_ns()
        if self._ended:
            observation, outcome = self._same(), over()
        elif action.kind != "python":
            observation, outcome = self._same(), rejected(f"a desktop takes python, not {action.kind}")
        else:
            observation, outcome = await self._run(action, sink)
        took = time.monotonic_ns() - mono
        return StepResult(
            observation=observation,
            outcome=outcome,
            timing=Timing(started_at=started, ended_at=started + took // 1000, duration_ms=took / 1e6),
            state_after=self._state,
            done=self._ended,
        )

    async def probe(self) -> dict[str, Any] | None:
        """Return the state as it was last seen."""
        return self._state

    async def facts(self) -> dict[str, Any]:
        """Return what verifiers look at.

        `files` (path in the home directory to text; null of a folder, `name/`, and of what is no text; hidden ones are
        left out), `windows` (titles, lowest first), `active_window`, `clipboard` (its text), and `texts`: what stands
        in the elements that show.

        Raises:
            ComponentError: the desktop is gone.
        """
        link, _ = self._started
        try:
            reply = await link.ask({"op": "facts"}, _SLACK_S)
        except LinkLostError as error:
            raise ComponentError("the desktop is gone: nothing is known of it", where="os") from error
        nodes = self.tree.get("nodes") or []
        shown = (nodes[place.at] for place in places(self.tree) if place.showing)
        facts: dict[str, Any] = reply.head["facts"]
        return facts | {"texts": [node["text"] for node in shown if node.get("text")]}

    def parse(self, given: Any) -> Action | None:
        """Return the action that `given` asks for: code as text, or a mapping with `code`; None ends a recording.

        The element at the first point that the code names is kept as the action's target.
        """
        if given is None:
            return None
        code = given.get("code", "") if isinstance(given, dict) else given
        return python_action(str(code), self.tree)

    @property
    def container(self) -> str | None:
        """The id of its container; None where there is none."""
        return None if self._container is None else self._container.id

    @property
    def _started(self) -> tuple[Link, Container]:
        if self._link is None or self._container is None:
            raise ComponentError("the desktop was not started", fix="use it with `async with`")
        return self._link, self._container

    def _limits(self, action: Action) -> tuple[float, float]:
        """Return how long the code may run and how long the desktop may take to settle, seconds."""
        run, settle = action.timeout_s or self.config.timeout_s, self.config.patience_ms / 1000
        if self.until is None:
            return run, settle
        left = max(0.001, self.until - time.monotonic())
        return min(run, left), min(settle, left)

    async def _run(self, action: Action, sink: Sink) -> tuple[Observation, Outcome]:
        link, container = self._started
        run, settle = self._limits(action)
        request = {"op": "act", "code": action.text, "timeout_s": run, "patience_s": settle}
        try:
            reply = await link.ask(request, 2 * run + settle + _SLACK_S)
        except LinkLostError:
            self._ended, self._state = True, None
            running = await container.answers()
            code = await link.exit_code() if running else None
            line = b'{"gone":"%s"}\n' % (b"session" if running else b"container")
            observation = self._observe(Reply({"settled_by": None}, {"tree": line}), sink)
            return observation, lost(running=running, code=code, reason=container.reason())
        observation = self._observe(reply, sink)
        self._ended = bool(self.tree.get("gone"))
        self._state = None if self._ended else state_of(reply.head, self.tree, self._state)
        return observation, outcome_of(reply.head, self.tree, run)

    def _observe(self, reply: Reply, sink: Sink) -> Observation:
        parts = []
        for channel, data in reply.blobs.items():
            sink(channel, data, time.monotonic_ns())
            self._received[channel] = self._received.get(channel, 0) + len(data)
            blob = f"sha256:{hashlib.sha256(data).hexdigest()}" if len(data) > _INLINE else None
            parts.append(Part(channel=channel, media_type=_MEDIA[channel], bytes=len(data), blob=blob))
        self._renderer.feed("tree", reply.blobs["tree"])
        self.tree = read_tree(reply.blobs["tree"])
        settled = reply.head["settled_by"]
        by = SettledBy.EVENT if settled is None else SettledBy(settled)
        return self._same().model_copy(update={"parts": tuple(parts), "settled_by": by})

    def _same(self) -> Observation:
        """Return the newest observation once more."""
        return Observation(
            text=self._renderer.render(), renderer=self._renderer.rendering, received=dict(self._received)
        )


def _make(name: str) -> Any:
    from worldtape.collectors.renderers import make_renderer

    return make_renderer(Rendering(name=name, version="1"))


__all__ = ["Desktop"]
