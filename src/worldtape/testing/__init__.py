"""Fakes that we ship, so that people can test their own policies, environments and pipelines without a sandbox."""

from worldtape.testing.fake_environment import FakeEnvironment
from worldtape.testing.list_tape import ListTape

__all__ = ["FakeEnvironment", "ListTape"]
