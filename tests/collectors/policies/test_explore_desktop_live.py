"""The explorer on a real desktop: what it does changes things, some of it fails, the tape gives it all again."""

from __future__ import annotations

import asyncio

import pytest

from tests._components import require
from tests._sandboxes import need_docker
from worldtape.collectors.desktop import Desktop, DesktopConfig
from worldtape.collectors.desktop.image import IMAGE
from worldtape.collectors.policies.explore_desktop import ExploreDesktop
from worldtape.collectors.recorder import Recorder
from worldtape.collectors.renderers import make_renderer
from worldtape.collectors.terminal.sandbox.docker import connect
from worldtape.schemas import End, History, Status
from worldtape.testing import ListTape

STEPS = 14


async def explored(tape: ListTape) -> tuple[History, End]:
    config = DesktopConfig(
        programs=["mousepad notes.txt"], files={"notes.txt": "one\ntwo\n"}, screenshot="none", start_s=180
    )
    policy = ExploreDesktop(seed=7, steps=STEPS, failing=0.25)
    async with Recorder(Desktop(config), tape) as recorder:
        end = await recorder.run(policy, max_steps=50)
        return recorder.history, end


@pytest.mark.desktop
@pytest.mark.slow
def test_a_desktop_is_explored() -> None:
    need_docker()
    client = connect()
    try:
        found = bool(client.images(IMAGE.name))
    finally:
        client.close()
    require("the image of desktops", found, "python -m worldtape.collectors.desktop.image")
    tape = ListTape()
    history, _ = asyncio.run(explored(tape))
    assert len(history.turns) == STEPS
    states = [result.state_after or {} for _, result in history.turns]
    assert sum(bool(state.get("changed")) for state in states) >= STEPS // 2
    statuses = [result.outcome.status for _, result in history.turns]
    assert set(statuses) == {Status.OK, Status.TOOL_ERROR}
    targets = {(action.target.role, action.target.name) for action, _ in history.turns if action.target is not None}
    assert len(targets) >= 3
    line = b"".join(
        event.payload or b"" for event in tape.events if event.kind == "data" and event.data["channel"] == "tree"
    )
    for observation in (history.ready.observation, *(result.observation for _, result in history.turns)):
        renderer = make_renderer(observation.renderer)
        renderer.feed("tree", line[: observation.received["tree"]])
        assert renderer.render() == observation.text
