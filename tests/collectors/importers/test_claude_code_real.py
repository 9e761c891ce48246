"""Real sessions of Claude Code, by counts taken by hand."""

from __future__ import annotations

from pathlib import Path

import pytest

from worldtape.collectors.importers.claude_code import ClaudeCode
from worldtape.errors import InputError
from worldtape.schemas import Lossiness, Status

from ._files import Bytes
from ._sessions import claimed, parts

# The counts of real files. calls: jq -s '[.[]|objects|select(.type=="assistant")|.message.content|arrays|.[]|
# select(.type=="tool_use")]|length' FILE; results likewise with "user" and "tool_result".
REAL = {
    "ccl_edge_cases.jsonl": [3],
    # 3 calls (one of them of a line that was pasted in), 1 result: "contenst" is no content.
    "ccl_todowrite.jsonl": [3],
    "entire_6da7_a.jsonl": [2],
    "entire_6da7_b.jsonl": [3],
    "js_small.jsonl": [1, 1, 1],
    # 3 calls: jq 'select(.type=="assistant" and (.message.content|arrays|any(.type=="tool_use")))|.isSidechain':
    # the side chain's, and two in the main file whose records do not hang together.
    "kimuson_init.jsonl": [12],
    "kimuson_todo_long.jsonl": [11, 8, 33, 39, 24, 52],
    # jq 'select(.isSidechain|not)|…' gives 11, with isSidechain 156, and five first records:
    # jq 'select(.isSidechain and .parentUuid==null)|.uuid' FILE | wc -l
    "simonw_sample.jsonl": [2],
    "simonw_web_sample.json": [12],
    # jq '[.loglines[].message.content|arrays|.[]|select(.type=="tool_use")]|length'
}


@pytest.mark.shared
@pytest.mark.parametrize("name", REAL)
def test_real_files(name: str, shared_data: Path) -> None:
    source = Bytes((shared_data / "claude_code" / name).read_bytes(), name)
    assert ClaudeCode().sniff(source)
    made = list(ClaudeCode().read(source))
    assert [len(parts(one)[0]) for one in made] == REAL[name]


@pytest.mark.shared
def test_real_facts(shared_data: Path) -> None:
    data = (shared_data / "claude_code" / "kimuson_todo_long.jsonl").read_bytes()
    steps = [step for one in ClaudeCode().read(Bytes(data)) for step in parts(one)[0]]
    # jq 'select(.message.content|arrays|any(.is_error==true))|1' kimuson_todo_long.jsonl | wc -l
    assert sum(step.outcome.status is Status.TOOL_ERROR for step in steps) == 23
    # jq 'select(.toolUseResult.backgroundTaskId?)|1' kimuson_todo_long.jsonl | wc -l
    assert sum(step.outcome.status is Status.TIMEOUT_STILL_RUNNING for step in steps) == 3
    # grep -c 'lines truncated\] \.\.\.' kimuson_todo_long.jsonl
    assert sum(Lossiness.TRUNCATED_NO_FULL in step.lossiness for step in steps) == 1
    assert all(step.observation is not None for step in steps)


@pytest.mark.shared
def test_real_files_without_calls_are_refused(shared_data: Path) -> None:
    data = (shared_data / "claude_code" / "kimuson_sub123.jsonl").read_bytes()
    with pytest.raises(InputError, match="no tool was called"):
        list(ClaudeCode().read(Bytes(data)))


@pytest.mark.shared
def test_no_other_file_is_claimed(shared_data: Path) -> None:
    ours = {"claude_code/" + name for name in [*REAL, "kimuson_sub123.jsonl"]}
    assert claimed(ClaudeCode(), shared_data) == ours
