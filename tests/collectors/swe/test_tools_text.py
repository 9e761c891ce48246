"""Text of files, exact replacement, glob patterns and schemas: no container is needed."""

from __future__ import annotations

import codecs
import fnmatch
import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from worldtape.collectors.swe.render.text import clean, decode, encode
from worldtape.collectors.swe.tools import Family, declared
from worldtape.collectors.swe.tools._check import claude_words, cli_words
from worldtape.collectors.swe.tools._claude_tools import SCHEMAS as CLAUDE
from worldtape.collectors.swe.tools._cli_tools import SCHEMAS as CLI
from worldtape.collectors.swe.tools.globs import expand, matcher
from worldtape.collectors.swe.tools.replace import Edit, Miss, changed_lines, replace

TEXTS = st.text(st.sampled_from("ab \t\r\n.$\\é€😀"), max_size=40)


@given(st.binary(max_size=200))
def test_what_was_read_is_written_back_byte_for_byte(data: bytes) -> None:
    held = decode(data)
    assert held is None or held.encode(held.text) == data


@pytest.mark.parametrize(
    ("bom", "encoding"),
    [
        (codecs.BOM_UTF8, "utf-8"),
        (codecs.BOM_UTF16_LE, "utf-16-le"),
        (codecs.BOM_UTF16_BE, "utf-16-be"),
        (codecs.BOM_UTF32_LE, "utf-32-le"),
        (codecs.BOM_UTF32_BE, "utf-32-be"),
    ],
)
def test_a_byte_order_mark_decides_and_stays(bom: bytes, encoding: str) -> None:
    held = decode(bom + "naïve €\r\n".encode(encoding))
    assert held is not None
    assert held.text == "naïve €\r\n"
    assert held.encode("x") == bom + "x".encode(encoding)


@pytest.mark.parametrize(
    "data",
    [
        b"\x7fELF\0\0",
        b"text\0text",
        b"\x01\x02\x03abc",
        b"\x89PNG\r\n\x1a\n\0",
        codecs.BOM_UTF16_LE + b"odd",
        bytes(range(128, 256)),
    ],
)
def test_binary_is_no_text(data: bytes) -> None:
    assert decode(data) is None


@pytest.mark.parametrize(
    "data", [b"", b"plain", b"\x1b[31mred\x1b[0m\n", "Größe der Datei".encode("latin-1"), "日本語".encode()]
)
def test_text_is_text(data: bytes) -> None:
    assert decode(data) is not None


def test_what_cannot_be_written_is_replaced() -> None:
    assert encode("a\ud800b") == "a\ufffdb".encode()
    assert clean("\udcff") == "\ufffd"
    held = decode(b"a\xff\n")
    assert held is not None
    assert held.encode(held.text + "\ud800") == "a\ufffd\n\ufffd".encode()


@given(TEXTS, TEXTS, TEXTS, TEXTS.filter(bool))
def test_only_the_place_that_is_named_is_changed(before: str, after: str, new: str, old: str) -> None:
    text = f"{before}{old}{after}"
    made = replace(text, Edit(old, new))
    if isinstance(made, str):
        assert made.startswith(before.rstrip("\r")) or made.endswith(after)
        assert made != text


@pytest.mark.parametrize(
    ("text", "edit", "made"),
    [
        ("a\r\nb\r\nc", Edit("a\nb", "x\ny"), "x\r\ny\r\nc"),
        ("a\nb\r\nc\n", Edit("a\nb", "x\ny"), "x\ny\r\nc\n"),
        ("a\r\nb", Edit("a\r\nb", "c"), "c"),
        ("one\ntwo\nthree\n", Edit("two", ""), "one\nthree\n"),
        ("one two\n", Edit("two", ""), "one \n".replace(" \n", " ")),
        ("x = 1\n", Edit("x = 1", r"x = \1$0"), "x = \\1$0\n"),
        ("a.b a.b", Edit("a.b", "c", everywhere=True), "c c"),
    ],
)
def test_replacements(text: str, edit: Edit, made: str) -> None:
    assert replace(text, edit) == made


@pytest.mark.parametrize(
    ("text", "edit", "miss"),
    [
        ("abc", Edit("x", "y"), Miss("no_occurrence")),
        ("a.c abc", Edit("abd", "y"), Miss("no_occurrence")),
        ("x x", Edit("x", "y"), Miss("many_occurrences", 2)),
        ("x", Edit("x", "x"), Miss("same_strings")),
        ("a\r\nb\r\n", Edit("a\nb", "a\r\nb"), Miss("no_change")),
        ("Tab\tbed", Edit("Tab bed", "y"), Miss("no_occurrence")),
    ],
)
def test_misses(text: str, edit: Edit, miss: Miss) -> None:
    assert replace(text, edit) == miss


def test_what_is_shown_around_a_change() -> None:
    old = [str(number) for number in range(20)]
    new = [*old[:10], "new", *old[11:]]
    assert changed_lines("\n".join(old), "\n".join(new)) == (7, 15, 20)
    assert changed_lines("a", "b") == (1, 1, 1)
    assert changed_lines("\n".join(old), "\n".join(old[:19])) == (16, 19, 19)
    assert changed_lines("a\nb", "") == (1, 1, 1)


@pytest.mark.parametrize(
    ("pattern", "yes", "no"),
    [
        ("*.py", ["a.py"], ["a/b.py", "a.pyc"]),
        ("**/*.py", ["a.py", "a/b/c.py"], ["a.txt"]),
        ("src/**", ["src/a", "src/a/b"], ["src", "srcs/a"]),
        ("src/**/test_?.py", ["src/test_a.py", "src/x/y/test_b.py"], ["src/test_ab.py"]),
        ("*.{md,rst}", ["a.md", "b.rst"], ["a.txt"]),
        ("{a,b/{c,d}}.x", ["a.x", "b/c.x", "b/d.x"], ["b.x"]),
        ("[a-c]x", ["ax", "cx"], ["dx"]),
        ("[!a]x", ["bx"], ["ax", "/x"]),
        ("{only}", ["{only}"], ["only"]),
        ("a[", ["a["], ["a"]),
        ("[z-a]", ["[z-a]"], ["z"]),
        ("a\\*", ["a*"], ["ab"]),
        ("[[]x", ["[x"], ["x"]),
        ("**", ["a", "a/b"], []),
    ],
)
def test_globs(pattern: str, yes: list[str], no: list[str]) -> None:
    fits = matcher(pattern, anywhere=False)
    assert all(fits.match(path) for path in yes)
    assert not any(fits.match(path) for path in no)


def test_a_bare_name_matches_anywhere_if_asked() -> None:
    assert matcher("*.py", anywhere=True).match("a/b/c.py")
    assert not matcher("a/*.py", anywhere=True).match("b/a/c.py")


@given(st.text("ab*?[]!-{},/\\^&~|", max_size=12), st.text("ab[-/", max_size=6))
def test_any_pattern_is_read_and_agrees_where_fnmatch_means_the_same(pattern: str, name: str) -> None:
    fits = matcher(pattern, anywhere=False).match(name) is not None
    if not set(pattern + name) & set("/\\{}[]") and "**" not in pattern:
        assert fits == fnmatch.fnmatchcase(name, pattern)


def test_braces_do_not_explode() -> None:
    assert len(expand("{a,b}" * 30)) <= 600


@pytest.mark.parametrize("family", ["cli", "claude"])
def test_every_tool_declares_a_valid_schema(family: Family) -> None:
    import jsonschema

    tools = declared(family)
    assert len({tool.name for tool in tools}) == 8
    for tool in tools:
        assert tool.input_schema is not None
        schema = json.loads(tool.input_schema)
        jsonschema.Draft202012Validator.check_schema(schema)
        assert schema["additionalProperties"] is False
        assert all(field["description"] for field in schema["properties"].values())


VALUES = st.one_of(
    st.none(), st.booleans(), st.integers(-5, 700_000), st.floats(-2, 2), st.text(max_size=3), st.just([]), st.just({})
)
CALLS = st.sampled_from([(CLI, cli_words, name) for name in CLI] + [(CLAUDE, claude_words, name) for name in CLAUDE])


@given(CALLS, st.data())
def test_arguments_are_judged_as_a_json_schema_judges_them(call: tuple, data: st.DataObject) -> None:  # type: ignore[type-arg]
    import jsonschema

    schemas, words, name = call
    schema = schemas[name]
    keys = st.sampled_from([*schema["properties"], "stray"])
    arguments = data.draw(st.dictionaries(keys, VALUES, max_size=4))
    said = words(name, schema, arguments)
    valid = jsonschema.Draft202012Validator(schema).is_valid(arguments)
    blank = any(isinstance(value, str) and not value.strip() for value in arguments.values())
    assert valid == (said is None) or (blank and said is not None)


@pytest.mark.parametrize(
    ("tool", "arguments", "said"),
    [
        ("read_file", {}, "params must have required property 'absolute_path'"),
        ("read_file", {"absolute_path": 3}, "params/absolute_path must be string"),
        ("read_file", {"absolute_path": "/a", "offset": -1}, "params/offset must be >= 0"),
        (
            "todo_write",
            {"todos": [{"id": "1", "content": "x", "status": "done"}]},
            "params/todos/0/status must be equal to one of the allowed values: pending, in_progress, completed",
        ),
        (
            "todo_write",
            {"todos": [{"id": "1", "content": "x", "status": "pending"}] * 2},
            "Todo IDs must be unique within the array",
        ),
    ],
)
def test_words_of_the_command_line_family(tool: str, arguments: dict[str, object], said: str) -> None:
    assert cli_words(tool, CLI[tool], arguments) == said


@pytest.mark.parametrize(
    ("tool", "arguments", "said"),
    [
        ("Read", {}, "Read failed due to the following issue:\nThe required parameter `file_path` is missing"),
        (
            "Read",
            {"file_path": "/a", "limit": "5", "x": 1},
            (
                "Read failed due to the following issues:\n"
                "The parameter `limit` type is expected as `number` but provided as `string`\n"
                "An unexpected parameter `x` was provided"
            ),
        ),
        (
            "MultiEdit",
            {"file_path": "/a", "edits": [{"old_string": None, "new_string": ""}]},
            (
                "MultiEdit failed due to the following issue:\n"
                "The parameter `edits.0.old_string` type is expected as `string` but provided as `null`"
            ),
        ),
    ],
)
def test_words_of_the_claude_like_family(tool: str, arguments: dict[str, object], said: str) -> None:
    assert claude_words(tool, CLAUDE[tool], arguments) == said
