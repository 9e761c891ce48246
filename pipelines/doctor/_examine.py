"""The whole examination."""

from dataclasses import dataclass, replace

from worldtape.pipelines.doctor import _images, _phones, _programs, _python, _sandboxes, _servers
from worldtape.pipelines.doctor._component import Component


@dataclass(frozen=True, slots=True)
class Diagnosis:
    """Everything that was looked at."""

    components: tuple[Component, ...]
    leftovers: tuple[str, ...]
    """Containers and control groups of recorders that are gone."""
    removed: tuple[str, ...] = ()
    """Those of them that were removed now."""

    @property
    def missing(self) -> tuple[Component, ...]:
        """Return what is not there."""
        return tuple(one for one in self.components if one.state == "missing")

    @property
    def lacking(self) -> tuple[Component, ...]:
        """Return what is not there although a command of today needs it."""
        return tuple(one for one in self.missing if one.required)


def examine(*, reap: bool = False) -> Diagnosis:
    """Look at every component, and for what dead recorders left; nothing is changed unless `reap` is true."""
    from worldtape.collectors.terminal import sandbox
    from worldtape.collectors.terminal.sandbox import docker, local

    places = (_sandboxes.docker, _sandboxes.local, _images.images)
    parts = (_python.python, *places, _programs.programs, _servers.servers, _phones.phones, _programs.disk)
    components = _with_one_sandbox([one for part in parts for one in part()])
    left = [str(path) for path in local.leftovers()]
    left += [docker.title(entry) for entry in docker.leftovers()]
    return Diagnosis(components, tuple(left), tuple(sandbox.reap()) if reap else ())


def _with_one_sandbox(components: list[Component]) -> tuple[Component, ...]:
    """Require a place for terminals: one that works is enough, and where none does, each would help."""
    works = any(one.name in _sandboxes.PLACES and one.state != "missing" for one in components)
    return tuple(
        replace(one, required=not works) if one.name in _sandboxes.PLACES and one.state == "missing" else one
        for one in components
    )
