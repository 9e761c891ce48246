"""The tools as they are declared, and how a call of one is checked and made."""

from __future__ import annotations

from collections.abc import Callable
from functools import lru_cache
from importlib import import_module
from importlib.resources import files
from typing import Any

from worldtape.collectors.mcp.servers.orders.answer import Answer
from worldtape.collectors.mcp.servers.orders.rules import RuleError
from worldtape.collectors.mcp.servers.orders.shop import Shop

_MODULES = ("people", "products", "orders", "refunds")


class Entry:
    """One tool.

    Attributes:
        name: what it is called.
        description: with the roles that may use it.
        schema: JSON schema of its arguments.
        roles: who may use it; empty: everybody.
        changes: whether it changes anything.
        destroys: whether what it does cannot be undone.
    """

    def __init__(self, row: dict[str, Any]) -> None:
        self.name: str = row["name"]
        self.roles: list[str] = row.get("roles", [])
        needs = f" Needs the role {' or '.join(self.roles)}." if self.roles else ""
        self.description = f"{row['description'].strip()}{needs}"
        self.changes: bool = row.get("changes", False)
        self.destroys: bool = row.get("destroys", False)
        self.schema: dict[str, Any] = {
            "type": "object",
            "properties": row.get("properties", {}),
            "required": row.get("required", []),
            "additionalProperties": False,
        }

    def call(self, shop: Shop, arguments: dict[str, Any]) -> Answer:
        """Check and carry out a call.

        Raises:
            RuleError: the arguments do not fit, the role does not suffice, or the business refuses.
        """
        fault = self._fault(arguments)
        if fault is not None:
            raise RuleError("invalid_arguments", f"Invalid arguments for {self.name}: {fault}")
        shop.allow(self.name, self.roles)
        return _functions()[self.name](shop, arguments)

    def _fault(self, arguments: dict[str, Any]) -> str | None:
        from jsonschema import Draft202012Validator
        from jsonschema.exceptions import best_match

        checker = Draft202012Validator(self.schema, format_checker=Draft202012Validator.FORMAT_CHECKER)
        error = best_match(checker.iter_errors(arguments))
        if error is None:
            return None
        place = ".".join(map(str, error.absolute_path))
        return f"{place}: {error.message}." if place else f"{error.message}."


@lru_cache
def catalog() -> dict[str, Entry]:
    """Return every tool by name, in the order of `tools.yaml`."""
    import yaml

    rows = yaml.safe_load(files(__package__).joinpath("tools.yaml").read_text(encoding="utf-8"))["tools"]
    return {row["name"]: Entry(row) for row in rows}


@lru_cache
def _functions() -> dict[str, Callable[[Shop, dict[str, Any]], Answer]]:
    found: dict[str, Callable[[Shop, dict[str, Any]], Answer]] = {}
    for name in _MODULES:
        module = import_module(f"{__package__}.tools.{name}")
        found |= {key: value for key, value in vars(module).items() if key in catalog()}
    return found


__all__ = ["Entry", "catalog"]
