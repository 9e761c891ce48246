"""Actions of a browser: a call, as text or as a name with arguments."""

from __future__ import annotations

import ast
import inspect
import io
import tokenize
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from typing import TYPE_CHECKING, Any, get_type_hints

from pydantic import BaseModel, ConfigDict, ValidationError, create_model

from worldtape.collectors.web.dialects import BrowserGym, PlaywrightMcp, translate
from worldtape.errors import InputError
from worldtape.schemas import Action, canonical_json

if TYPE_CHECKING:
    from worldtape.collectors.web.tree import Element

DIALECTS = (BrowserGym, PlaywrightMcp)
_LONGEST = 100_000
_DEEPEST = 8
_TOKENS = {
    tokenize.NAME,
    tokenize.STRING,
    tokenize.NUMBER,
    tokenize.OP,
    tokenize.NEWLINE,
    tokenize.NL,
    tokenize.ENDMARKER,
}
_OPERATORS = set("()[]{},:=-+")
_STRICT = ConfigDict(extra="forbid", allow_inf_nan=False)


@dataclass(frozen=True, slots=True)
class Call:
    """What is to be done, in the words of `BrowserGym` and a few of our own.

    Attributes:
        name: of the primitive.
        given: its arguments.
        said: the name as it was said, in either dialect.
        arguments: as they were said, by name.
    """

    name: str
    given: dict[str, Any]
    said: str
    arguments: dict[str, Any]

    @property
    def ids(self) -> list[str]:
        """The elements it is aimed at, as they were said."""
        return [str(self.given[key]) for key in ("bid", "from_bid", "to_bid") if key in self.given]


@cache
def signature(name: str) -> type[BaseModel] | None:
    """Return a model of the arguments of the action `name`, in the order they stand; None: there is no such action."""
    for dialect in DIALECTS:
        method = vars(dialect).get(name)
        if method is not None and not name.startswith("_"):
            hints = get_type_hints(method)
            fields: dict[str, Any] = {
                key: (hints[key], ... if given.default is inspect.Parameter.empty else given.default)
                for key, given in inspect.signature(method).parameters.items()
                if key != "self"
            }
            doc = inspect.getdoc(method)
            return create_model(name, __config__=_STRICT, __doc__=doc, **fields)
    return None


def read_call(name: str, given: Mapping[str, Any]) -> Call:
    """Check a call against the actions there are; `given` may be anything.

    Raises:
        InputError: there is no such action, or the arguments do not fit.
    """
    model = signature(name)
    if model is None:
        known = ", ".join(key for key in vars(BrowserGym) if not key.startswith("_"))
        raise InputError(f"there is no action {name!r}", fix=f"known: {known}, and browser_… of Playwright-MCP")
    if not isinstance(given, Mapping) or not all(isinstance(key, str) for key in given):
        raise InputError(f"the arguments of {name} are no object")
    ids = {key: str(value) for key, value in given.items() if key.endswith("bid") and isinstance(value, int)}
    try:
        checked = model.model_validate(dict(given) | ids)
    except ValidationError as error:
        fault = error.errors(include_url=False)[0]
        where = ".".join(str(part) for part in fault["loc"])
        raise InputError(f"{name}: {where}: {fault['msg'][:1].lower()}{fault['msg'][1:]}") from None
    said = checked.model_dump(mode="json", exclude_unset=True)
    word, meant = translate(name, said) if name.startswith("browser_") else (name, said)
    return Call(word, meant, name, said)


def read_text(text: str) -> Call:
    """Read one call such as `click("a12")` or `browser_click(element="Add", ref="e12")`; values are literals.

    Raises:
        InputError: it is no such call.
    """
    form = 'expected one call such as click("a12")'
    if len(text) > _LONGEST:
        raise InputError(f"the action has {len(text)} characters", fix=f"at most {_LONGEST}")
    try:
        _check_shape(text.strip())
        node = ast.parse(text.strip(), mode="eval").body
        if not isinstance(node, ast.Call) or not isinstance(node.func, ast.Name):
            raise InputError(f"{text!r:.80} is no call", fix=form)
        values = [ast.literal_eval(argument) for argument in node.args]
        named = {str(word.arg): ast.literal_eval(word.value) for word in node.keywords}
    except (SyntaxError, ValueError, TypeError, tokenize.TokenError) as error:
        raise InputError(f"{text!r:.80} cannot be read: {type(error).__name__}", fix=form) from None
    name = node.func.id
    model = signature(name)
    order = list(model.model_fields) if model is not None else []
    if model is not None and name.startswith("browser_") and values:
        raise InputError(f"{name}: arguments are named", fix=f"{name}({', '.join(f'{key}=…' for key in order)})")
    if model is not None and len(values) > len(order):
        raise InputError(f"{name} takes {len(order)} arguments, not {len(values)}")
    return read_call(name, dict(zip(order, values, strict=False)) | named)


def _check_shape(text: str) -> None:
    """Refuse what is no call of literals before Python's own parser sees it: deep nesting breaks that for good."""
    depth = signs = 0
    for token in tokenize.generate_tokens(io.StringIO(text).readline):
        depth += (token.string in {"(", "[", "{"}) - (token.string in {")", "]", "}"})
        signs = signs + 1 if token.string in {"-", "+"} else 0
        if (
            depth > _DEEPEST
            or signs > 1
            or token.type not in _TOKENS
            or (token.type == tokenize.OP and token.string not in _OPERATORS)
        ):
            raise ValueError


def call_of(action: Action) -> Call:
    """Return what `action` asks for.

    Raises:
        InputError: it is no call of a browser.
    """
    if action.kind != "browser_call":
        raise InputError(f"a browser takes browser_call, not {action.kind}")
    if action.name is None or action.arguments is None:
        return read_text(action.text)
    import json

    try:
        given = json.loads(action.arguments)
    except ValueError:
        raise InputError(f"the arguments of {action.name} are no JSON") from None
    return read_call(action.name, given)


def browser_call(name: str, *values: Any, element: Element | None = None, **given: Any) -> Action:
    """Return the action that calls `name`, in either dialect.

    Args:
        name: `click`, `fill`, …, or `browser_click`, …
        values: arguments in their order; of `browser_…` only named ones.
        element: whose id comes first, and what is kept as the action's target. In the dialect of Playwright-MCP it
            gives `ref` and `element`.
        given: arguments by name.

    Raises:
        InputError: there is no such action, or the arguments do not fit.
    """
    model = signature(name)
    order = list(model.model_fields) if model is not None else []
    if element is not None and name.startswith("browser_"):
        given = {"element": f"{element.name or element.text} {element.role}".strip(), "ref": element.ref} | given
    elif element is not None:
        values = (element.id, *values)
    call = read_call(name, dict(zip(order, values, strict=False)) | given)
    return Action(
        kind="browser_call",
        text=_text(call),
        name=name,
        arguments=canonical_json(call.arguments),
        target=None if element is None else element.target(),
    )


def _text(call: Call) -> str:
    if call.said.startswith("browser_"):
        words = [f"{key}={_literal(value)}" for key, value in call.arguments.items()]
        return f"{call.said}({', '.join(words)})"
    model = signature(call.said)
    words, in_order = [], True
    for key in model.model_fields if model is not None else call.arguments:
        if key not in call.arguments:
            in_order = False
        else:
            words.append(_literal(call.arguments[key]) if in_order else f"{key}={_literal(call.arguments[key])}")
    return f"{call.said}({', '.join(words)})"


def _literal(value: Any) -> str:
    """Return a Python literal, texts in double quotes."""
    if isinstance(value, str):
        import json

        return json.dumps(value, ensure_ascii=False).replace("\x7f", "\\x7f")
    if isinstance(value, (list, tuple)):
        return "[" + ", ".join(_literal(one) for one in value) + "]"
    if isinstance(value, dict):
        return "{" + ", ".join(f"{_literal(key)}: {_literal(one)}" for key, one in value.items()) + "}"
    return repr(value)


__all__ = ["Call", "browser_call", "call_of", "read_call", "read_text", "signature"]
