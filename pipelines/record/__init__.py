"""Batch recording: a job file, resumable, on Dask; and the one function that wires a recorder."""

from worldtape.pipelines.record.job import JobConfig, job_schema, read_job
from worldtape.pipelines.record.outcome import Outcome
from worldtape.pipelines.record.report import RecordReport
from worldtape.pipelines.record.run import record
from worldtape.pipelines.record.verdict import Verdict
from worldtape.pipelines.record.wire import open_recorder

__all__ = ["JobConfig", "Outcome", "RecordReport", "Verdict", "job_schema", "open_recorder", "read_job", "record"]
