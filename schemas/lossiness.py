"""What a recording cannot tell."""

from enum import StrEnum


class Lossiness(StrEnum):
    """A closed list: why a field is null, or less than it should be."""

    NO_EXIT_CODE = "no_exit_code"
    MERGED_STREAMS = "merged_streams"
    LOSSY_UTF8 = "lossy_utf8"
    ANSI_STRIPPED = "ansi_stripped"
    NEWLINE_NORMALIZED = "newline_normalized"
    TRUNCATED_NO_FULL = "truncated_no_full"
    NO_TIMESTAMPS = "no_timestamps"
    WALL_CLOCK_ONLY = "wall_clock_only"
    CLOCK_STEPPED = "clock_stepped"
    OBS_SHARED_BY_BATCH = "obs_shared_by_batch"
    OBS_TEMPLATED = "obs_templated"
    NO_INITIAL_STATE = "no_initial_state"
    NO_TOOL_SCHEMAS = "no_tool_schemas"
    NO_ENV_IMAGE = "no_env_image"
    NO_PROBES = "no_probes"
    PROBED_INSIDE = "probed_inside"
    """Probes came from a helper inside the container, since its `/proc` cannot be seen from here."""
    RENDER_MISMATCH = "render_mismatch"
    """Rendering the stored bytes again did not give what was rendered live."""
    SYNTHETIC_OBS = "synthetic_obs"
    COPIED_CONTEXT = "copied_context"
    TAIL_MISSING = "tail_missing"
    """The recording ends before this action's result."""
