"""docs/android.md: its tables come from the models, its example is run, its task is one of ours.

`python -m tests.collectors.android.test_android_docs` writes them again.
"""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

import pytest

from tests._settings_table import filled, settings_table
from tests.core.test_house import ROOT
from worldtape.collectors.android import AndroidConfig
from worldtape.collectors.android.actions import MOVES
from worldtape.collectors.android.hierarchy import FLAGS
from worldtape.collectors.policies.explore_ui import ExploreUiConfig
from worldtape.collectors.tasks import load_suite
from worldtape.collectors.tasks.suite import SUITES

PAGE = ROOT / "docs" / "android.md"
TASK = re.compile(r"```yaml\n# task: (\S+)\n(.*?)```", re.DOTALL)


def generated(text: str) -> str:
    tables = {
        "android-settings": settings_table(("", AndroidConfig)),
        "explore-ui-settings": settings_table(("", ExploreUiConfig)),
    }
    rows = "\n".join(f"| `{name}` | {said} |" for name, said in FLAGS.items())
    tables["flags"] = "| flag | |\n| --- | --- |\n" + rows
    text = TASK.sub(
        lambda found: f"```yaml\n# task: {found[1]}\n{(SUITES / 'android-core' / found[1]).read_text()}```", text
    )
    return filled(text, tables)


def run_example(folder: Path) -> str:
    code = re.findall(r"```python\n(.*?)```", PAGE.read_text("utf-8"), re.DOTALL)[0]
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True, cwd=folder)
    return done.stdout


def without_places(text: str) -> str:
    """Return a screen without its bounds: fonts differ."""
    return re.sub(r"bounds=\S+", "bounds", text)


def test_tables_and_the_task_are_those_of_the_code() -> None:
    text = PAGE.read_text("utf-8")
    assert generated(text) == text, "run python -m tests.collectors.android.test_android_docs"
    assert f"The suite `android-core`: {len(load_suite('android-core').tasks)} tasks" in text


def test_every_action_is_named_and_every_named_one_is_there() -> None:
    (table,) = re.findall(r"\| `action_type` \|.*?\n\n", PAGE.read_text("utf-8"), re.DOTALL)
    first = "".join(line.split("|")[1] for line in table.splitlines()[2:] if line)
    assert set(re.findall(r"`([a-z_]+)`", first)) - {"duration_ms"} == set(MOVES)


@pytest.mark.android
@pytest.mark.usefixtures("phone_page")
def test_the_example_says_what_the_screen_says(tmp_path: Path) -> None:
    (output,) = re.findall(r"<!-- example-output -->\n\n```text\n(.*?)```", PAGE.read_text("utf-8"), re.DOTALL)
    assert without_places(run_example(tmp_path)) == without_places(output)


if __name__ == "__main__":
    import tempfile

    with tempfile.TemporaryDirectory() as folder:
        said = run_example(Path(folder))
    text = generated(PAGE.read_text("utf-8"))
    head, mark, rest = text.partition("<!-- example-output -->\n\n```text\n")
    PAGE.write_text(head + mark + said + "```" + rest.partition("```")[2], encoding="utf-8")
