"""Kept trees written by hand, and a history that shows them."""

from __future__ import annotations

from typing import Any

from worldtape.schemas import (
    Action,
    EnvironmentSpec,
    ErrorInfo,
    History,
    InitialState,
    Observation,
    Outcome,
    Ready,
    Rendering,
    Status,
    StepResult,
    Timing,
)

URL = "http://site.example/"


def node(role: str, name: str = "", *children: dict[str, Any], tag: str = "", **facts: Any) -> dict[str, Any]:
    """Return a node with its children inside; `attrs`, `props`, `value` as the tree has them."""
    return {"role": role, "name": name, "tag": tag or role, "inside": children, "selector": "x"} | facts


def page(*nodes: dict[str, Any], url: str = URL, **facts: Any) -> dict[str, Any]:
    """Return a tree as `Web.tree` is, numbered in the order of the page."""
    flat: list[dict[str, Any]] = []

    def add(one: dict[str, Any]) -> int:
        at = len(flat)
        own = {key: value for key, value in one.items() if key != "inside"}
        flat.append(own | ({"n": at} if at else {}))
        children = [add(child) for child in one.get("inside", ())]
        if children:
            flat[at]["children"] = children
        return at

    add({"role": "RootWebArea", "name": "", "inside": nodes})
    tabs = [{"title": "", "url": url, "active": True}]
    frames = [{"url": url, "prefix": ""}]
    return {"url": url, "tabs": tabs, "viewport": [1280, 720], "frames": frames, "nodes": flat} | facts


class Shown:
    """A history whose newest tree can be set."""

    def __init__(self, tree: dict[str, Any] | None, renderer: str = "web.axtree") -> None:
        self.tree = tree
        self.rendering = Rendering(name=renderer, version="1")
        ready = Ready(
            environment=EnvironmentSpec(kind="web"),
            initial_state=InitialState(text="Browser"),
            observation=Observation(text="", renderer=self.rendering),
        )
        self.history = History(ready, None, lambda thought: None, lambda: self.tree)

    def answer(self, action: Action, status: Status = Status.OK, tree: dict[str, Any] | None = None) -> None:
        self.tree = tree or self.tree
        error = None if status is Status.OK else ErrorInfo(type="x")
        self.history.turns.append(
            (
                action,
                StepResult(
                    observation=Observation(text="", renderer=self.rendering),
                    outcome=Outcome(status=status, error=error),
                    timing=Timing(),
                ),
            )
        )
