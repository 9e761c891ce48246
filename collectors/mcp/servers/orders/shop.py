"""The business itself: its database, its clock, who is at the till."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

from worldtape.collectors.mcp.servers.orders.rules import RuleError, missing
from worldtape.collectors.mcp.servers.orders.seed import fill
from worldtape.collectors.mcp.servers.orders.tables import TABLES

_OPENING = datetime(2026, 3, 2, 9, 0, tzinfo=UTC)
_TICK = timedelta(minutes=4)
Row = dict[str, Any]


class Shop:
    """One business in one SQLite database.

    Its clock stands still between changes and goes on four minutes with each, so that the same calls always give the
    same answers.

    Args:
        database: a file, made where it is not there; None: in memory.
        seed: decides customers, stock and orders of a new database.
        badge: who is at the till of a new database.
    """

    def __init__(self, database: Path | None = None, *, seed: int = 0, badge: str = "B-101") -> None:
        self.db = sqlite3.connect(database or ":memory:", isolation_level=None, check_same_thread=False)
        self.db.row_factory = sqlite3.Row
        for pragma in ("journal_mode = MEMORY", "synchronous = OFF", "foreign_keys = ON"):
            self.db.execute(f"PRAGMA {pragma}")
        if not self.rows("SELECT name FROM sqlite_schema WHERE name = 'meta'"):
            with self.change(tick=False):
                for statement in TABLES.split(";"):
                    self.db.execute(statement)
                fill(self, seed)
                self.set("changes", 0)
                self.set("badge", badge)

    @contextmanager
    def change(self, *, tick: bool = True) -> Iterator[None]:
        """Make changes that all hold, or none; each lets the clock go on."""
        self.db.execute("BEGIN IMMEDIATE")
        try:
            yield
            if tick:
                self.set("changes", int(self.get("changes")) + 1)
        except BaseException:
            self.db.execute("ROLLBACK")
            raise
        self.db.execute("COMMIT")

    def rows(self, sql: str, *values: Any) -> list[Row]:
        """Return the rows of a query as mappings."""
        return [dict(row) for row in self.db.execute(sql, values)]

    def row(self, sql: str, *values: Any) -> Row | None:
        """Return the first row of a query."""
        found = self.db.execute(sql, values).fetchone()
        return None if found is None else dict(found)

    def run(self, sql: str, *values: Any) -> int:
        """Carry out a statement and return how many rows it changed."""
        return self.db.execute(sql, values).rowcount

    def get(self, name: str) -> str:
        """Return a value of the business's own memory; "" where there is none."""
        found = self.row("SELECT value FROM meta WHERE name = ?", name)
        return "" if found is None else str(found["value"])

    def set(self, name: str, value: object) -> None:
        """Remember a value."""
        self.run("INSERT INTO meta VALUES (?, ?) ON CONFLICT (name) DO UPDATE SET value = excluded.value", name, value)

    def now(self) -> str:
        """Return the business's time, `2026-03-02T09:00:00Z`."""
        return (_OPENING + _TICK * int(self.get("changes") or 0)).strftime("%Y-%m-%dT%H:%M:%SZ")

    def next_id(self, kind: str, first: int) -> str:
        """Return a new id: `ORD-2001`, then `ORD-2002`."""
        number = int(self.get(f"next {kind}") or first)
        self.set(f"next {kind}", number + 1)
        return f"{kind}-{number}"

    @property
    def user(self) -> Row:
        """Who is at the till: `badge`, `name`, `role`."""
        found = self.row("SELECT * FROM staff WHERE badge = ?", self.get("badge"))
        if found is None:
            raise missing("badge", self.get("badge"), "Use switch_user to sign in.")
        return found

    def allow(self, what: str, roles: list[str]) -> None:
        """Refuse whoever has none of `roles`; empty: everybody may."""
        user = self.user
        if roles and user["role"] not in roles:
            wanted = " or ".join(roles)
            message = (
                f"Permission denied: {what} needs the role {wanted}, and {user['name']} ({user['badge']}) is "
                f"{user['role']}. Ask a colleague, or use switch_user."
            )
            raise RuleError("permission_denied", message, role=user["role"], needs=roles)


__all__ = ["Row", "Shop"]
