"""What a trajectory is: the state-transition schema, its versions, its tables, and the protocols between the rooms."""

from worldtape.schemas._model import Model
from worldtape.schemas.action import Action
from worldtape.schemas.batch import Batch
from worldtape.schemas.canonical import canonical_json
from worldtape.schemas.document import json_schema
from worldtape.schemas.domain import Domain
from worldtape.schemas.end import End
from worldtape.schemas.end_status import EndStatus
from worldtape.schemas.environment import Environment
from worldtape.schemas.environment_spec import EnvironmentSpec
from worldtape.schemas.error_info import ErrorInfo
from worldtape.schemas.event_kind import EventKind
from worldtape.schemas.exporter import Episode, Exporter
from worldtape.schemas.fault import Fault
from worldtape.schemas.header import Header
from worldtape.schemas.history import History
from worldtape.schemas.ids import derived_id, new_id, transition_id
from worldtape.schemas.imported import Imported, ImportedStep, Orphan, Rejected
from worldtape.schemas.importer import Importer, SourceFile
from worldtape.schemas.initial_state import InitialState
from worldtape.schemas.limits import Limits
from worldtape.schemas.lineage import Lineage
from worldtape.schemas.lossiness import Lossiness
from worldtape.schemas.observation import Observation
from worldtape.schemas.outcome import Outcome
from worldtape.schemas.part import Part
from worldtape.schemas.policy import Policy
from worldtape.schemas.policy_spec import PolicySpec
from worldtape.schemas.ready import Ready
from worldtape.schemas.registry import Registry
from worldtape.schemas.renderer import Renderer
from worldtape.schemas.rendering import Rendering
from worldtape.schemas.settled_by import SettledBy
from worldtape.schemas.sink import Sink
from worldtape.schemas.source import Source
from worldtape.schemas.status import Status
from worldtape.schemas.step_result import StepResult
from worldtape.schemas.tape import Tape
from worldtape.schemas.target import Target
from worldtape.schemas.task import Task
from worldtape.schemas.timing import Timing
from worldtape.schemas.tool import Tool
from worldtape.schemas.trajectory import Trajectory
from worldtape.schemas.transition import Transition
from worldtape.schemas.truncation import Truncation
from worldtape.schemas.version import SCHEMA_VERSION, UPGRADES, upgrader

__all__ = [
    "SCHEMA_VERSION",
    "UPGRADES",
    "Action",
    "Batch",
    "Domain",
    "End",
    "EndStatus",
    "Environment",
    "EnvironmentSpec",
    "Episode",
    "ErrorInfo",
    "EventKind",
    "Exporter",
    "Fault",
    "Header",
    "History",
    "Imported",
    "ImportedStep",
    "Importer",
    "InitialState",
    "Limits",
    "Lineage",
    "Lossiness",
    "Model",
    "Observation",
    "Orphan",
    "Outcome",
    "Part",
    "Policy",
    "PolicySpec",
    "Ready",
    "Registry",
    "Rejected",
    "Renderer",
    "Rendering",
    "SettledBy",
    "Sink",
    "Source",
    "SourceFile",
    "Status",
    "StepResult",
    "Tape",
    "Target",
    "Task",
    "Timing",
    "Tool",
    "Trajectory",
    "Transition",
    "Truncation",
    "canonical_json",
    "derived_id",
    "json_schema",
    "new_id",
    "transition_id",
    "upgrader",
]
