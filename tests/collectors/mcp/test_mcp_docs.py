"""docs/mcp.md: its table comes from the models, its example is run.

`python -m tests.collectors.mcp.test_mcp_docs` writes the table again.
"""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

from tests._settings_table import filled, settings_table
from tests.core.test_house import ROOT
from worldtape.collectors.mcp import Elicitation, McpConfig, Sampling

PAGE = ROOT / "docs" / "mcp.md"


def generated(text: str) -> str:
    table = settings_table(("", McpConfig), ("sampling.", Sampling), ("elicitation.", Elicitation))
    return filled(text, {"mcp-settings": table})


def test_the_table_is_that_of_the_models() -> None:
    text = PAGE.read_text("utf-8")
    assert generated(text) == text, "run python -m tests.collectors.mcp.test_mcp_docs"


def test_the_example_says_what_the_page_says(tmp_path: Path) -> None:
    text = PAGE.read_text("utf-8")
    (code,) = re.findall(r"```python\n(.*?)```", text, re.DOTALL)
    (output,) = re.findall(r"<!-- example-output -->\n\n```text\n(.*?)```", text, re.DOTALL)
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True, cwd=tmp_path)
    assert done.stdout == output


if __name__ == "__main__":
    PAGE.write_text(generated(PAGE.read_text("utf-8")), encoding="utf-8")
