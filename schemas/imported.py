"""What an importer makes of somebody else's recording."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Any

from worldtape.schemas.action import Action
from worldtape.schemas.domain import Domain
from worldtape.schemas.end import End
from worldtape.schemas.end_status import EndStatus
from worldtape.schemas.environment_spec import EnvironmentSpec
from worldtape.schemas.fault import Fault
from worldtape.schemas.initial_state import InitialState
from worldtape.schemas.lineage import Lineage
from worldtape.schemas.lossiness import Lossiness
from worldtape.schemas.outcome import Outcome
from worldtape.schemas.policy_spec import PolicySpec
from worldtape.schemas.rendering import Rendering
from worldtape.schemas.settled_by import SettledBy
from worldtape.schemas.status import Status
from worldtape.schemas.task import Task
from worldtape.schemas.timing import Timing


@dataclass(slots=True)
class ImportedStep:
    """One transition as the source tells it."""

    action: Action
    observation: str | None
    """What the environment answered, without the harness's words around it; null: the source does not tell."""
    outcome: Outcome = Outcome(status=Status.OK)
    shown: str | None = None
    """What the policy saw, where it differs: with templates, cuts or several answers in one."""
    timing: Timing = Timing()
    state_after: dict[str, Any] | None = None
    reward: float | None = None
    settled_by: SettledBy | None = None
    """What ended the wait before the observation."""
    snapshot: str | None = None
    fault: Fault | None = None
    """The perturbation in force."""
    lossiness: tuple[Lossiness, ...] = ()
    thoughts: tuple[dict[str, Any], ...] = ()
    """The policy's reasoning before the action; it stays on the tape."""
    locator: str | None = None
    """Where in the source it stands: `line:7`, `bytes:120-480`, or a JSON pointer."""
    data: tuple[tuple[str, bytes], ...] = ()
    """(channel, bytes) pairs for a renderer of its own; with it, `observation` is what that renderer gives."""
    extra: dict[str, Any] = field(default_factory=dict)
    """Fields of the source that have no other place."""


@dataclass(slots=True)
class Imported:
    """One trajectory of a source; its steps may be made lazily while they are written."""

    locator: str
    """Which record of the source: empty where the source is one trajectory, else `line:7`, `/3`, …"""
    domain: Domain
    environment: EnvironmentSpec
    policy: PolicySpec
    steps: Iterable[ImportedStep | Orphan]
    task: Task | None = None
    initial: str | None = None
    """The observation before the first action, where the source has one."""
    initial_data: tuple[tuple[str, bytes], ...] = ()
    """(channel, bytes) pairs before the first action, for the renderer; with them, `initial` is what it gives."""
    initial_state: InitialState = InitialState()
    rendering: Rendering | None = None
    """The renderer of `ImportedStep.data`; null: observations are whole texts."""
    lossiness: tuple[Lossiness, ...] = ()
    """Codes that hold for every step."""
    lineage: Lineage = Lineage()
    licence: str | None = None
    started_at: int | None = None
    """Microseconds since 1970 UTC."""
    end: End = End(status=EndStatus.COMPLETED)
    extra: dict[str, Any] = field(default_factory=dict)


@dataclass(slots=True)
class Orphan:
    """Something that belongs to no transition: kept as a notice, counted in the report."""

    code: str
    """`orphan_result`, `orphan_call`, `time_backwards`, `unknown_record`, `harness_message`, `truncated_source`, …"""
    details: dict[str, Any] = field(default_factory=dict)


@dataclass(slots=True)
class Rejected:
    """A record that cannot be imported, while the rest of its source goes on."""

    locator: str
    reason: str
