"""The job file: what to record, in what, by whom, how often."""

from __future__ import annotations

import hashlib
from pathlib import Path
from typing import Any, Literal

from pydantic import BaseModel, Field, field_validator, model_validator

from worldtape.errors import NotFoundError, boundary
from worldtape.pipelines.record.kinds import ENVIRONMENTS, policy_class
from worldtape.schemas.settings import Settings, nested, read_settings


class JobConfig(Settings):
    """Tasks × repeats, in one kind of environment, by one policy."""

    name: str = Field(pattern=r"^[A-Za-z0-9][A-Za-z0-9._-]*$")
    """Stands in the header of every tape."""
    suite: str = ""
    """A folder of task files (relative to the job file), or the name of a suite that Worldtape ships; left out: that of
    the environment, as `terminal-core`."""
    tasks: tuple[str, ...] = ()
    """Ids or patterns such as `git/*`; empty: all."""
    tags: tuple[str, ...] = ()
    """Only tasks with one of these tags; empty: all."""
    limit: int | None = Field(default=None, ge=1)
    """At most so many tasks, the first by id."""
    environment: dict[str, Any] = Field(default_factory=lambda: {"kind": "terminal"}, validate_default=True)
    """`kind` (`mcp`, `search`, `terminal`, `web`, …) and its settings."""
    policy: dict[str, Any] = Field(default_factory=lambda: {"kind": "script"}, validate_default=True)
    """`kind` (`script`, `explore`, `llm`, …) and its settings; a script without actions plays each task's solution."""
    repeats: int = Field(default=1, ge=1)
    """How often each task is recorded, each time with a seed of its own."""
    seed: int = 0
    """All seeds derive from it."""
    max_steps: int = Field(default=50, ge=1)
    """Actions of one trajectory."""
    max_seconds: float | None = Field(default=600.0, gt=0)
    """Wall time of one trajectory; none: no limit. A task's own `timeout` wins."""
    verify_seconds: float = Field(default=60.0, gt=0)
    """Wall time of one verifier."""
    workers: int | None = Field(default=None, ge=0)
    """Processes of the local cluster; none: one per core; 0: no cluster, all in this process."""
    concurrency: int = Field(default=4, ge=1, le=256)
    """Sandboxes at once in one worker."""
    retries: int = Field(default=1, ge=0, le=20)
    """How often an item that failed on our side is tried again before it counts as failed."""
    patience_seconds: float = Field(default=60.0, ge=0)
    """How long a backend (Docker) that answers no more is waited for before the run stops; the same command goes on."""
    durability: Literal["none", "action", "event"] = "action"
    """When the tape is forced to disk."""

    @field_validator("environment")
    @classmethod
    def _environment(cls, value: dict[str, Any]) -> dict[str, Any]:
        value = {"kind": "terminal"} | value
        _check(ENVIRONMENTS, value)
        return value

    @field_validator("policy")
    @classmethod
    def _policy(cls, value: dict[str, Any]) -> dict[str, Any]:
        from worldtape.collectors.policies import POLICIES

        _check(POLICIES, {"kind": "script"} | value)
        return {"kind": "script"} | value

    @model_validator(mode="before")
    @classmethod
    def _suite(cls, values: Any) -> Any:
        if not isinstance(values, dict) or values.get("suite"):
            return values
        environment = values.get("environment")
        kind = environment.get("kind", "terminal") if isinstance(environment, dict) else "terminal"
        return values | {"suite": f"{kind}-core"}


def _check(registry: Any, value: dict[str, Any]) -> BaseModel:
    try:
        found = registry[str(value["kind"])]
    except NotFoundError as error:
        raise ValueError(str(error)) from error
    config: type[BaseModel] = found.Config
    return nested(config, {key: item for key, item in value.items() if key != "kind"}, beside=("kind",))


def environment_config(job: JobConfig) -> Any:
    """Return the checked settings of the environment."""
    return _check(ENVIRONMENTS, job.environment)


def identity(job: JobConfig) -> dict[str, Any]:
    """Return environment and policy without what only repeats a default: two spellings of one job are one job.

    A file that the policy reads stands for its content, wherever it lies.

    Raises:
        StorageError: such a file cannot be read.
    """
    from worldtape.collectors.policies import POLICIES

    found = {
        name: {"kind": value["kind"]} | _check(registry, value).model_dump(mode="json", exclude_defaults=True)
        for name, registry, value in (
            ("environment", ENVIRONMENTS, job.environment),
            ("policy", POLICIES, job.policy),
        )
    }
    for name, path in _paths(POLICIES, job.policy).items():
        with boundary(path):
            found["policy"][name] = f"sha256:{hashlib.sha256(path.read_bytes()).hexdigest()}"
    return found


def _paths(registry: Any, value: dict[str, Any]) -> dict[str, Path]:
    settings = _check(registry, value)
    fields = ((name, getattr(settings, name)) for name in type(settings).model_fields)
    return {name: path for name, path in fields if isinstance(path, Path) and name in value}


def read_job(path: str | Path) -> JobConfig:
    """Read a job file; paths in it are relative to the file: of the suite, and in the settings of the policy.

    Raises:
        NotFoundError: there is no such file.
        ConfigError: it is wrong; the message names the line.
    """
    from worldtape.collectors.policies import POLICIES

    job = read_settings(JobConfig, path)
    folder = Path(path).absolute().parent
    suite = folder / Path(job.suite).expanduser()
    files = {name: str(folder / file.expanduser()) for name, file in _paths(POLICIES, job.policy).items()}
    return job.model_copy(update={"suite": str(suite) if suite.is_dir() else job.suite, "policy": job.policy | files})


def job_schema() -> dict[str, Any]:
    """Return the JSON schema (draft 2020-12) of a job file."""
    from worldtape.collectors.policies import POLICIES

    schema = JobConfig.model_json_schema()
    definitions = schema.setdefault("$defs", {})
    for key, kinds in (
        ("environment", {name: ENVIRONMENTS[name].Config for name in ENVIRONMENTS}),
        ("policy", {name: policy_class(name).Config for name in POLICIES}),
    ):
        variants = [_variant(kind, config, definitions) for kind, config in kinds.items()]
        schema["properties"][key] |= {"oneOf": variants}
        schema["properties"][key].pop("additionalProperties", None)
    return {"$schema": "https://json-schema.org/draft/2020-12/schema"} | schema


def _variant(kind: str, config: type[BaseModel], definitions: dict[str, Any]) -> dict[str, Any]:
    schema = config.model_json_schema(ref_template="#/$defs/{model}")
    definitions |= schema.pop("$defs", {})
    schema["properties"] = {"kind": {"const": kind}} | schema.get("properties", {})
    default = kind in {"terminal", "script"}
    return schema | {"required": [*([] if default else ["kind"]), *schema.get("required", [])]}
