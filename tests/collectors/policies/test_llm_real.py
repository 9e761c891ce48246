"""The whole path with a real, if small, language model and a real terminal."""

from __future__ import annotations

from contextlib import suppress

import pytest

from tests._sandboxes import need_namespaces
from tests.collectors.policies._tape import Forgetful
from tests.collectors.policies.llm_server import serve_model
from worldtape.collectors.policies import Llm
from worldtape.collectors.recorder import Recorder
from worldtape.collectors.terminal import Terminal, TerminalConfig
from worldtape.errors import ComponentError
from worldtape.schemas import EndStatus, Task

pytestmark = [pytest.mark.anyio, pytest.mark.sandbox, pytest.mark.slow]
PROMPT = 'Answer with a JSON array of keys, like [{"keystrokes": "ls\\n"}]'


async def test_a_small_model_drives_a_terminal() -> None:
    need_namespaces()
    tape = Forgetful()
    with serve_model() as server:
        policy = Llm(
            server.endpoint,
            "gemma-3-270m",
            system_prompt=PROMPT,
            max_tokens=16,
            temperature=0.0,
            last_turns=1,
            screen_chars=200,
            garbage_retries=0,
        )
        task = Task(id="t", instruction='Type [{"keystrokes": "ls\\n"}]')
        recorder = Recorder(Terminal(TerminalConfig(sandbox="local")), tape, task=task)
        async with recorder:
            with suppress(ComponentError):  # a model this small may well say nothing of use
                await recorder.run(policy, max_steps=2)
    assert recorder.end is not None
    assert recorder.end.status in (EndStatus.LIMIT, EndStatus.COMPLETED, EndStatus.FAILED)
    assert 1 <= len(tape.thoughts) <= 2
    assert all(thought["usage"]["completion_tokens"] > 0 for thought in tape.thoughts)
    assert len(server.requests) == len(tape.thoughts)
