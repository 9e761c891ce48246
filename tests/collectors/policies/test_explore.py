"""The explorer's tables, and what it decides without a terminal."""

from __future__ import annotations

import re
from random import Random
from typing import Any

import pytest

from tests.collectors.policies._history import history, result
from worldtape.collectors.policies import POLICIES, Explore
from worldtape.collectors.policies.explore.choose import Chooser
from worldtape.collectors.policies.explore.fill import Filler, UnfitError
from worldtape.collectors.policies.explore.mode import Mode, mode_of, mode_of_program
from worldtape.collectors.policies.explore.tables import families, read_yaml
from worldtape.collectors.policies.explore.theme import pick_theme
from worldtape.collectors.policies.explore.world import World
from worldtape.errors import ConfigError
from worldtape.schemas import Action, Outcome, Status, StepResult

pytestmark = pytest.mark.anyio
KINDS = ("txt", "csv", "log", "json", "py", "sh", "ini", "tgz", "gz", "dir")


def world(*kinds: str, seed: int = 0) -> World:
    rng = Random(seed)
    made = World(pick_theme(rng), rng)
    for kind in kinds or KINDS:
        for number in range(4):
            made.add(f"{kind}{number}", kind)
    return made


@pytest.mark.parametrize("name", sorted(families()))
def test_every_episode_can_be_filled_and_holds_nothing_that_a_shell_would_complete(name: str) -> None:
    for seed in range(3):
        for episode in families()[name].episodes:
            filler = Filler(world(seed=seed))
            for step in episode.steps:
                for text in map(filler.fill, step.texts()):
                    assert "\t" not in text
                    assert not re.search(r"@[A-Za-z]+\d?(:\w+)?@", text)
                assert step.then == "any" or step.then in list(Mode)


def test_reactions_and_ways_out_can_be_used() -> None:
    for row in read_yaml("reactions.yaml")["reactions"]:
        re.compile(row["match"])
        for text in row["do"]:
            assert "@1" not in Filler(world(), {"1": "a.txt", "base": "a.txt"}).fill(text)
    assert {"vi", "nano", "less", "python", "running", "input", "stuck"} <= read_yaml("leave.yaml").keys()


def test_a_placeholder_keeps_its_value_and_numbered_ones_differ() -> None:
    filler = Filler(world())
    first, again, other = filler.fill("@file@ @file@ @file2@").split()
    assert first == again != other
    with pytest.raises(UnfitError):
        Filler(world("csv")).fill("@text@")


def test_paths_follow_the_working_directory() -> None:
    made = world("txt")
    made.add("logs", "dir")
    made.settle_here({"cwd": "/home/user/x"})
    made.move(None, {"cwd": "/home/user/x/logs"})
    assert made.paths("txt")[0] == "../txt0"
    assert made.has("inside")
    made.add("a.txt", "txt")
    made.move("..", None)
    assert "logs/a.txt" in made.paths("txt")
    made.drop("logs")
    assert made.paths("dir") == []
    assert "logs/a.txt" not in made.paths("txt")


@pytest.mark.parametrize(
    ("command", "mode"),
    [
        ("-bash", Mode.SHELL),
        ("vi notes.txt", Mode.EDITOR),
        ("/usr/bin/vim.basic a", Mode.EDITOR),
        ("/usr/bin/python3.11 -q", Mode.REPL),
        ("less +F a.log", Mode.PAGER),
        ("cat", Mode.INPUT),
    ],
)
def test_the_foreground_program_gives_the_mode(command: str, mode: Mode) -> None:
    assert mode_of_program(command) is mode
    assert mode_of(result("", state_after={"foreground": command})) is mode


def test_a_running_program_is_a_mode_of_its_own() -> None:
    running = result("").model_copy(update={"outcome": Outcome(status=Status.TIMEOUT_STILL_RUNNING)})
    assert mode_of(running) is Mode.RUNNING
    assert mode_of(result("")) is None


def test_a_missing_tool_is_not_asked_for_again() -> None:
    made = world()
    made.start({"bash": "5", "git": "2"})
    assert not made.has("tool nano")
    assert made.has("tool git")
    assert made.has("tool awk")
    chooser = Chooser(made, Random(1), failing=0.2)
    drawn = [step.do or "" for _ in range(400) for step, _ in chooser.draw()]
    assert not any(text.startswith(("python3 ", "nano ", "less ")) for text in drawn)


async def play(explore: Explore, answer: Any, steps: int = 30) -> list[str]:
    """Let it act on an environment that answers by `answer(action)`."""
    seen, _ = history()
    texts: list[str] = []
    while len(texts) < steps and (action := await explore.next(seen)) is not None:
        texts.append(action.text)
        seen.turns.append((action, answer(action)))
    return texts


def fine(_: Action) -> StepResult:
    return result("$ ", state_after={"foreground": "bash", "cwd": "/home/user/x"})


async def test_same_seed_same_actions_and_other_seed_others() -> None:
    first, again, other = [await play(Explore(seed), fine) for seed in (3, 3, 4)]
    assert first == again
    assert first != other


async def test_it_ends_after_its_steps_and_when_the_shell_is_gone() -> None:
    assert len(await play(Explore(1, steps=7), fine)) == 7
    gone = await play(Explore(1), lambda action: fine(action).model_copy(update={"done": True}))
    assert len(gone) == 1


async def test_it_looks_for_a_way_out_of_a_program_that_it_did_not_expect() -> None:
    stuck = result("~", None, state_after={"foreground": "vim x"})
    texts = await play(Explore(1), lambda _: stuck, steps=6)
    assert any(":q!" in text for text in texts[1:3])
    assert any("C-z" in text for text in texts)


async def test_it_reacts_to_the_error_on_the_screen() -> None:
    def answer(action: Action) -> StepResult:
        state = {"foreground": "bash", "cwd": "/x"}
        return result(
            f"$ {action.text}\nls: cannot access 'gone.txt': No such file or directory\n$", 2, state_after=state
        )

    texts = [text for seed in range(5) for text in await play(Explore(seed), answer)]
    assert sum("gone.txt" in text for text in texts) > 5


@pytest.mark.parametrize(("wanted", "low", "high"), [(0.0, 0.0, 0.06), (0.3, 0.25, 0.4)])
def test_the_failing_share_is_steered(wanted: float, low: float, high: float) -> None:
    meant = {step.do for episode in families()["errors"].episodes for step in episode.steps}
    chooser = Chooser(world(), Random(5), failing=wanted)
    for _ in range(300):
        chooser.failed += any(step.do in meant for step, _ in chooser.draw())
        chooser.turns += 1
    assert low <= chooser.failed / chooser.turns <= high


def test_settings_are_checked() -> None:
    made = POLICIES["explore"].from_config({"seed": 5, "steps": 3, "failing": 0.1})
    assert made.spec.seed == 5
    assert "seed" in Explore.Config.model_json_schema()["properties"]
    with pytest.raises(ConfigError, match="sed"):
        Explore.from_config({"sed": 5})
    with pytest.raises(ConfigError, match="failing"):
        Explore.from_config({"failing": 2})
