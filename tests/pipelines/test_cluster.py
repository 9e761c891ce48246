"""Tasks run here, on two processes, or on somebody's scheduler, and a dead worker is survived."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Iterator
from importlib import import_module
from itertools import islice
from pathlib import Path
from typing import Any

import pytest

from worldtape.errors import ComponentError
from worldtape.pipelines._cluster import Inline, cluster, in_windows

HERE = os.getpid()


def _square(number):
    time.sleep(0.01)
    return number * number, os.getpid()


def _die(path):
    if not Path(path).exists():
        Path(path).touch()
        os.kill(os.getpid(), signal.SIGKILL)
    return os.getpid()


def _fail(number):
    if number == 3:
        raise ValueError("three")
    return number


@pytest.fixture(autouse=True)
def _by_value() -> Iterator[None]:
    """Workers get this module's functions by value: the folder of tests is no package they could import."""
    cloudpickle: Any = import_module("cloudpickle")
    here = sys.modules[__name__]
    cloudpickle.register_pickle_by_value(here)
    yield
    cloudpickle.unregister_pickle_by_value(here)


def test_inline_runs_in_order_in_this_process():
    with cluster(workers=0) as client:
        assert isinstance(client, Inline)
        done = list(in_windows(client, _square, range(5)))
    assert done == [(n, (n * n, HERE)) for n in range(5)]


def test_two_workers_share_the_work():
    with cluster(workers=2) as client:
        done = dict(in_windows(client, _square, range(40)))
    assert {n: value for n, (value, _) in done.items()} == {n: n * n for n in range(40)}
    pids = Counter(pid for _, pid in done.values())
    assert len(pids) == 2
    assert HERE not in pids
    assert min(pids.values()) >= 12


def test_an_endless_source_is_taken_window_by_window():
    taken: list[int] = []

    def endless() -> Iterator[int]:
        while True:
            taken.append(len(taken))
            yield taken[-1]

    with cluster(workers=1) as client:
        results = in_windows(client, _square, endless(), window=3)
        assert len(list(islice(results, 10))) == 10
        del results
    assert len(taken) == 13


def test_a_killed_worker_is_replaced(tmp_path):
    with cluster(workers=1) as client:
        done = list(in_windows(client, _die, [str(tmp_path / "died")]))
    assert len(done) == 1


def test_a_task_that_always_kills_its_worker_is_named(tmp_path):
    def kill(_):
        os.kill(os.getpid(), signal.SIGKILL)

    with cluster(workers=1) as client, pytest.raises(ComponentError, match="worker died several times"):
        list(in_windows(client, kill, [1]))


@pytest.mark.parametrize("workers", [0, 1])
def test_an_exception_of_a_task_comes_back(workers):
    with cluster(workers=workers) as client, pytest.raises(ValueError, match="three"):
        list(in_windows(client, _fail, range(20)))


def test_no_scheduler_is_one_clear_line():
    dask: Any = import_module("dask")
    with (
        dask.config.set({"distributed.comm.timeouts.connect": "200ms"}),
        pytest.raises(ComponentError, match="no Dask scheduler answers"),
        cluster("tcp://127.0.0.1:1"),
    ):
        pass


def test_a_scheduler_by_address():
    distributed: Any = import_module("distributed")
    with (
        distributed.LocalCluster(n_workers=1, threads_per_worker=1, processes=False, dashboard_address=None) as running,
        cluster(running.scheduler_address) as client,
    ):
        assert dict(in_windows(client, _square, [7]))[7] == (49, HERE)


def test_a_script_without_a_main_guard_is_not_run_again(tmp_path):
    script = tmp_path / "script.py"
    script.write_text(
        "from worldtape.pipelines._cluster import cluster, in_windows\n"
        "print('started')\n"
        "with cluster(workers=1) as client:\n"
        "    print(sorted(r for _, r in in_windows(client, abs, [-1, -2])))\n"
    )
    done = subprocess.run([sys.executable, str(script)], capture_output=True, text=True, check=True)
    assert done.stdout.splitlines() == ["started", "[1, 2]"]
    assert done.stderr == ""
