"""The page on browsers says which settings the explorer has, and which tasks there are.

`python -m tests.collectors.policies.test_explore_web_docs` writes the table anew.
"""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

from tests._settings_table import filled, settings_table
from worldtape.collectors.policies.explore_web import ExploreWebConfig
from worldtape.collectors.tasks import load_suite
from worldtape.collectors.tasks.suite import SUITES
from worldtape.collectors.web.site.content import read_content

PAGE = Path(__file__).resolve().parents[3] / "docs" / "web.md"


def written(text: str) -> str:
    return filled(text, {"explore-web-settings": settings_table(("", ExploreWebConfig))})


def test_settings_are_told() -> None:
    text = PAGE.read_text(encoding="utf-8")
    assert written(text) == text


def test_counts_are_right() -> None:
    text = PAGE.read_text(encoding="utf-8")
    shelves, threads = read_content("shop", "catalogue"), read_content("forum", "threads")
    assert f"{sum(len(one['products']) for one in shelves)} products on {len(shelves)} shelves" in text
    assert f"{len(threads)} threads on {len(read_content('forum', 'people')['boards'])} boards" in text
    assert f"The suite `web-core`: {len(load_suite('web-core').tasks)} tasks" in text


def test_the_task_shown_is_one_of_ours() -> None:
    found = re.search(r"```yaml\n# task: (\S+)\n(.*?)```", PAGE.read_text(encoding="utf-8"), re.DOTALL)
    assert found is not None
    assert (SUITES / "web-core" / found[1]).read_text(encoding="utf-8") == found[2]


def test_the_site_is_started_as_shown() -> None:
    (code,) = re.findall(r"```py\n(.*?)```", PAGE.read_text(encoding="utf-8"), re.DOTALL)
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert re.fullmatch(r"http://127\.0\.0\.1:\d+/\n34\n", done.stdout)


if __name__ == "__main__":
    PAGE.write_text(written(PAGE.read_text(encoding="utf-8")), encoding="utf-8")
