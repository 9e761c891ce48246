"""A folder of tasks."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from difflib import get_close_matches
from fnmatch import fnmatchcase
from pathlib import Path

from worldtape.collectors.tasks.task_file import TaskFile
from worldtape.errors import ConfigError, NotFoundError

SUITES = Path(__file__).parent / "suites"
"""Where the suites lie that we ship."""
_MANY = 20
"""A message names no more than so many."""


@dataclass(frozen=True, slots=True)
class Suite:
    """Tasks in the order of their ids."""

    name: str
    tasks: tuple[TaskFile, ...]

    def choose(
        self, *, tasks: Iterable[str] = (), tags: Iterable[str] = (), limit: int | None = None
    ) -> tuple[TaskFile, ...]:
        """Return the tasks that match one of the id patterns `tasks` and have one of `tags`; empty: all.

        Raises:
            NotFoundError: a pattern or a tag matches nothing.
        """
        patterns, wanted = tuple(tasks), set(tags)
        for pattern in patterns:
            if not any(fnmatchcase(task.id, pattern) for task in self.tasks):
                raise self._nothing("task", pattern, [task.id for task in self.tasks])
        known = {tag for task in self.tasks for tag in task.tags}
        for tag in sorted(wanted - known):
            raise self._nothing("tag", tag, sorted(known))
        found = [
            task
            for task in self.tasks
            if (not patterns or any(fnmatchcase(task.id, pattern) for pattern in patterns))
            and (not wanted or wanted & set(task.tags))
        ]
        return tuple(found[:limit])

    def _nothing(self, what: str, name: str, known: list[str]) -> NotFoundError:
        near = get_close_matches(name, known, n=1)
        fix = (
            f"did you mean {near[0]!r}?" if near else f"known: {', '.join(known[:_MANY])}{', …' * (len(known) > _MANY)}"
        )
        return NotFoundError(f"suite {self.name!r} has no {what} {name!r}", fix=fix)


def suites() -> tuple[str, ...]:
    """Return the names of the suites that we ship."""
    return tuple(sorted(path.name for path in SUITES.iterdir() if path.is_dir()))


def load_suite(name_or_path: str | Path) -> Suite:
    """Load a suite: a folder of YAML files, one task a file, or the name of one that we ship.

    Raises:
        NotFoundError: neither a folder nor a suite of ours.
        ConfigError: a file is wrong (with its line), two tasks have one id, or there is no task.
    """
    folder = Path(name_or_path)
    if not folder.is_dir():
        folder = SUITES / str(name_or_path)
    if not folder.is_dir():
        known = f"a folder, or one of ours: {', '.join(suites())}"
        raise NotFoundError(f"no suite is called {str(name_or_path)!r}", fix=known)
    found: dict[str, TaskFile] = {}
    for path in sorted([*folder.glob("**/*.yaml"), *folder.glob("**/*.yml")]):
        task = TaskFile.read(path, suite=folder.name)
        if task.id in found:
            raise ConfigError(f"the id {task.id!r} is taken by another task of this suite", where=path)
        found[task.id] = task
    if not found:
        raise ConfigError("no task stands here", where=folder, fix="one YAML file a task is expected")
    return Suite(folder.name, tuple(found[name] for name in sorted(found)))
