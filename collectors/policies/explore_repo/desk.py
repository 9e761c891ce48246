"""What all routines share: the tools' words, the notes, chance; and calls after which the notes are right."""

from __future__ import annotations

from dataclasses import dataclass, field
from posixpath import basename
from random import Random

from worldtape.collectors.policies.explore_repo.hearing import page, paths
from worldtape.collectors.policies.explore_repo.mutate import Function, functions
from worldtape.collectors.policies.explore_repo.notes import Notes
from worldtape.collectors.policies.explore_repo.step import Heard, Routine, Step
from worldtape.collectors.policies.explore_repo.voice import Voice

_PAGES = 3
_PYTEST = "python3 -m pytest -q"
_OPTIONS = ("-x", "-x", "-v", "-v", "--tb=short", "--tb=line", "--maxfail=3", "-x --tb=short", "-rA")
_OPTION_SHARE = 0.6


@dataclass(slots=True)
class Desk:
    """The working place of one trajectory.

    Attributes:
        voice: words steps.
        notes: what is known.
        rng: the policy's only source of chance.
        test_command: runs all tests.
        slow: commands may be run into their time limit.
        read_paths: files that were read, as the tools' own rule sees it.
        red: files that are broken now, by our own edits.
    """

    voice: Voice
    notes: Notes
    rng: Random
    test_command: str = _PYTEST
    slow: bool = True
    read_paths: set[str] = field(default_factory=set)
    red: set[str] = field(default_factory=set)

    def do(self, step: Step, why: str) -> Routine[Heard]:
        """Make one call."""
        heard = yield Step(step.name, step.arguments, step.role, step.target, why)
        self.notes.saw(paths(heard.text, self.notes.root) if step.role == "pattern" else [])
        return heard

    def read(self, path: str, why: str = "read", *, whole: bool = True) -> Routine[Heard]:
        """Read a file, further pages too where that is asked for."""
        heard = yield from self._page(path, why, None)
        for _ in range(_PAGES - 1):
            known = self.notes.files.get(path)
            if not (whole and heard.ok and known and not known.whole):
                break
            last = known.text.count("\n")
            heard = yield from self._page(path, "read on", last + 2)
            if known.text.count("\n") == last:
                break
        return heard

    def _page(self, path: str, why: str, first: int | None) -> Routine[Heard]:
        heard = yield from self.do(self.voice.read(path, first), why)
        self.notes.uses[path] += 1
        if heard.ok:
            self.read_paths.add(path)
            shown = page(heard.text, claude=self.voice.claude)
            if shown is not None:
                self.notes.read(path, shown)
        return heard

    def edit(self, path: str, old: str, new: str, why: str, *, everywhere: bool = False) -> Routine[Heard]:
        """Edit a file; where the tool wants it read first, it says so itself."""
        heard = yield from self.do(self.voice.edit(path, old, new, everywhere=everywhere or None), why)
        if heard.ok:
            self.notes.replaced(path, old, new, everywhere=everywhere)
        return heard

    def write(self, path: str, content: str, why: str) -> Routine[Heard]:
        """Write a file."""
        heard = yield from self.do(self.voice.write(path, content), why)
        if heard.ok:
            self.notes.became(path, content)
            self.read_paths.add(path)
        return heard

    def run(self, command: str, why: str, what: str | None = None) -> Routine[Heard]:
        """Run a shell command; of its time limit the tool takes care."""
        return (yield from self.do(self.voice.run(command, what), why))

    def restore(self, path: str, why: str = "restore") -> Routine[Heard]:
        """Take a file back to what is committed."""
        relative = self.notes.relative(path)
        command = self.rng.choice((f"git checkout -- {relative}", f"git restore {relative}"))
        heard = yield from self.run(command, why, f"Discard changes of {basename(path)}")
        if heard.ok:
            known = self.notes.files.get(path)
            if known is not None:
                known.text = known.before
            self.read_paths.discard(path)
        return heard

    def stash(self, why: str) -> Routine[Heard]:
        """Put all changes aside; every file is again as it is committed."""
        heard = yield from self.run("git stash", why, "Stash the changes")
        if heard.ok:
            changed = {path: known for path, known in self.notes.files.items() if known.text != known.before}
            for path, known in changed.items():
                known.text = known.before
                self.read_paths.discard(path)
        return heard

    def test(self, why: str, *only: str) -> Routine[Heard]:
        """Run the tests, all or those of some files or ids."""
        words = [self.test_command, *(f"'{one}'" if set(one) & set(" []()<>|&;$*?!#") else one for one in only)]
        options = _OPTIONS if "pytest" in self.test_command else ("-v", "-f")
        if self.rng.random() < _OPTION_SHARE:
            option = self.rng.choice(options)
            if option == "-v":
                words[0] = words[0].replace(" -q", "")
            words.append(option)
        if self.rng.random() < 0.08:  # noqa: PLR2004
            words.append("2>&1 | tail -n 15")
        return (yield from self.run(" ".join(words), why, "Run the tests"))

    def tests_of(self, path: str) -> list[str]:
        """Return files of tests that by their names are about a source file; none: nobody knows."""
        stem = basename(path).removesuffix(".py").strip("_")
        stems = {stem} - {"init", "core", "utils"} or {self.notes.relative(path).split("/")[-2:][0]}
        found = [one for one in self.notes.tests if any(stem in basename(one) for stem in stems)]
        return [self.notes.relative(one) for one in found]

    def ground(self) -> list[tuple[str, Function]]:
        """Return the functions of sources that were read and are whole, with their files."""
        known = [(path, self.notes.files[path]) for path in self.notes.sources if path in self.notes.files]
        return [(path, one) for path, file in known if path not in self.red for one in functions(file.text)]

    def unread(self) -> list[str]:
        """Return sources that were not read yet."""
        return [path for path in self.notes.sources if path not in self.notes.files]
