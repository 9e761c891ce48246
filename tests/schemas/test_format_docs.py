"""docs/format.md says what the columns are; `python -m tests.schemas.test_format_docs` writes it again."""

from __future__ import annotations

import inspect
import re
from pathlib import Path

from worldtape.schemas import EventKind, Lossiness, Status
from worldtape.schemas.columns import TRAJECTORIES, TRANSITIONS, VERDICTS, Column, arrow_schema

PAGE = Path(__file__).resolve().parents[2] / "docs" / "format.md"


def column_table(columns: tuple[Column, ...]) -> str:
    types = {field.name: str(field.type) for field in arrow_schema(columns)}
    rows = [f"| `{c.name}` | {types[c.name].split('<')[0]} | `{c.path}` | {c.doc} |" for c in columns]
    return "\n".join(["| column | type | in the model | meaning |", "| --- | --- | --- | --- |", *rows])


def lossiness_table() -> str:
    source = inspect.getsource(Lossiness)
    docs = dict(re.findall(r'= "(\w+)"\n    """(.*?)"""', source, re.DOTALL))
    rows = [f"| `{code}` | {' '.join(docs.get(code.value, '').split())} |" for code in Lossiness]
    return "\n".join(["| code | meaning |", "| --- | --- |", *rows])


def generated(text: str) -> str:
    blocks = {
        "columns:transitions": (column_table(TRANSITIONS), "columns"),
        "columns:trajectories": (column_table(TRAJECTORIES), "columns"),
        "columns:verdicts": (column_table(VERDICTS), "columns"),
        "lossiness": (lossiness_table(), "lossiness"),
    }
    for name, (body, end) in blocks.items():
        head, opened, rest = text.partition(f"<!-- {name} -->\n")
        _, closed, tail = rest.partition(f"<!-- /{end} -->")
        assert opened, name
        assert closed, name
        text = f"{head}{opened}\n{body}\n\n{closed}{tail}"
    return text


def test_page_is_current() -> None:
    assert PAGE.read_text("utf-8") == generated(PAGE.read_text("utf-8"))


def test_every_status_event_and_code_is_explained() -> None:
    text = PAGE.read_text("utf-8")
    for name in (*Status, *EventKind, *Lossiness):
        assert f"`{name.value}`" in text, name
    assert not [code for code in Lossiness if f"| `{code.value}` |  |" in text], "a code has no meaning"


if __name__ == "__main__":
    PAGE.write_text(generated(PAGE.read_text("utf-8")), "utf-8")
