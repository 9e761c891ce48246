"""Judge one transition or one trajectory: keep or reject, with a reason.

Failures, errors and dead ends are kept: a world model must know them. What is rejected is what is no answer of an
environment, and what says nothing that was not said before.
"""

from worldtape.filters._filter import Filter
from worldtape.filters._judge import first_reason, judge
from worldtape.filters._registry import FILTERS

__all__ = ["FILTERS", "Filter", "first_reason", "judge"]
