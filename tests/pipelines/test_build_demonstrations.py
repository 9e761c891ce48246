"""Demonstrations in system prompts are what environments and renderers write, to the letter."""

from __future__ import annotations

import asyncio
import json
import re
from pathlib import Path
from typing import Any, Literal

import pytest

from tests.pipelines.domains import need
from worldtape.collectors.android.capture import line
from worldtape.collectors.renderers import make_renderer
from worldtape.collectors.swe import Swe, SweConfig
from worldtape.pipelines.build._templates import render, variants
from worldtape.schemas import Rendering

EGGS = """<hierarchy><node class="android.widget.FrameLayout" package="eggs.example" bounds="[0,0][720,1280]">
<node class="android.widget.TextView" text="Egg timer" bounds="[0,60][720,150]"/>
<node class="android.widget.EditText" text="6" hint="Minutes" resource-id="eggs.example:id/minutes"
 clickable="true" bounds="[40,200][680,290]"/>
<node class="android.widget.Button" text="Stop" resource-id="eggs.example:id/start"
 clickable="true" bounds="[40,320][680,410]"/></node></hierarchy>"""
PHONE = {"package": "eggs.example", "app": "Eggs", "activity": ".Timer", "keyboard": False}
SHOWN = ["enabled", "sensitive", "showing", "visible"]
TITLE = "*Untitled 1 - Jotter"
JOTTER = {
    "screen": [1280, 800],
    "windows": [{"id": 1, "title": TITLE, "class": "jotter", "box": [120, 80, 640, 400], "active": True}],
    "nodes": [
        {"parent": None, "role": "application", "name": "jotter"},
        {"parent": 0, "role": "frame", "name": TITLE, "states": ["active", *SHOWN], "box": [120, 80, 640, 400]},
        {"parent": 1, "role": "menu bar", "name": "", "states": SHOWN, "box": [120, 80, 640, 28]},
        {"parent": 2, "role": "menu", "name": "File", "states": SHOWN, "box": [120, 80, 44, 28]},
        {"parent": 2, "role": "menu", "name": "Edit", "states": SHOWN, "box": [164, 80, 44, 28]},
        {"parent": 1, "role": "text", "name": "", "states": ["editable", "focused", *SHOWN], "text": "oats", "caret": 4}
        | {"box": [120, 108, 640, 372]},
    ],
}
DESKTOP = ("tree", json.dumps(JOTTER).encode() + b"\n")
DEVICE = ("hierarchy", line({"source": EGGS, "size": [720, 1280], "state": PHONE}))
GEAR = "def ratio(driven, driver):\n    return driver / driven\n"
CASES = [
    *(("android", f"android.{name}", DEVICE) for name in ("elements", "phone", "tree")),
    *(("os", f"desktop.{name}", DESKTOP) for name in ("table", "tree")),
]


@pytest.mark.parametrize(("domain", "name", "fed"), CASES)
def test_it_is_what_the_renderer_writes(domain: str, name: str, fed: tuple[str, bytes]) -> None:
    found: Any = make_renderer(Rendering(name=name, version="1"))
    found.feed(*fed)
    for template in (*variants(domain, "cpt"), *variants(domain, "sft")):
        assert f"```\n{found.render()}\n```" in render(template, renderer=f"{name}@1")


@pytest.mark.docker
@pytest.mark.parametrize("family", ["claude", "cli"])
def test_a_repository_answers_what_is_shown(family: Literal["claude", "cli"], tmp_path: Path) -> None:
    need("swe")
    text = render("swe/cpt", renderer=f"swe.{family}@1")
    shown = re.findall(r"^Action: `([^\n]*)`\nObservation:\n```\n(.*?)\n```$", text, re.DOTALL | re.MULTILINE)
    assert len(shown) == 4
    (tmp_path / "lathe").mkdir()
    (tmp_path / "lathe" / "__init__.py").touch()
    (tmp_path / "lathe" / "gear.py").write_text(GEAR)
    assert asyncio.run(answers([call for call, _ in shown], tmp_path, family)) == [answer for _, answer in shown]


async def answers(calls: list[str], repository: Path, family: Literal["claude", "cli"]) -> list[str]:
    async with Swe(SweConfig(repository=str(repository), family=family, workdir="/repo")) as machine:
        await machine.reset(lambda *_: None)
        found = []
        for call in calls:
            action = machine.parse(call)
            assert action is not None
            assert action.text == call
            found.append((await machine.step(action, lambda *_: None)).observation.text)
    return found
