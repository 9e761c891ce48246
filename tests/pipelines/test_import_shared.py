"""Every file of other people's recordings: imported with the right counts, refused with its reason, or unknown.

The counts are those of the importers' own tests (`tests/collectors/importers`), where the `jq` or `grep` line behind
each stands; this table holds that the whole way through the engine gives the same.
"""

from __future__ import annotations

from collections import Counter
from pathlib import Path

import pytest

from tests.pipelines.lakes import files
from worldtape import Lake, import_files, project
from worldtape.pipelines.importing import ImportReport
from worldtape.storage import TapeReader, validate

pytestmark = pytest.mark.shared

IMPORTED = {
    "atif/adp_v17_excerpt.json": ("atif", 1, 3),
    "atif/oh_hello.json": ("atif", 1, 2),
    "atif/rfc_openhands_src.json": ("openhands", 1, 1),
    "atif/t2_ctxsum.json": ("atif", 1, 7),
    "atif/t2_ctxsum_sub_answers.json": ("atif", 1, 0),
    "atif/t2_invalid-json.json": ("atif", 1, 3),
    "atif/t2_invalid-json_traces.json": ("atif", 1, 3),
    "cast/pl_markers-input.cast": ("asciicast", 1, 2),
    "cast/srv_2_full.cast": ("asciicast", 1, 1),
    "cast/srv_3_full.cast": ("asciicast", 1, 1),
    "chat_sft/smith_ft_xml.jsonl": ("messages", 3, 103),
    "chat_sft/sweworld_multi_2.jsonl": ("messages", 2, 67),
    "claude_code/ccl_edge_cases.jsonl": ("claude-code", 1, 3),
    "claude_code/ccl_todowrite.jsonl": ("claude-code", 1, 3),
    "claude_code/entire_6da7_a.jsonl": ("claude-code", 1, 2),
    "claude_code/entire_6da7_b.jsonl": ("claude-code", 1, 3),
    "claude_code/js_small.jsonl": ("claude-code", 3, 3),
    "claude_code/kimuson_init.jsonl": ("claude-code", 1, 12),
    "claude_code/kimuson_todo_long.jsonl": ("claude-code", 6, 167),
    "claude_code/simonw_sample.jsonl": ("claude-code", 1, 2),
    "claude_code/simonw_web_sample.json": ("claude-code", 1, 12),
    "codex/av_fc_args_1.jsonl": ("codex", 1, 1),
    "codex/av_function_calls.jsonl": ("codex", 1, 2),
    "codex/js_small.jsonl": ("codex", 1, 8),
    "mcp/recorder_mock_session.json": ("mcp-log", 1, 4),
    "mcp/vcr_anthropic_mcp.yaml": ("mcp-log", 1, 2),
    "mini_swe/github_issue.traj.json": ("mini-swe-agent", 1, 10),
    "openhands/basic.json": ("openhands", 1, 1),
    "openhands/interactions.json": ("openhands", 1, 0),
    "openhands/resolver_output.jsonl": ("openhands", 2, 24),
    "openhands/sdk_events.jsonl": ("openhands", 1, 2),
    "other_cli/droid.jsonl": ("droid", 1, 1),
    "other_cli/gemini_large.json": ("gemini", 1, 2),
    "other_cli/gemini_v040.jsonl": ("gemini", 1, 1),
    "other_cli/kimi_context.jsonl": ("kimi", 1, 1),
    "other_cli/pi_large.jsonl": ("pi", 1, 391),
    "other_cli/qwen_code.jsonl": ("qwen-code", 1, 1),
    "search/webdancer_5.jsonl": ("messages", 5, 5),
    "sweagent/ctf_web.traj": ("swe-agent", 1, 21),
    "sweagent/humanevalfix.traj": ("swe-agent", 1, 5),
    "sweagent/marsh_fc_replace.traj": ("swe-agent", 1, 11),
    "sweagent/pydicom.traj": ("swe-agent", 1, 12),
    "sweagent/smith_pandas.traj": ("swe-agent", 1, 17),
}
"""File to format, trajectories and transitions."""

QUIET = "no input events"
TALK = "no tool was called"
REFUSED = {
    "atif/rfc_gemini_src.json": TALK,
    "cast/pl_cursor.cast": QUIET,
    "cast/pl_resizing.cast": QUIET,
    "cast/pl_theme-256.cast": QUIET,
    "cast/srv_1_full.json": QUIET,
    "cast/srv_1_invalid-data.json": QUIET,
    "cast/srv_1_invalid-time-1.json": QUIET,
    "cast/srv_2_blank-lines.cast": QUIET,
    "cast/srv_2_invalid-resize.cast": QUIET,
    "cast/srv_3_blank-lines-and-comments.cast": QUIET,
    "cast/srv_3_broken.cast": QUIET,
    "cast/srv_welcome.cast": QUIET,
    "chat_sft/dj_chatml.jsonl": "no tool result",
    "chat_sft/nemo_gym_example.jsonl": "a prompt only",
    "claude_code/entire_not_jsonl.jsonl": TALK,
    "claude_code/kimuson_sub123.jsonl": TALK,
    "codex/av_standard_session.jsonl": TALK,
    "codex/js_052_raw.jsonl": TALK,
    "codex/tui_oss_story.jsonl": "what Codex drew on the screen",
    "openhands/swebench_model_output.json": "predictions only",
    "other_cli/gemini_standard_session.json": TALK,
    "other_cli/gemini_system_messages.json": TALK,
    "other_cli/gemini_thinking_only.json": TALK,
    "sweagent/fc_simple.traj": "a demonstration",
}
"""File to what its reason says."""

OURS = {"atif", "cast", "claude_code", "codex", "mini_swe", "openhands", "sweagent"}
"""Folders that hold nothing but files of listed formats."""


@pytest.fixture(scope="module")
def imported(tmp_path_factory: pytest.TempPathFactory) -> tuple[ImportReport, Path, Path]:
    shared = Path(__file__).resolve().parents[3] / "shared" / "data"
    if not shared.is_dir():
        pytest.skip("no ../shared/data beside this clone")
    lake = tmp_path_factory.mktemp("shared") / "lake"
    return import_files([shared], lake), lake, shared


def test_every_file_is_accounted_for(imported: tuple[ImportReport, Path, Path]) -> None:
    report, lake, _ = imported
    assert report.files == report.imported + len(report.refused) + len(report.unknown)
    assert not report.rejected
    found: dict[str, list[str]] = {}
    steps: Counter[str] = Counter()
    for tape in Lake.open(lake).tapes():
        source = TapeReader(tape.path).header["source"]
        found.setdefault(source["uri"], []).append(source["format"].split()[0])
        steps[source["uri"]] += validate(tape.path).steps
    assert {name: (formats[0], len(formats), steps[name]) for name, formats in found.items()} == IMPORTED
    total = report.total
    assert (total.files, total.trajectories, total.transitions) == (
        len(IMPORTED),
        sum(count for _, count, _ in IMPORTED.values()),
        sum(count for _, _, count in IMPORTED.values()),
    )


def test_every_refusal_has_its_reason(imported: tuple[ImportReport, Path, Path]) -> None:
    report, _, _ = imported
    reasons = dict(report.refused)
    assert reasons.keys() == REFUSED.keys()
    assert [name for name, part in REFUSED.items() if part not in reasons[name]] == []


def test_no_file_of_a_listed_format_is_unknown(imported: tuple[ImportReport, Path, Path]) -> None:
    report, _, _ = imported
    lost = {name for name, _ in report.unknown if name.split("/")[0] in OURS}
    assert lost == set()


def test_tapes_are_sound_and_render_again(imported: tuple[ImportReport, Path, Path]) -> None:
    _, lake, _ = imported
    problems = [problem for tape in Lake.open(lake).tapes() for problem in validate(tape.path).problems]
    assert problems == []
    done = project(lake, workers=0)
    assert (done.mismatched, done.set_aside) == (0, {})
    assert done.transitions == sum(count for _, _, count in IMPORTED.values())


def test_a_second_import_adds_nothing(imported: tuple[ImportReport, Path, Path]) -> None:
    first, lake, shared = imported
    before = files(lake, "tapes", "blobs", "set-aside")
    again = import_files([shared], lake)
    assert (again.total.trajectories, again.total.present) == (0, first.total.trajectories + first.total.present)
    assert files(lake, "tapes", "blobs", "set-aside") == before
