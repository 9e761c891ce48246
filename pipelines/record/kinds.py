"""Which environments a job can name, and how a policy is made for one item."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Protocol

from pydantic import BaseModel

from worldtape.collectors.tasks import TaskFile
from worldtape.errors import ConfigError, InputError
from worldtape.pipelines.record.verdict import Verdict
from worldtape.schemas import Environment, Policy, Registry


class EnvironmentKind(Protocol):
    """What a job needs to know of one kind of environment; stateless.

    Two more members are used where they are there: `action_kinds`, a set: a policy whose actions are of other kinds is
    refused before anything is recorded; and `player(task) -> Policy`, which plays the task's solution.
    """

    Config: type[BaseModel]
    """The settings that stand below `environment` in a job file."""

    def clean(self, config: Any) -> None:
        """Remove what recorders that were killed have left behind."""
        ...

    def make(self, config: Any, task: TaskFile) -> Environment:
        """Return an environment for `task`, set up as the task says."""
        ...

    async def verify(self, environment: Any, task: TaskFile, *, timeout_s: float) -> Verdict:
        """Say whether the task is solved; a verifier that hangs or cannot run says nothing."""
        ...


ENVIRONMENTS = Registry(
    "environment",
    {
        "android": "worldtape.pipelines.record.android:AndroidKind",
        "desktop": "worldtape.pipelines.record.desktop:DesktopKind",
        "mcp": "worldtape.pipelines.record.mcp:McpKind",
        "search": "worldtape.pipelines.record.search:SearchKind",
        "swe": "worldtape.pipelines.record.swe:SweKind",
        "terminal": "worldtape.pipelines.record.terminal:TerminalKind",
        "web": "worldtape.pipelines.record.web:WebKind",
    },
    group="worldtape.environments",
)
"""Name of an environment to a class that follows `EnvironmentKind`."""


def refuse_strangers(kind: str, policy: Policy) -> None:
    """Check that an environment takes what a policy does, where both say so.

    Raises:
        ConfigError: it does not.
    """
    taken: set[str] = set(getattr(ENVIRONMENTS[kind], "action_kinds", ()))
    strange: set[str] = set(getattr(policy, "action_kinds", ())) - taken if taken else set()
    if strange:
        what = (
            f"policy {policy.spec.kind} acts by {', '.join(sorted(strange))}; {kind} takes {', '.join(sorted(taken))}"
        )
        fix = "a string of a script or solution is typed into a terminal: write actions with their `kind`"
        raise ConfigError(what, where="policy", fix=fix)


def policy_class(kind: str) -> Any:
    """Return the class of a policy by its name in a job file."""
    from worldtape.collectors.policies import POLICIES

    return POLICIES[kind]


def make_policy(settings: Mapping[str, Any], task: TaskFile, seed: int, environment: str = "terminal") -> Policy:
    """Return the policy for one item, in an environment of the kind `environment`.

    A `script` without actions plays the task's own solution; a policy that takes a seed and was given none gets
    that of the item.

    Raises:
        ConfigError: the settings do not fit, or the task has no solution to play.
    """
    kind = settings["kind"]
    found = policy_class(kind)
    where: str | None = None
    own = {key: value for key, value in settings.items() if key != "kind"}
    if kind == "script" and own.get("actions") is None and own.get("file") is None:
        if not task.solution:
            raise ConfigError("the task has no solution to play", where=task.id, fix="choose another policy")
        player = getattr(ENVIRONMENTS[environment], "player", None)
        if player is not None:
            plays: Policy = player(task)
            return plays
        own["actions"] = task.actions
        where = f"task {task.id}"
    if "seed" in found.Config.model_fields and own.get("seed") is None:
        own["seed"] = seed
    try:
        policy: Policy = found.from_config(own)
    except InputError as error:
        if where is None:
            raise
        raise ConfigError(str(error), where=where) from error
    return policy
