"""Both servers as processes of their own, recorded by the client collector."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from tests.collectors.mcp._run import in_loop
from worldtape.collectors.mcp import Elicitation, Mcp, McpConfig, Sampling, prompt_get, resource_read, tool_call
from worldtape.collectors.mcp.servers.orders.catalog import catalog
from worldtape.collectors.mcp.servers.rogue.tricks import TRICKS
from worldtape.errors import ComponentError
from worldtape.pipelines.project import project
from worldtape.pipelines.record import open_recorder
from worldtape.schemas import Status
from worldtape.storage import query

RIGHT = "the right answer"
HARMLESS = (
    *("garbage", "duplicate", "wrong_id", "string_id", "same_id_as_client", "progress", "notifications", "batch"),
    *("tools_changed", "carriage_return", "invalid_json", "not_a_number", "big_number", "not_rpc", "error_without_id"),
    *("duplicate_later", "stderr", "deep"),
)
"""Whatever else they do, the right answer is what is observed."""
SAID = {
    "split": "zerlegt: ä, 水, 🦋",
    "separators": "one\u2028two\u2029three\u0085four",
    "invalid_utf8": "caf\ufffd au lait",
    "surrogates": "half \ufffd, nul \x00, bell \x07, escape \x1b[31m, no character \uffff",
    "ping": '{"result": {}}',
    "late": "the late answer",
}


def rogue(**more: Any) -> McpConfig:
    return McpConfig(server="rogue", timeout_s=20, **more)


@in_loop
async def test_the_business_over_its_protocol(tmp_path: Path) -> None:
    environment = Mcp(McpConfig(server="orders", args=("--seed", "0")))
    async with open_recorder(environment, tmp_path) as recorder:
        assert [tool.name for tool in recorder.history.ready.environment.tools] == list(catalog())
        before = recorder.history.ready.initial_state.probes
        listed = await recorder.step(tool_call("list_orders", {"status": "open", "limit": 2}))
        assert json.loads(listed.text) == json.loads(listed.parts[0].text or "")
        assert recorder.last.state_after == before
        await recorder.step(tool_call("pay_order", {"order_id": "ORD-2002", "method": "card"}))
        assert recorder.last.state_after != before
        await recorder.step(tool_call("ship_order", {"order_id": "ORD-2002", "tracking": "TRK100000"}))
        await recorder.step(tool_call("ship_orders"))
        statuses = [result.outcome.status for _, result in recorder.history.turns]
        assert statuses[-2:] == [Status.TOOL_ERROR, Status.PROTOCOL_ERROR]
        assert "Clerks" in (await recorder.step(resource_read("shop://policies"))).text
        await recorder.step(resource_read("shop://nowhere"))
        assert recorder.last.outcome.error is not None
        assert recorder.last.outcome.error.message == "There is no resource 'shop://nowhere'."
        plan = await recorder.step(prompt_get("restock_plan", {"category": "home"}))
        assert "CND-009" in plan.text
        facts = await environment.facts()
        assert facts["databases"]["orders"]["orders"]["ORD-2002"]["status"] == "paid"
    report = project(tmp_path, workers=0)
    assert not report.mismatched


@in_loop
async def test_what_is_harmless_does_not_reach_the_observation(tmp_path: Path) -> None:
    asking = {
        "sampling": Sampling(answer="text", text="words"),
        "elicitation": Elicitation(answer="accept", content={"name": "Ada"}),
        "roots": ("{workdir}",),
    }
    async with open_recorder(Mcp(rogue(progress=True, **asking)), tmp_path) as recorder:
        for how in HARMLESS:
            assert (await recorder.step(tool_call("misbehave", {"how": how, "seconds": 0.01}))).text == RIGHT, how
            assert (await recorder.step(tool_call("echo", {"text": how}))).text == how
        for how, said in SAID.items():
            assert (await recorder.step(tool_call("misbehave", {"how": how, "seconds": 0.01}))).text == said, how
        for how, said in {"sampling": "words", "elicitation": "Ada", "roots": "worldtape-run-"}.items():
            assert said in (await recorder.step(tool_call("misbehave", {"how": how}))).text
        odd = await recorder.step(tool_call("misbehave", {"how": "stderr", "bytes": "many"}))
        assert odd.text.startswith("I cannot do that")
        big = await recorder.step(tool_call("misbehave", {"how": "huge", "bytes": 3_000_001}))
        assert len(big.text) > 2_999_000
        assert recorder.last.outcome.status is Status.OK
    report = project(tmp_path, workers=0)
    assert not report.mismatched
    wrong = query(tmp_path, "SELECT status FROM transitions WHERE status != 'ok'").to_pylist()
    assert wrong == [{"status": "tool_error"}]


@pytest.mark.parametrize(
    ("how", "status", "more"),
    [
        ("error", Status.PROTOCOL_ERROR, {}),
        ("odd_result", Status.PROTOCOL_ERROR, {}),
        ("tool_error", Status.TOOL_ERROR, {}),
        ("die", Status.ENV_ERROR, {"exit_code": 3}),
        ("killed", Status.ENV_ERROR, {"signal": 9}),
        ("close", Status.ENV_ERROR, {}),
        ("hang", Status.TIMEOUT_KILLED, {}),
        ("after_cancel", Status.TIMEOUT_KILLED, {}),
    ],
)
@in_loop
async def test_what_fails_has_its_outcome(how: str, status: Status, more: dict[str, Any], tmp_path: Path) -> None:
    async with open_recorder(Mcp(rogue()), tmp_path) as recorder:
        waits = 0.2 if status is Status.TIMEOUT_KILLED else 20.0
        await recorder.step(tool_call("misbehave", {"how": how}, timeout_s=waits))
        outcome = recorder.last.outcome
        assert outcome.status is status
        assert {name: getattr(outcome, name) for name in more} == more
        if not recorder.last.done:
            assert (await recorder.step(tool_call("echo", {"text": "still there"}))).text == "still there"


@pytest.mark.parametrize("args", [("--mute", "initialize"), ("--die", "7"), ("--protocol", "1999-01-01")])
@in_loop
async def test_a_server_that_does_not_start_fails_the_start(args: tuple[str, ...], tmp_path: Path) -> None:
    with pytest.raises(ComponentError):
        async with open_recorder(Mcp(McpConfig(server="rogue", args=args, start_s=2.0)), tmp_path):
            pass


@in_loop
async def test_a_banner_is_no_frame(tmp_path: Path) -> None:
    async with open_recorder(Mcp(McpConfig(server="rogue", args=("--banner", "🖥️ ready"))), tmp_path) as recorder:
        assert (await recorder.step(tool_call("echo", {"text": "hi"}))).text == "hi"


def test_every_trick_says_what_it_does() -> None:
    assert len(TRICKS) >= 40
    assert all(trick.__doc__ and trick.__doc__.endswith(".") for trick in TRICKS.values())
    assert set(HARMLESS) | set(SAID) <= set(TRICKS)
