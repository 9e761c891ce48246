"""Every filter by name."""

from worldtape.schemas import Registry

FILTERS = Registry(
    "filter",
    {
        "empty_action": "worldtape.filters.empty_action:EmptyAction",
        "environment_failure": "worldtape.filters.environment_failure:EnvironmentFailure",
        "failed_start": "worldtape.filters.failed_start:FailedStart",
        "few_turns": "worldtape.filters.few_turns:FewTurns",
        "infra_error": "worldtape.filters.infra_error:InfraError",
        "no_change": "worldtape.filters.no_change:NoChange",
        "no_observation": "worldtape.filters.no_observation:NoObservation",
        "render_mismatch": "worldtape.filters.render_mismatch:RenderMismatch",
        "retry_cycle": "worldtape.filters.retry_cycle:RetryCycle",
        "undeclared_tool": "worldtape.filters.undeclared_tool:UndeclaredTool",
    },
    group="worldtape.filters",
)
"""Filter name to class; other packages add theirs by entry points of the group `worldtape.filters`."""
