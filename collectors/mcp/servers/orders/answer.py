"""What a tool gives back, and lists in pages."""

from __future__ import annotations

import base64
import hashlib
import json
from dataclasses import dataclass
from typing import Any

from worldtape.collectors.mcp.servers.orders.rules import RuleError
from worldtape.collectors.mcp.servers.orders.shop import Row, Shop

_USUAL = 5


@dataclass(frozen=True, slots=True)
class Answer:
    """A text for people and models, and the same as data.

    Attributes:
        data: a JSON object.
        text: None: `data` as indented JSON.
    """

    data: dict[str, Any]
    text: str | None = None

    @property
    def shown(self) -> str:
        """The text."""
        return json.dumps(self.data, indent=2, ensure_ascii=False) if self.text is None else self.text


class Query:
    """Conditions of a list, put together."""

    def __init__(self) -> None:
        self.where: list[str] = []
        self.values: list[Any] = []

    def add(self, condition: str, *values: Any) -> None:
        """Add a condition with its values; one whose only value is None is left out."""
        if values != (None,):
            self.where.append(condition)
            self.values += values


def page(shop: Shop, table: str, key: str, query: Query, args: dict[str, Any], *, order: str = "") -> dict[str, Any]:
    """Return one page of a list: `items`, `total`, and `next_cursor` where there is more.

    Args:
        shop: the business.
        table: what is listed.
        key: its primary key; it decides among equals.
        query: the conditions.
        args: of the call: `limit`, `cursor`.
        order: an SQL expression to sort by, before the key.
    """
    limit = args.get("limit", _USUAL)
    asked = hashlib.sha256(json.dumps([table, query.where, query.values, order]).encode()).hexdigest()[:8]
    offset = _offset(args.get("cursor"), asked)
    where = f"WHERE {' AND '.join(query.where)}" if query.where else ""
    total = shop.row(f"SELECT count(*) AS n FROM {table} {where}", *query.values)  # noqa: S608
    by = f"{order}, {key}" if order else key
    sql = f"SELECT * FROM {table} {where} ORDER BY {by} LIMIT ? OFFSET ?"  # noqa: S608
    found: list[Row] = shop.rows(sql, *query.values, limit + 1, offset)
    result: dict[str, Any] = {"items": found[:limit], "total": 0 if total is None else total["n"]}
    if len(found) > limit:
        result["next_cursor"] = base64.urlsafe_b64encode(f"{asked}:{offset + limit}".encode()).decode().rstrip("=")
    return result


def _offset(cursor: str | None, asked: str) -> int:
    if cursor is None:
        return 0
    try:
        told = base64.urlsafe_b64decode(cursor + "=" * (-len(cursor) % 4)).decode()
        name, _, number = told.partition(":")
        offset = int(number)
    except ValueError:
        raise RuleError(
            "bad_cursor", "The cursor cannot be read. Use next_cursor of an earlier page as it is."
        ) from None
    if name != asked:
        message = "The cursor belongs to another list. Ask for the first page with these filters, without a cursor."
        raise RuleError("bad_cursor", message)
    return offset


__all__ = ["Answer", "Query", "page"]
