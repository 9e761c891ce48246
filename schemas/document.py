"""The JSON schema of everything that stands on a tape or in the lake."""

from typing import Any

from pydantic.json_schema import models_json_schema

from worldtape.schemas.action import Action
from worldtape.schemas.end import End
from worldtape.schemas.fault import Fault
from worldtape.schemas.header import Header
from worldtape.schemas.ready import Ready
from worldtape.schemas.step_result import StepResult
from worldtape.schemas.trajectory import Trajectory
from worldtape.schemas.transition import Transition
from worldtape.schemas.version import SCHEMA_VERSION

_MODELS = (Trajectory, Transition, Header, Ready, Action, StepResult, Fault, End)


def json_schema() -> dict[str, Any]:
    """Return one JSON schema (draft 2020-12) with every model below `$defs`; the docstrings are its descriptions."""
    _, document = models_json_schema([(model, "serialization") for model in _MODELS], title="Worldtape")
    head = {"$schema": "https://json-schema.org/draft/2020-12/schema", "version": SCHEMA_VERSION}
    return head | document
