"""Chat rows with tools."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from worldtape.collectors.importers.messages import Messages
from worldtape.errors import InputError
from worldtape.schemas import Domain, Imported, ImportedStep, Lossiness, Orphan, Rejected, Status

from ._files import Bytes, jsonl
from ._fuzz import fuzz

TOOL = {"type": "function", "function": {"name": "add", "description": "Sum", "parameters": {"type": "object"}}}


def call(name: str, arguments: Any, told: str | int | None = None) -> dict[str, Any]:
    return {"id": told, "type": "function", "function": {"name": name, "arguments": arguments}}


def row(*messages: dict[str, Any], **fields: Any) -> dict[str, Any]:
    return {"messages": [{"role": "user", "content": "Do it."}, *messages], **fields}


ASKS = {"role": "assistant", "content": "Let me see.", "tool_calls": [call("add", '{"a": 1}', "c1")]}
SAYS = {"role": "tool", "tool_call_id": "c1", "content": "two"}
MORE = {"role": "assistant", "content": None, "tool_calls": [call("mul", {"b": 2}, "c2"), call("neg", {}, "c3")]}
ROW = row(
    ASKS,
    SAYS,
    MORE,
    {"role": "tool", "tool_call_id": "c3", "content": "minus"},
    {"role": "tool", "tool_call_id": "c2", "content": "times"},
    {"role": "assistant", "content": "Done."},
    tools=[TOOL],
    id="r1",
)


def read(source: Bytes) -> list[Imported | Rejected]:
    assert Messages().sniff(source)
    return list(Messages().read(source))


def parts(source: Bytes) -> tuple[list[ImportedStep], list[Orphan]]:
    made = read(source)[0]
    assert isinstance(made, Imported)
    items = list(made.steps)
    return [item for item in items if isinstance(item, ImportedStep)], [i for i in items if isinstance(i, Orphan)]


def test_a_row_becomes_a_trajectory():
    made = read(Bytes(jsonl(ROW, ROW)))
    assert len(made) == 2
    first = made[0]
    assert isinstance(first, Imported)
    assert first.task is not None
    assert (first.domain, first.task.id, first.task.instruction) == (Domain.MCP, "r1", "Do it.")
    assert [tool.name for tool in first.environment.tools] == ["add"]
    steps = [step for step in first.steps if isinstance(step, ImportedStep)]
    assert [step.observation for step in steps] == ["two", "times", "minus"]
    assert steps[0].action.text == '{"arguments":{"a":1},"name":"add"}'
    assert steps[0].action.raw == '{"a": 1}'
    assert steps[0].thoughts == ({"text": "Let me see."},)
    assert [step.action.batch.index for step in steps[1:] if step.action.batch] == [0, 1]
    assert not any(step.action.batch.shared for step in steps[1:] if step.action.batch)


def test_results_stay_in_their_own_turn():
    again = {"role": "tool", "tool_call_id": "c1", "content": "late"}
    steps, orphans = parts(Bytes(jsonl(row(ASKS, SAYS, MORE, again))))
    assert [step.observation for step in steps] == ["two", None, None]
    assert [orphan.code for orphan in orphans] == ["orphan_result"]
    assert steps[1].outcome.status == Status.UNKNOWN
    assert Lossiness.TAIL_MISSING in steps[2].lossiness


def test_the_same_id_in_every_turn_is_paired_by_turn():
    other = {"role": "assistant", "content": "", "tool_calls": [call("mul", {}, "c1")]}
    steps, _ = parts(Bytes(jsonl(row(ASKS, SAYS, other, SAYS | {"content": "four"}))))
    assert [(step.action.name, step.observation) for step in steps] == [("add", "two"), ("mul", "four")]


def test_one_answer_of_a_batch_is_marked_and_never_copied():
    text = (
        '<tool_call>{"name": "a", "arguments": {}}</tool_call>\n<tool_call>{"name": "b", "arguments": {}}</tool_call>'
    )
    answer = {"role": "user", "content": "<tool_response>\nboth\n</tool_response>"}
    steps, _ = parts(Bytes(jsonl(row({"role": "assistant", "content": text}, answer))))
    assert [step.observation for step in steps] == [None, "both"]
    assert all(step.action.batch.shared for step in steps if step.action.batch)
    assert all(Lossiness.OBS_SHARED_BY_BATCH in step.lossiness for step in steps)


def test_reasoning_never_reaches_the_action():
    text = '<think>\nsecret plan\n</think>\n<tool_call>\n{"name": "a", "arguments": {"x": 1}}\n</tool_call>'
    answer = {"role": "user", "content": "<tool_response>\n1\n</tool_response>\n<tool_response>\n2\n</tool_response>"}
    steps, orphans = parts(Bytes(jsonl(row({"role": "assistant", "content": text}, answer))))
    assert "secret" not in steps[0].action.to_dict().__str__()
    assert steps[0].thoughts == ({"reasoning": "secret plan"},)
    assert steps[0].observation is None, "two answers for one call without ids are nobody's"
    assert len(orphans) == 2


def test_share_gpt_with_function_calls():
    talk = [
        {"from": "human", "value": "hi"},
        {"from": "function_call", "value": '{"name": "look", "arguments": {"at": "sky"}}'},
        {"from": "observation", "value": "blue"},
        {"from": "gpt", "value": "It is blue."},
    ]
    steps, _ = parts(Bytes(json.dumps([{"conversations": talk, "tools": json.dumps([TOOL])}])))
    assert [(step.action.name, step.observation) for step in steps] == [("look", "blue")]


def test_a_toucan_row_holds_json_in_texts():
    talk = [
        {"role": "user", "content": "q"},
        {"role": "assistant", "content": "", "function_call": {"name": "find", "arguments": '{"q": "x"}'}},
        {"role": "function", "name": "find", "content": "found"},
    ]
    source = Bytes(jsonl({"uuid": "u", "messages": json.dumps(talk), "available_tools": json.dumps([TOOL])}, {"x": 1}))
    steps, _ = parts(source)
    assert [(step.action.name, step.observation) for step in steps] == [("find", "found")]
    assert isinstance(read(source)[1], Rejected)


def test_a_result_of_another_tool_is_an_orphan():
    steps, orphans = parts(
        Bytes(
            jsonl(
                row(
                    {"role": "assistant", "content": "", "function_call": {"name": "a", "arguments": "{}"}},
                    {"role": "function", "name": "b", "content": "of b"},
                )
            )
        )
    )
    assert steps[0].observation is None
    assert orphans[0].details["text"] == "of b"


def test_items_of_responses_and_parts_of_anthropic():
    result = {"type": "tool_result", "tool_use_id": "t", "content": [{"type": "text", "text": "of c"}]}
    items: list[dict[str, Any]] = [
        {"type": "function_call", "name": "a", "arguments": "{}", "call_id": "1"},
        {"type": "function_call", "name": "b", "arguments": "{}", "call_id": "2"},
        {"type": "function_call_output", "call_id": "2", "output": "of b"},
        {"type": "function_call_output", "call_id": "1", "output": "of a"},
        {"role": "assistant", "content": [{"type": "tool_use", "id": "t", "name": "c", "input": {"x": 1}}]},
        {"role": "user", "content": [result, {"type": "text", "text": "go on"}]},
    ]  # fmt: skip
    steps, orphans = parts(Bytes(jsonl(row(*items))))
    assert [(step.action.name, step.observation) for step in steps] == [("a", "of a"), ("b", "of b"), ("c", "of c")]
    assert [orphan.details["text"] for orphan in orphans] == ["go on"]


def test_harness_words_stand_in_shown():
    act = "Look.\n\n<function=bash>\n<parameter=command>ls</parameter>\n</function>"
    left = "\n\nThis is step 3 of a maximum of 9. Steps Remaining: 6."
    cut = "<response clipped><NOTE>Observations should not exceeded 3 characters.</NOTE>"
    answers = (
        {"role": "user", "content": "OBSERVATION:\na.py\r\n"},
        {"role": "tool", "content": "Exit code: 2\nExecution output of [bash]:\nno" + left},
        {"role": "user", "content": "Your command ran successfully and did not produce any output."},
        {"role": "user", "content": "Observation: abc" + cut},
    )
    talk = [message for answer in answers for message in ({"role": "assistant", "content": act}, answer)]
    steps, _ = parts(Bytes(jsonl(row(*talk))))
    assert [step.observation for step in steps] == ["a.py\r\n", "no", "", "abc"]
    assert all(step.shown is not None for step in steps)
    assert (steps[1].outcome.status, steps[1].outcome.exit_code) == (Status.TOOL_ERROR, 2)
    assert Lossiness.NO_EXIT_CODE in steps[0].lossiness
    assert Lossiness.NO_EXIT_CODE not in steps[1].lossiness
    assert Lossiness.TRUNCATED_NO_FULL in steps[3].lossiness


def test_strange_values_do_not_stop_a_row():
    big = {"role": "assistant", "tool_calls": [call("a", {"n": 10**30}, 7)]}
    nan = b'{"messages": [{"role": "user", "content": "\\ud800"}, {"role": "x"}, 5, ' + json.dumps(big).encode()
    nan += b', {"role": "tool", "tool_call_id": 7, "content": "line\\u2028sep", "score": NaN}]}\n'
    steps, orphans = parts(Bytes(b"\xef\xbb\xbf" + nan.replace(b"\n", b"\r\n") + b'{"messages": [{"ro'))
    assert steps[0].action.arguments == '{"n":1000000000000000000000000000000}'
    assert steps[0].observation == "line\u2028sep"
    assert [orphan.code for orphan in orphans] == ["unknown_record", "unknown_record"]


@pytest.mark.parametrize(
    ("rows", "reason"),
    [
        ([row({"role": "assistant", "content": "hi"})], "talk without any tool"),
        ([row(ASKS)], "predictions only"),
        ([{"responses_create_params": {"input": [{"role": "user", "content": "q"}]}}], "prompt only"),
    ],
)
def test_without_results_there_is_nothing_to_import(rows: list[Any], reason: str):
    with pytest.raises(InputError, match=reason):
        read(Bytes(jsonl(*rows, *rows)))


def test_a_conversation_written_out_turn_by_turn_counts_once():
    talk = ROW["messages"]
    rows = [{"messages": talk[:length]} for length in (3, 6, 7)]
    for order in (rows, rows[::-1]):
        made = read(Bytes(jsonl(*order, row(ASKS, SAYS | {"content": "else"}))))
        assert [isinstance(item, Imported) for item in made].count(True) == 2
        assert all("counted once" in item.reason for item in made if isinstance(item, Rejected))


def test_prompt_and_completion():
    source = Bytes(jsonl({"prompt": ROW["messages"][:1], "completion": [ASKS, SAYS], "info": {}, "reward": 0.5}))
    made = read(source)[0]
    assert isinstance(made, Imported)
    assert made.end.reward == 0.5
    assert [step.observation for step in parts(source)[0]] == ["two"]


@pytest.mark.parametrize(
    ("names", "domain"),
    [
        (["bash"], Domain.TERMINAL),
        (["bash", "submit"], Domain.SWE),
        (["search", "visit"], Domain.SEARCH),
        (["search", "book"], Domain.MCP),
    ],
)
def test_domains(names: list[str], domain: Domain):
    talk = []
    for name in names:
        talk.append({"role": "assistant", "tool_calls": [call(name, {}, "c")]})
        talk.append({"role": "tool", "tool_call_id": "c", "content": name})
    made = read(Bytes(jsonl(row(*talk))))[0]
    assert isinstance(made, Imported)
    assert made.domain == domain


def test_lines_longer_than_the_head():
    long = row(ASKS | {"content": "x" * 100_000}, SAYS)
    assert len(read(Bytes(jsonl(long, long)))) == 2


def test_sniff_leaves_the_others_alone():
    talk = ROW["messages"]
    for other in (
        {"info": {}, "messages": talk, "trajectory_format": "mini-swe-agent-1"},
        {"conversations": talk, "agent": "terminus-2", "episode": "episode-0", "trial_name": "t"},
        {"sessionId": "s", "projectHash": "h", "messages": [{"type": "user", "content": "x"}]},
        [{"role": "user", "content": "x"}, {"role": "assistant", "content": "```bash\nls\n```"}],
    ):
        assert not Messages().sniff(Bytes(other))
    assert Messages().sniff(Bytes(talk))


def test_broken_versions():
    second = row(
        {"role": "assistant", "content": "", "tool_calls": [call("look", {}, "d1")]},
        {"role": "tool", "tool_call_id": "d1", "content": "seen"},
    )
    fuzz(Messages, jsonl(ROW, second))
    fuzz(Messages, [ROW, second])


# Each count by hand:
#   grep -o '<function=' smith_ft_xml.jsonl per line (less the ones of the system prompt); jq '.messages|length'
COUNTS = {
    # jq -c '[.messages[]|select(.role=="assistant" and (.content|contains("<function=")))]|length' → 37 44 22
    "chat_sft/smith_ft_xml.jsonl": [37, 44, 22],
    # jq -c '[.input[]|select(.role=="assistant" and (.content|contains("<function=")))]|length' → 29 38
    "chat_sft/sweworld_multi_2.jsonl": [29, 38],
    # jq -c '[.messages[]|select(.role=="assistant" and (.content|contains("<tool_call>")))]|length' → 1 1 1 1 1
    "search/webdancer_5.jsonl": [1, 1, 1, 1, 1],
}


@pytest.mark.shared
@pytest.mark.parametrize("name", COUNTS)
def test_counts_of_real_files(shared_data: Path, name: str):
    made = read(Bytes((shared_data / name).read_bytes(), name))
    counts = [sum(isinstance(s, ImportedStep) for s in m.steps) for m in made if isinstance(m, Imported)]
    assert counts == COUNTS[name]


@pytest.mark.shared
@pytest.mark.parametrize("name", ["chat_sft/dj_chatml.jsonl", "chat_sft/nemo_gym_example.jsonl"])
def test_real_files_that_are_refused(shared_data: Path, name: str):
    with pytest.raises(InputError, match="nothing to import"):
        read(Bytes((shared_data / name).read_bytes(), name))
