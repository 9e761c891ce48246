"""Where a function can be got wrong, and how."""

from __future__ import annotations

import ast
import builtins
import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

_COMPARISONS = {"<": "<=", "<=": "<", ">": ">=", ">=": ">", "==": "!=", "!=": "==", "is": "is not", "is not": "is",
                "in": "not in", "not in": "in"}  # fmt: skip
_ARITHMETIC = {"+": "-", "-": "+", "*": "+", "/": "*", "//": "/", "%": "*", "**": "*"}
_COMPARISON = re.compile(r"(<=|>=|==|!=|<|>|\bis\s+not\b|\bnot\s+in\b|\bis\b|\bin\b)")
_ARITHMETIC_SIGN = re.compile(r"(\*\*|//|[+\-*/%])")
_JUNCTION = re.compile(r"\b(and|or)\b")
_LONGEST_NAME = 4


@dataclass(frozen=True, slots=True)
class Slip:
    """A replacement in lines: positions as `ast` gives them, columns in UTF-8 bytes."""

    kind: str
    line: int
    column: int
    end_line: int
    end_column: int
    text: str


def slips(function: ast.FunctionDef | ast.AsyncFunctionDef, lines: list[str]) -> Iterator[Slip]:
    """Yield every slip of a function's body; `lines` are those that its positions count from."""
    body = function.body[1:] if ast.get_docstring(function, clean=False) is not None else function.body
    for statement in body:
        for node in _nodes(statement):
            for kind in _MAKERS.get(type(node), ()):
                slip = kind(node, lines)
                if slip is not None:
                    yield slip


def _nodes(node: ast.AST) -> Iterator[ast.AST]:
    """Walk without the insides of f-strings, whose positions are not those of the file, and of annotations."""
    yield node
    if isinstance(node, (ast.JoinedStr, ast.AnnAssign, ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)):
        return
    for child in ast.iter_child_nodes(node):
        yield from _nodes(child)


def _whole(kind: str, node: Any, text: str) -> Slip:
    return Slip(kind, node.lineno, node.col_offset, node.end_lineno, node.end_col_offset, text)


def _source(node: Any, lines: list[str]) -> str | None:
    """Return the text of a node that stands on one line."""
    if node.lineno != node.end_lineno:
        return None
    held = lines[node.lineno - 1].encode()[node.col_offset : node.end_col_offset]
    return str(held, errors="replace")


def _between(kind: str, left: Any, right: Any, lines: list[str], found: re.Pattern[str], swap: Any) -> Slip | None:
    """Swap the sign that stands between two nodes on one line."""
    if left.end_lineno != right.lineno:
        return None
    gap = lines[right.lineno - 1].encode()[left.end_col_offset : right.col_offset].decode(errors="replace")
    match = found.search(gap)
    sign = " ".join(match[0].split()) if match else ""
    if match is None or sign not in swap or not gap.isascii():
        return None
    first = left.end_col_offset + match.start()
    return Slip(kind, right.lineno, first, right.lineno, first + len(match[0]), swap[sign])


def _comparison(node: ast.Compare, lines: list[str]) -> Slip | None:
    return _between("comparison", node.left, node.comparators[0], lines, _COMPARISON, _COMPARISONS)


def _junction(node: ast.BoolOp, lines: list[str]) -> Slip | None:
    return _between("junction", node.values[0], node.values[1], lines, _JUNCTION, {"and": "or", "or": "and"})


def _arithmetic(node: ast.BinOp, lines: list[str]) -> Slip | None:
    return _between("arithmetic", node.left, node.right, lines, _ARITHMETIC_SIGN, _ARITHMETIC)


def _constant(node: ast.Constant, lines: list[str]) -> Slip | None:
    value = node.value
    if isinstance(value, bool):
        return _whole("constant", node, str(not value))
    if type(value) is int and (_source(node, lines) or "").isdecimal():
        return _whole("constant", node, str(value + 1))
    return None


def _nothing(node: ast.Return, lines: list[str]) -> Slip | None:  # noqa: ARG001
    if node.value is None or (isinstance(node.value, ast.Constant) and node.value.value is None):
        return None
    return _whole("return", node, "return None")


def _condition(node: ast.If | ast.While, lines: list[str]) -> Slip | None:
    text = _source(node.test, lines)
    return (
        None if text is None or isinstance(node.test, ast.Constant) else _whole("condition", node.test, f"not ({text})")
    )


def _negation(node: ast.UnaryOp, lines: list[str]) -> Slip | None:
    text = _source(node.operand, lines)
    return _whole("negation", node, text) if isinstance(node.op, ast.Not) and text is not None else None


def _left_out(node: ast.stmt, lines: list[str]) -> Slip | None:  # noqa: ARG001
    return _whole("left out", node, "pass")


def _loop(node: ast.Break | ast.Continue, lines: list[str]) -> Slip:  # noqa: ARG001
    return _whole("loop", node, "continue" if isinstance(node, ast.Break) else "break")


def _name(node: ast.Name, lines: list[str]) -> Slip | None:  # noqa: ARG001
    if not isinstance(node.ctx, ast.Load) or hasattr(builtins, node.id) or len(node.id) < _LONGEST_NAME:
        return None
    return _whole("name", node, f"{node.id[:-2]}{node.id[-1]}{node.id[-2]}")


def _attribute(node: ast.Attribute, lines: list[str]) -> Slip | None:  # noqa: ARG001
    if not isinstance(node.ctx, ast.Load) or len(node.attr) < _LONGEST_NAME or node.end_col_offset is None:
        return None
    first = node.end_col_offset - len(node.attr.encode())
    line = node.end_lineno or node.lineno
    return Slip("attribute", line, first, line, node.end_col_offset, f"{node.attr[0]}{node.attr[2:]}")


def _argument(node: ast.Call, lines: list[str]) -> Slip | None:  # noqa: ARG001
    if len(node.args) < 2 or node.keywords or isinstance(node.args[-1], ast.Starred):  # noqa: PLR2004
        return None
    left, last = node.args[-2], node.args[-1]
    if left.end_lineno is None or left.end_col_offset is None or last.end_lineno is None or last.end_col_offset is None:
        return None
    return Slip("argument", left.end_lineno, left.end_col_offset, last.end_lineno, last.end_col_offset, "")


def _syntax(node: ast.If | ast.For | ast.While | ast.With | ast.Try, lines: list[str]) -> Slip | None:
    line = lines[node.lineno - 1]
    if not line.endswith(":"):
        return None
    end = len(line.encode())
    return Slip("syntax", node.lineno, end - 1, node.lineno, end, "")


def _indent(node: ast.stmt, lines: list[str]) -> Slip | None:
    line = lines[node.lineno - 1]
    if node.lineno != node.end_lineno or line[: node.col_offset].strip():
        return None
    return Slip("indentation", node.lineno, 0, node.lineno, 0, " ")


_MAKERS: dict[type[ast.AST], tuple[Callable[[Any, list[str]], Slip | None], ...]] = {
    ast.Compare: (_comparison,),
    ast.BoolOp: (_junction,),
    ast.BinOp: (_arithmetic,),
    ast.Constant: (_constant,),
    ast.Return: (_nothing, _indent),
    ast.If: (_condition, _syntax),
    ast.While: (_condition, _syntax),
    ast.For: (_syntax,),
    ast.With: (_syntax,),
    ast.UnaryOp: (_negation,),
    ast.Assign: (_left_out,),
    ast.AugAssign: (_left_out, _indent),
    ast.Raise: (_left_out,),
    ast.Break: (_loop,),
    ast.Continue: (_loop,),
    ast.Name: (_name,),
    ast.Attribute: (_attribute,),
    ast.Call: (_argument,),
}

__all__ = ["Slip", "slips"]
