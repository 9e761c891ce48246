"""`worldtape schema`."""

from __future__ import annotations

from worldtape.cli._console import print_json


def schema() -> None:
    """Print the JSON schema of tapes, trajectories and transitions.

    Example: `worldtape schema | jq '."$defs".Transition'`
    """
    from worldtape.schemas import json_schema

    print_json(json_schema())
