"""Tasks: suites of YAML files, and one suite of our own."""

from worldtape.collectors.tasks.expect import unmet
from worldtape.collectors.tasks.setup import Setup
from worldtape.collectors.tasks.stroke import Stroke
from worldtape.collectors.tasks.suite import Suite, load_suite, suites
from worldtape.collectors.tasks.task_file import TaskFile

__all__ = ["Setup", "Stroke", "Suite", "TaskFile", "load_suite", "suites", "unmet"]
