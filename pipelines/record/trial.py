"""Whether the backend of a job's environment answers at all."""

from __future__ import annotations

import asyncio
import time

from worldtape.collectors.tasks import TaskFile
from worldtape.errors import ComponentError
from worldtape.pipelines.record.job import JobConfig, environment_config
from worldtape.pipelines.record.kinds import ENVIRONMENTS

_FIRST_PAUSE_S, _LONGEST_PAUSE_S = 0.5, 5.0


class OutageError(ComponentError):
    """The backend of a running job does not answer any more."""


async def start_once(job: JobConfig) -> None:
    """Start one environment without a task, and remove it again.

    Raises:
        ComponentError: it cannot be started.
    """
    kind = ENVIRONMENTS[job.environment["kind"]]()
    async with kind.make(environment_config(job), TaskFile(id="try", instruction="try")):
        pass


async def wait_for_backend(job: JobConfig) -> None:
    """Return as soon as an environment can be started, at once where it can.

    Raises:
        OutageError: none could be started for the job's `patience_seconds`.
    """
    until, pause = time.monotonic() + job.patience_seconds, _FIRST_PAUSE_S
    while True:
        try:
            await start_once(job)
        except ComponentError as error:
            if time.monotonic() + pause > until:
                fix = "the same command goes on when it answers again: nothing that was recorded is lost"
                raise OutageError(f"the run was stopped: {error.what}", where=error.where, fix=fix) from error
        else:
            return
        await asyncio.sleep(pause)
        pause = min(2 * pause, _LONGEST_PAUSE_S)
