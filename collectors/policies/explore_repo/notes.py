"""What is known of the repository."""

from __future__ import annotations

import re
from collections import Counter
from dataclasses import dataclass
from posixpath import basename, dirname

from worldtape.collectors.policies.explore_repo.hearing import Page

_TEST = re.compile(r"(test_.*|.*_tests?)\.py|conftest\.py|.*\.(test|spec)\.[jt]sx?")
_NO_SOURCE = re.compile(r"(setup|conf|versioneer|noxfile|conftest|bench\w*|__main__|_version)\.py")


@dataclass(slots=True)
class Known:
    """The text of a file from its first line on, as far as it was read.

    Attributes:
        text: as it is now.
        before: as it was when it was first read.
        whole: to its end.
    """

    text: str
    before: str
    whole: bool


class Notes:
    """Files by path, what stands in them, and how often something was done.

    Args:
        root: folder of the repository.
    """

    def __init__(self, root: str) -> None:
        self.root = root
        self.paths: dict[str, None] = {}
        self.files: dict[str, Known] = {}
        self.uses: Counter[str] = Counter()
        """How often a file was read, a function broken, a pattern searched."""

    def saw(self, paths: list[str]) -> None:
        """Note that files are there."""
        self.paths.update(dict.fromkeys(paths))

    def read(self, path: str, page: Page) -> None:
        """Take lines of a file; those that do not join what is known are left."""
        self.saw([path])
        known = self.files.get(path)
        text = "\n".join(page.lines)
        if page.first == 1:
            before = known.before if known and known.whole else text
            if known is None or len(text) >= len(known.text) or page.whole:
                self.files[path] = Known(text, before, page.whole)
        elif known and not known.whole and page.first == known.text.count("\n") + 2:
            known.text += "\n" + text
            known.before, known.whole = known.text, page.whole

    def became(self, path: str, text: str) -> None:
        """Note what a file holds now, all of it."""
        self.saw([path])
        known = self.files.get(path)
        self.files[path] = Known(text, known.before if known else text, whole=True)

    def replaced(self, path: str, old: str, new: str, *, everywhere: bool = False) -> None:
        """Note an edit."""
        if path in self.files:
            known = self.files[path]
            known.text = known.text.replace(old, new, -1 if everywhere else 1)

    def gone(self, path: str) -> None:
        """Note that a file was removed."""
        self.paths.pop(path, None)
        self.files.pop(path, None)

    @property
    def sources(self) -> list[str]:
        """Python files that are neither tests nor settings."""
        return [path for path in self.paths if path.endswith(".py") and not self._odd(path)]

    @property
    def tests(self) -> list[str]:
        """Files of tests."""
        return [path for path in self.paths if _TEST.fullmatch(basename(path)) and basename(path) != "conftest.py"]

    def relative(self, path: str) -> str:
        """Return a path as one says it in the repository's folder."""
        return path.removeprefix(f"{self.root}/")

    def module(self, path: str) -> str:
        """Return the dotted name of a source file, from the folder above its outermost package."""
        name, folder = path, dirname(path)
        while f"{folder}/__init__.py" in self.paths:
            folder = dirname(folder)
        dotted = name.removeprefix(f"{folder}/").removesuffix(".py").replace("/", ".")
        return dotted.removesuffix(".__init__")

    def _odd(self, path: str) -> bool:
        parts = self.relative(path).split("/")
        aside = {"tests", "test", "testing", "docs", "doc", "examples", "benchmark", "benchmarks", "bench", "scripts"}
        return bool(_TEST.fullmatch(parts[-1]) or _NO_SOURCE.fullmatch(parts[-1]) or aside & set(parts[:-1]))
