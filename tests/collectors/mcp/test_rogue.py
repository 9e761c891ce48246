"""All that our own misbehaving server can do wrong in a call, as its client and with the proxy in between, at once."""

from __future__ import annotations

import sys
from pathlib import Path

from tests.collectors.mcp._run import in_loop
from tests.collectors.mcp.test_client import rows
from worldtape.collectors.mcp import Mcp, McpConfig, tool_call
from worldtape.collectors.mcp.servers.rogue.tricks import TRICKS
from worldtape.pipelines.record import open_recorder

LAST = {"die", "killed", "close", "leave_child", "tools_gone"}
"""After these nothing is as before; most are tests of their own."""
SLOW = {"hang", "after_cancel"}
STATUS = {
    "after_cancel": "timeout_killed",
    "error": "protocol_error",
    "hang": "timeout_killed",
    "no_result": "protocol_error",
    "odd_result": "protocol_error",
    "result_and_error": "protocol_error",
    "tool_error": "tool_error",
}
"""Those that are not `ok`."""
TEXT = {
    "carriage_return": "the right answer",
    "duplicate": "the right answer",
    "duplicate_later": "the right answer",
    "hang": "",
    "no_result": "",
    "odd_result": '"fine"',
    "same_id_as_client": "the right answer",
    "separators": "one\u2028two\u2029three\x85four",
    "wrong_id": "the right answer",
}
HUGE = 33_900_000
"""Characters of an answer in a line of 34 MB."""


@in_loop
async def test_every_trick(tmp_path: Path) -> None:
    server = (sys.executable, "-m", "worldtape.collectors.mcp.servers.rogue")
    proxy = ("-m", "worldtape", "proxy", "--lake", str(tmp_path / "proxied"), "--", *server)
    config = McpConfig(command=sys.executable, args=proxy, timeout_s=20)
    names = [name for name in TRICKS if name not in LAST]
    seen = {}
    async with open_recorder(Mcp(config), tmp_path / "direct") as recorder:
        for name in names:
            given = {"how": name, "seconds": 0.1}
            await recorder.step(tool_call("misbehave", given, timeout_s=0.3 if name in SLOW else None))
            seen[name] = (recorder.last.outcome.status, recorder.last.observation.text)
            assert (await recorder.step(tool_call("echo", {"text": name}))).text == name
    assert {name: str(status) for name, (status, _) in seen.items()} == dict.fromkeys(names, "ok") | STATUS
    assert len(seen["huge"][1]) > HUGE
    for name, text in TEXT.items():
        assert seen[name][1] == text
    ours, theirs = rows(tmp_path / "direct"), rows(tmp_path / "proxied")
    assert [row["observation_text"] for row in ours][::2] == [seen[name][1] for name in names]
    for one, other in zip(ours, theirs, strict=True):
        assert other["action_text"] == one["action_text"]
        assert (other["observation_text"] or "") == one["observation_text"]
        given_up = one["status"] == "timeout_killed"
        assert other["status"] == ("interrupted" if given_up else one["status"])
