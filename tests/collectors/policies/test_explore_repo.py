"""The parts of the explorer of repositories: mistakes in functions, words of both families, what answers say."""

from __future__ import annotations

import ast
import asyncio
import inspect
import json
import textwrap
import warnings
from random import Random
from typing import Any

import jsonschema
import pytest
from hypothesis import given
from hypothesis import strategies as st

from worldtape.collectors.policies import POLICIES, ExploreRepo
from worldtape.collectors.policies.explore_repo.desk import Desk
from worldtape.collectors.policies.explore_repo.growing import examples
from worldtape.collectors.policies.explore_repo.hearing import Page, page, paths
from worldtape.collectors.policies.explore_repo.mutate import functions, mutations
from worldtape.collectors.policies.explore_repo.notes import Notes
from worldtape.collectors.policies.explore_repo.voice import Voice
from worldtape.collectors.swe.tools import make_toolset
from worldtape.collectors.swe.tools._claude_tools import TOOLS as CLAUDE
from worldtape.collectors.swe.tools._cli_tools import TOOLS as CLI
from worldtape.errors import ConfigError
from worldtape.schemas import EnvironmentSpec, History, InitialState, Observation, Ready, Rendering, Tool

SOURCE = inspect.getsource(textwrap)
ROOT = "/workspace"
SMALL = '''import re


class Box:
    """A box."""

    def put(self, thing, count=1):
        """Put a thing in.

        >>> Box().put("lamp")
        1
        """
        if count < 1 or not thing:
            raise ValueError("nothing is put in")
        self.things = self.things + [thing] * count
        return len(self.things)


@decorated
def größe(namen):
    for name in namen:
        if name == "ä" and len(name) > 0: break
    return f"{name} + 1", True
'''


def voice(tools: tuple[Tool, ...]) -> Voice:
    return Voice((tool.name for tool in tools), ROOT)


def desk(tools: tuple[Tool, ...] = CLI, text: str = SMALL) -> Desk:
    made = Desk(voice(tools), Notes(ROOT), Random(1))
    made.notes.read(f"{ROOT}/box.py", Page(1, tuple(text.split("\n")), whole=True))
    return made


def test_functions_have_their_names_and_places() -> None:
    found = {one.name: (one.line, one.last) for one in functions(SMALL)}
    assert found == {"Box.put": (7, 16), "größe": (20, 23)}


def test_of_half_a_file_the_whole_functions_are_found() -> None:
    lines = SMALL.split("\n")
    half = "\n".join([*lines[:17], "", "", "def cut(a,"])
    assert [(one.name, one.line) for one in functions(half)] == [("Box.put", 7)]
    assert functions("\0") == functions("def (") == []


@pytest.mark.parametrize("text", [SMALL, SOURCE], ids=["small", "textwrap"])
def test_a_mistake_is_one_exact_replacement(text: str) -> None:
    kinds = set()
    for function in functions(text):
        for number, mutation in enumerate(mutations(text, function)):
            kinds.add(mutation.kind)
            assert text.count(mutation.old) == 1
            assert text.split("\n")[mutation.line - 1] == mutation.old.split("\n")[0]
            changed = text.replace(mutation.old, mutation.new)
            assert changed != text
            if mutation.kind in {"syntax", "indentation"} or number % 8:
                continue
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                ast.parse(changed)
    assert {"comparison", "junction", "constant", "return", "condition", "name", "left out"} <= kinds


def test_mistakes_beside_letters_of_several_bytes() -> None:
    (function,) = (one for one in functions(SMALL) if one.name == "größe")
    made = {mutation.new.strip() for mutation in mutations(SMALL, function)}
    assert 'if name != "ä" and len(name) > 0: break' in made
    assert 'if name == "ä" or len(name) > 0: break' in made
    assert 'if name == "ä" and len(name) > 0: continue' in made


@given(st.text(max_size=60))
def test_any_text_has_functions_or_none(text: str) -> None:
    whole = f"def f():\n    return 1\n{text}"
    for function in functions(whole):
        assert all(mutation.old in whole for mutation in mutations(whole, function))


def test_pages_of_both_families() -> None:
    assert page("a\nb", claude=False) == Page(1, ("a", "b"), whole=True)
    part = "Showing lines 3-4 of 9 total lines.\n\n---\n\nc\nd"
    assert page(part, claude=False) == Page(3, ("c", "d"), whole=False)
    assert page("     1→a\n     2→", claude=True) == Page(1, ("a", ""), whole=True)
    assert page("     7→a", claude=True) == Page(7, ("a",), whole=False)
    assert page("<system-reminder>Warning: empty</system-reminder>", claude=True) is None


def test_paths_are_heard() -> None:
    text = f"Found 2 file(s):\n{ROOT}/a.py\n{ROOT}/b c.py\n/etc/passwd\n{ROOT}/d.py:12:def f(): pass\n{ROOT}/a.py:3"
    assert paths(text, ROOT) == [f"{ROOT}/a.py", f"{ROOT}/b c.py", f"{ROOT}/d.py"]


def test_notes_know_sources_tests_and_modules() -> None:
    notes = Notes(ROOT)
    names = (
        "pkg/__init__.py",
        "pkg/sub/__init__.py",
        "pkg/sub/core.py",
        "pkg/tests/test_core.py",
        "setup.py",
        "one.py",
    )
    notes.saw([f"{ROOT}/{name}" for name in names])
    assert [notes.relative(path) for path in notes.tests] == ["pkg/tests/test_core.py"]
    assert [notes.relative(path) for path in notes.sources][-2:] == ["pkg/sub/core.py", "one.py"]
    assert [notes.module(f"{ROOT}/{name}") for name in names[:3]] == ["pkg", "pkg.sub", "pkg.sub.core"]
    assert notes.module(f"{ROOT}/one.py") == "one"


def test_pages_join_where_they_meet() -> None:
    notes, path = Notes(ROOT), f"{ROOT}/a.py"
    notes.read(path, Page(1, ("a", "b"), whole=False))
    notes.read(path, Page(7, ("g",), whole=True))
    notes.read(path, Page(3, ("c", ""), whole=True))
    assert (notes.files[path].text, notes.files[path].whole) == ("a\nb\nc\n", True)


@pytest.mark.parametrize("tools", [CLI, CLAUDE], ids=["cli", "claude"])
def test_words_fit_the_schemas(tools: tuple[Tool, ...]) -> None:
    schemas = {tool.name: _schema(tool) for tool in tools}
    says, path = voice(tools), f"{ROOT}/a.py"
    steps = [says.read(path), says.read(path, 3, 9), says.read(path, 3), says.write(path, "x"),
             says.edit(path, "a", "b"), says.edit(path, "a", "b", everywhere=True),
             says.edits(path, [("a", "b")]), says.folder(ROOT),
             says.find("*.py", ROOT), says.search("x", "*.py", ROOT, "content"), says.todo(("a", "b"), 1),
             says.run("ls", "List", timeout_ms=900, background=True)]  # fmt: skip
    named = {step.name for step in steps if step is not None}
    assert named == set(schemas)
    for step in steps:
        if step is not None:
            jsonschema.validate(dict(step.arguments), schemas[step.name])


def _schema(tool: Tool) -> Any:
    return json.loads(tool.input_schema or "{}")


def test_families_are_those_of_the_environment() -> None:
    assert callable(make_toolset)
    assert voice(CLI).speaks
    assert voice(CLAUDE).speaks
    assert not voice(CLI[1:]).speaks


def test_examples_of_docstrings_are_found() -> None:
    (one,) = examples(desk(text=SMALL.replace('Box().put("lamp")', 'put("lamp")')))
    assert (one.function, one.call, one.result) == ("put", 'put("lamp")', "1")


def test_without_the_tools_there_is_nothing_to_do() -> None:
    ready = Ready(
        environment=EnvironmentSpec(kind="swe", tools=(Tool(name="ping"),)),
        initial_state=InitialState(text="nothing"),
        observation=Observation(text="", renderer=Rendering(name="swe.cli", version="1")),
    )
    assert asyncio.run(ExploreRepo(1).next(History(ready, None, lambda _: None))) is None


def test_it_is_made_from_a_job_file() -> None:
    policy = POLICIES["explore-repo"].from_config({"seed": 7, "failing": 0.3})
    assert (policy.spec.kind, policy.spec.seed, policy.spec.parameters["failing"]) == ("explore-repo", 7, 0.3)
    assert policy.action_kinds == {"tool_call"}
    with pytest.raises(ConfigError, match="failing"):
        POLICIES["explore-repo"].from_config({"failing": 2})
