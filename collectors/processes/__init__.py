"""Programs that collectors start on this machine, and their folders: nothing of them outlives its recorder for long."""

from worldtape.collectors.processes.group import Group
from worldtape.collectors.processes.workdir import Workdir, reap

__all__ = ["Group", "Workdir", "reap"]
