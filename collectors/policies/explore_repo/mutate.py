"""Small mistakes in real functions, each as one exact replacement."""

from __future__ import annotations

import ast
import re
import warnings
from collections.abc import Iterator
from dataclasses import dataclass

from worldtape.collectors.policies.explore_repo.slips import Slip, slips

_BLOCK = re.compile(r"(async def|def|class)\b|@")
_MOST_LINES = 12


@dataclass(frozen=True, slots=True)
class Mutation:
    """One replacement in a file.

    Attributes:
        kind: what goes wrong: `comparison`, `return`, `syntax`, …
        function: its dotted name in the file.
        old: whole lines that stand there once.
        new: what is to stand there.
        line: number of the first of them, from 1.
    """

    kind: str
    function: str
    old: str
    new: str
    line: int


@dataclass(frozen=True, slots=True)
class Function:
    """A function of a file.

    Attributes:
        name: dotted, with its classes.
        line: of its `def`, from 1.
        last: its last line.
        node: its tree; positions count from the block's first line.
        offset: lines above that block.
    """

    name: str
    line: int
    last: int
    node: ast.FunctionDef | ast.AsyncFunctionDef
    offset: int


def functions(text: str) -> list[Function]:
    """Return the functions of Python text; of what cannot be parsed (a file read in part), those that can."""
    if "\r" in text:
        return []  # Python counts lines by it, the tools do not
    whole = _parsed(text)
    if whole is not None:
        return list(_inside(whole, "", 0))
    found = list[Function]()
    lines = text.split("\n")
    for first, last in _blocks(lines):
        tree = _parsed("\n".join(lines[first:last]))
        found += _inside(tree, "", first) if tree is not None else ()
    return found


def _parsed(text: str) -> ast.Module | None:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            return ast.parse(text)
        except (SyntaxError, ValueError, RecursionError):
            return None


def _blocks(lines: list[str]) -> Iterator[tuple[int, int]]:
    """Yield the lines of each top-level function and class, decorators included."""
    starts, decorated = list[int](), False
    for number, line in enumerate(lines):
        if not line[:1].strip() or line.startswith((")", "]", "}", "#")):
            continue
        if not decorated:
            starts.append(number)
        decorated = line.startswith("@") or (decorated and not _BLOCK.match(line))
    for first, after in zip(starts, [*starts[1:], len(lines)], strict=True):
        if _BLOCK.match(lines[first]):
            yield first, after


def _inside(node: ast.AST, prefix: str, offset: int) -> Iterator[Function]:
    for child in ast.iter_child_nodes(node):
        if isinstance(child, (ast.FunctionDef, ast.AsyncFunctionDef)):
            name = f"{prefix}{child.name}"
            yield Function(name, child.lineno + offset, (child.end_lineno or child.lineno) + offset, child, offset)
            yield from _inside(child, f"{name}.", offset)
        elif isinstance(child, ast.ClassDef):
            yield from _inside(child, f"{prefix}{child.name}.", offset)
        elif isinstance(child, (ast.If, ast.Try, ast.With)):
            yield from _inside(child, prefix, offset)


def mutations(text: str, function: Function) -> list[Mutation]:
    """Return every small mistake that can be made in a function."""
    lines = text.split("\n")
    made = (_made(lines, text, function, slip) for slip in slips(function.node, lines[function.offset :]))
    return [mutation for mutation in made if mutation is not None]


def _made(lines: list[str], text: str, function: Function, slip: Slip) -> Mutation | None:
    first, last = slip.line - 1 + function.offset, slip.end_line - 1 + function.offset
    if last - first >= _MOST_LINES or last >= len(lines):
        return None
    head = lines[first].encode()[: slip.column].decode(errors="replace")
    tail = lines[last].encode()[slip.end_column :].decode(errors="replace")
    changed = f"{head}{slip.text}{tail}"
    above, below = first, last
    while text.count(old := "\n".join(lines[above : below + 1])) != 1:
        if below - above >= _MOST_LINES or (above == 0 and below == len(lines) - 1):
            return None
        above, below = max(0, above - 1), min(len(lines) - 1, below + 1)
    new = "\n".join([*lines[above:first], changed, *lines[last + 1 : below + 1]])
    return None if new == old else Mutation(slip.kind, function.name, old, new, above + 1)


__all__ = ["Function", "Mutation", "functions", "mutations"]
