"""docs/terminal.md: its tables come from the models, its examples are read and run.

`python -m tests.pipelines.test_terminal_docs` writes the tables again.
"""

from __future__ import annotations

import asyncio
import json
import re
from pathlib import Path
from typing import Any

import pytest
import yaml

from tests._sandboxes import need_namespaces
from tests._settings_table import filled, settings_table
from worldtape.collectors.policies import POLICIES
from worldtape.collectors.tasks import Setup, Stroke, TaskFile, load_suite
from worldtape.collectors.terminal import TerminalConfig, keystrokes
from worldtape.pipelines.record import JobConfig
from worldtape.schemas import EndStatus, Limits, SettledBy
from worldtape.schemas.settings import parse_settings

PAGE = Path(__file__).resolve().parents[2] / "docs" / "terminal.md"


def generated(text: str) -> str:
    policies = [(f"{name}: ", POLICIES[name].Config) for name in ("script", "explore", "replay", "llm")]
    blocks = {
        "terminal-settings": settings_table(("", TerminalConfig), ("limits.", Limits), ("setup.", Setup)),
        "policy-settings": settings_table(*policies),
        "task-settings": settings_table(("", TaskFile), ("setup.", Setup), ("solution[][].", Stroke)),
        "job-settings": settings_table(("", JobConfig)),
    }
    return filled(text, blocks)


def test_page_is_current() -> None:
    assert PAGE.read_text("utf-8") == generated(PAGE.read_text("utf-8"))


def _blocks(language: str) -> list[str]:
    return re.findall(rf"```{language}\n(.*?)```", PAGE.read_text("utf-8"), re.DOTALL)


@pytest.mark.parametrize("number", range(len(_blocks("yaml"))))
def test_examples_are_taken(number: int) -> None:
    text = _blocks("yaml")[number]
    if text.startswith("# task"):
        assert parse_settings(TaskFile, text, where="docs").actions
    elif text.startswith("# job"):
        assert parse_settings(JobConfig, text, where="docs").repeats == 5
    else:
        kind = yaml.safe_load(text)["policy"]["kind"]
        assert parse_settings(JobConfig, f"name: x\n{text}", where="docs").policy["kind"] == kind


def test_the_action_is_one() -> None:
    (text,) = _blocks("json")
    action = keystrokes(text)
    assert action is not None
    assert json.loads(action.text) == json.loads(text)


def test_what_is_counted_and_named() -> None:
    text = PAGE.read_text("utf-8")
    assert f"{len(load_suite('terminal-core').tasks)} tasks" in text
    for kind in POLICIES:
        assert f"| `{kind}` |" in text
    for name in SettledBy:
        assert f"| `{name.value}` |" in text


@pytest.mark.sandbox
def test_the_loop_records_and_replays(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    need_namespaces()
    monkeypatch.chdir(tmp_path)
    names: dict[str, Any] = {}
    exec(_blocks("python")[0], names)
    end = asyncio.run(names["main"]())
    assert (end.status, end.steps) == (EndStatus.COMPLETED, 2)


if __name__ == "__main__":
    PAGE.write_text(generated(PAGE.read_text("utf-8")), "utf-8")
