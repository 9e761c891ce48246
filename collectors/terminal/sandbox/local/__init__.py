"""A sandbox without a daemon: Linux namespaces, made by bubblewrap."""

from worldtape.collectors.terminal.sandbox.local._cgroup import leftovers, make_cgroup, reap
from worldtape.collectors.terminal.sandbox.local._check import bwrap, namespaces
from worldtape.collectors.terminal.sandbox.local._sandbox import Local

__all__ = ["Local", "bwrap", "leftovers", "make_cgroup", "namespaces", "reap"]
