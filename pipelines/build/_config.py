"""The settings of a build. Where the published recipe leaves a choice open, it is a setting here."""

from __future__ import annotations

from typing import Literal

from pydantic import Field

from worldtape.schemas.settings import Settings


class BuildConfig(Settings):
    """What both corpora share."""

    seed: int = 0
    """Chooses templates and draws masked turns; the same seed always gives the same bytes."""
    tokenizer: str | None = None
    """Path of a Hugging Face `tokenizer.json`; without one, lengths are counted in bytes of UTF-8."""
    initial_state: bool = True
    """Put the machine's facts (OS, tools, disk, working directory) into the system prompt."""
    demonstrations: bool = True
    """Put the template's demonstrations into the system prompt."""
    licence: str | None = None
    """Licence of the corpus, for its card; null: that of the sources, where they all have the same."""
    shard_bytes: int = Field(256 << 20, gt=0)
    """A shard is closed when it has this many bytes on disk."""
    group_bytes: int = Field(32 << 20, gt=0)
    """A row group is closed before it has more bytes than this in memory; one row larger than this stands alone."""


class CptConfig(BuildConfig):
    """Settings of `build_cpt`."""

    max_tokens: int = Field(32_768, gt=0)
    """A trajectory longer than this becomes several windows; counts where there is a tokenizer."""
    max_bytes: int = Field(131_072, gt=0)
    """The same, where there is none."""
    instruction: Literal["first", "never"] = "never"
    """Whether the first turn shown tells what the agent was asked to do; a machine's answer does not depend on it."""
    masking: Literal["sample", "weight"] = "sample"
    """`sample`: the class weight is the probability that a turn is trained on (weights are 0 or 1); `weight`: it is
    the turn's loss weight."""


class SftConfig(BuildConfig):
    """Settings of `build_sft`."""

    max_tokens: int = Field(262_144, gt=0)
    """Prompt and completion together; the oldest turns are dropped first. Counts where there is a tokenizer."""
    max_bytes: int = Field(1_048_576, gt=0)
    """The same, where there is none."""
    instruction: Literal["first", "never"] = "first"
    """Whether the first turn shown tells what the agent was asked to do."""
    per_trajectory: int | None = Field(4, gt=0)
    """At most this many turns of one trajectory, chosen by the seed: they share a prefix. Null: all."""
