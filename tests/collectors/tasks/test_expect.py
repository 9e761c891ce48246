"""What a task expects of the state is told apart from what stands there, path by path."""

from __future__ import annotations

from typing import Any

import pytest

from worldtape.collectors.tasks import TaskFile, unmet
from worldtape.collectors.terminal import TerminalConfig
from worldtape.errors import ConfigError

STATE: dict[str, Any] = {
    "orders": [{"id": 1, "status": "open"}, {"id": 2, "status": "paid", "lines": ["pen"]}],
    "cart": {},
    "user": None,
    "on": True,
}


@pytest.mark.parametrize(
    ("path", "value"),
    [
        ("orders.0.status", "open"),
        ("orders.-1.status", "paid"),
        ("orders.*.status", "paid"),
        ("orders.#", 2),
        ("cart.#", 0),
        ("orders.*", {"id": 2, "status": "paid"}),
        ("orders.1.lines", ["pen"]),
        ("user", None),
        ("on", True),
    ],
)
def test_it_holds(path: str, value: object) -> None:
    assert unmet({path: value}, STATE) == []


@pytest.mark.parametrize(
    ("path", "value", "told"),
    [
        ("orders.0.status", "paid", "orders.0.status is 'open', not 'paid'"),
        ("orders.2.status", "paid", "orders.2.status is not there, not 'paid'"),
        ("orders.*.status", "sent", "orders.*.status is 'open', 'paid', not 'sent'"),
        ("orders.*", {"id": 1, "status": "paid"}, None),
        ("nobody", None, "nobody is not there, not None"),
        ("on", 1, "on is True, not 1"),
        ("on.#", 1, "on.# is not there, not 1"),
    ],
)
def test_it_does_not_hold(path: str, value: object, told: str | None) -> None:
    (said,) = unmet({path: value}, STATE)
    assert told is None or said == told


def test_a_task_begins_with_settings_of_its_own() -> None:
    config = TerminalConfig(cols=90, rows=20)
    task = TaskFile(id="t", instruction="t", start={"rows": 30})
    assert (task.begun(config).cols, task.begun(config).rows) == (90, 30)
    with pytest.raises(ConfigError, match=r"task t: start.*rwos"):
        TaskFile(id="t", instruction="t", start={"rwos": 30}).begun(config)


def test_a_step_that_nobody_can_type_is_refused() -> None:
    task = TaskFile.model_validate({"id": "t", "instruction": "t", "solution": [{"name": "f", "arguments": {}}]})
    with pytest.raises(ConfigError, match="nothing to type"):
        _ = task.actions


def test_much_that_does_not_fit_is_told_shortly() -> None:
    (said,) = unmet({"*.text": "x"}, [{"text": "long " * 100} for _ in range(1000)])
    assert len(said) < 500


def test_a_name_may_hold_dots() -> None:
    state = {"files": {"src/a.py": "x = 1\n", "b.c": {"d": 1}}}
    assert unmet({"files.src/a.py": "x = 1\n", "files.b.c.d": 1, "files.#": 2}, state) == []
    assert unmet({"files.src/b.py": "x"}, state) == ["files.src/b.py is not there, not 'x'"]
