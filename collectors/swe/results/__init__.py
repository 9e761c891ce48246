"""What tests a command ran, read from its words and its output."""

from worldtape.collectors.swe.results.command import runner
from worldtape.collectors.swe.results.read import read_results
from worldtape.collectors.swe.results.suite_run import SuiteRun

__all__ = ["SuiteRun", "read_results", "runner"]
