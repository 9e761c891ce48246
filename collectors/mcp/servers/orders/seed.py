"""What a new database holds."""

from __future__ import annotations

import unicodedata
from importlib.resources import files
from random import Random
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from worldtape.collectors.mcp.servers.orders.shop import Shop

_CUSTOMERS, _PRODUCTS, _ORDERS = 14, 18, 12
_CREDIT = {"standard": 15_000, "silver": 40_000, "gold": 100_000}
_STATUSES = ("open", "open", "paid", "paid", "shipped", "delivered", "delivered", "cancelled")


def fill(shop: Shop, seed: int) -> None:
    """Put staff, customers, products, orders and refunds into an empty database."""
    import yaml

    given = yaml.safe_load(files(__package__).joinpath("seed.yaml").read_text(encoding="utf-8"))
    rng = Random(f"worldtape orders {seed}")  # noqa: S311
    for badge, name, role in given["staff"]:
        shop.run("INSERT INTO staff VALUES (?, ?, ?)", badge, name, role)
    _customers(shop, given, rng)
    _products(shop, given, rng)
    _orders(shop, given, rng)


def _customers(shop: Shop, given: dict[str, Any], rng: Random) -> None:
    names = rng.sample([(first, last) for first in given["given"] for last in given["family"]], _CUSTOMERS)
    for index, (first, last) in enumerate(names):
        tier = rng.choice(given["tiers"])
        mail = _plain(f"{first[0]}.{last}{index}@example.com")
        values = (shop.next_id("C", 1001), f"{first} {last}", mail, rng.choice(given["cities"]), tier, _CREDIT[tier])
        shop.run("INSERT INTO customers VALUES (?, ?, ?, ?, ?, ?, ?, 1)", *values, int(index == _CUSTOMERS - 2))


def _products(shop: Shop, given: dict[str, Any], rng: Random) -> None:
    for sku, name, category, price in sorted(rng.sample(given["products"], _PRODUCTS)):
        level = rng.choice((3, 5, 8))
        stock = rng.choice((0, 2, 4, 9, 15, 28, 40))
        values = (sku, name, category, price, stock, level, int(rng.random() < 0.08))  # noqa: PLR2004
        shop.run("INSERT INTO products VALUES (?, ?, ?, ?, ?, ?, ?)", *values)


def _orders(shop: Shop, given: dict[str, Any], rng: Random) -> None:
    customers = [row["id"] for row in shop.rows("SELECT id FROM customers WHERE blocked = 0 ORDER BY id")]
    products = shop.rows("SELECT sku, price_cents FROM products ORDER BY sku")
    day = 3
    for index in range(_ORDERS):
        day += rng.randint(0, 3)
        status = _STATUSES[index % len(_STATUSES)]
        lines = [(row["sku"], rng.randint(1, 3), row["price_cents"]) for row in rng.sample(products, rng.randint(1, 3))]
        total = sum(quantity * cents for _, quantity, cents in lines)
        order = shop.next_id("ORD", 2001)
        placed = f"2026-02-{min(day, 28):02d}T{rng.randint(9, 17):02d}:{rng.choice((5, 20, 48)):02d}:00Z"
        note = rng.choice([None, None, *given["notes"]])
        payment = None if status in ("open", "cancelled") else rng.choice(("card", "transfer"))
        tracking = f"TRK{rng.randint(100_000, 999_999)}" if status in ("shipped", "delivered") else None
        values = (order, rng.choice(customers), status, placed, 0, total, payment, tracking, note)
        shop.run("INSERT INTO orders VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)", *values)
        for sku, quantity, cents in lines:
            shop.run("INSERT INTO order_lines VALUES (?, ?, ?, ?)", order, sku, quantity, cents)
        if status == "delivered":
            reason, asked = rng.choice(given["reasons"]), f"2026-02-{min(day + 2, 28):02d}T10:15:00Z"
            refund = (shop.next_id("RF", 301), order, total // 2, reason, "requested", asked, "B-102")
            shop.run("INSERT INTO refunds VALUES (?, ?, ?, ?, ?, ?, ?, NULL, NULL)", *refund)


def _plain(text: str) -> str:
    """Return a mail address without accents."""
    return unicodedata.normalize("NFKD", text).encode("ascii", "ignore").decode().lower()


__all__ = ["fill"]
