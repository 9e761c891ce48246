"""Resources and prompts: what can be read beside the tools."""

from __future__ import annotations

import json
from typing import Any

from worldtape.collectors.mcp.servers.orders.rules import RuleError, money
from worldtape.collectors.mcp.servers.orders.shop import Shop
from worldtape.collectors.mcp.servers.orders.tools import orders, people, products

RESOURCES = {
    "shop://policies": ("policies", "text/markdown", "What the business allows, in plain words."),
    "shop://catalogue": ("catalogue", "text/csv", "Every product with price and stock."),
}
"""URI to name, media type and description."""
TEMPLATES = {
    "shop://orders/{order_id}": ("order", "application/json", "One order with its lines."),
    "shop://customers/{customer_id}": ("customer", "application/json", "One customer."),
}
PROMPTS = {
    "answer_complaint": (
        "Write to a customer about an order that went wrong.",
        {"order_id": (True, "The order"), "tone": (False, "warm or brief")},
    ),
    "restock_plan": ("Plan what to buy for a category.", {"category": (True, "kitchen, home, tools, garden or paper")}),
}
"""Name to description and arguments: whether they are required, and what they are."""
_POLICIES = """# How we do business

- An order takes its pieces from stock at once. It goes open, paid, shipped, delivered.
- Clerks give up to 10 % discount; more is for managers.
- A customer may owe what the tier allows: 150.00 EUR (standard), 400.00 EUR (silver), 1000.00 EUR (gold) an order.
- Blocked customers do not order. Customers who ordered once are never deleted.
- Open orders are cancelled by clerks, paid ones by managers.
- A refund is decided by somebody else than whoever requested it; above 50.00 EUR by a manager. A rejection has a note.
- Prices fall by half at most at once.
"""


def read(shop: Shop, uri: str) -> tuple[str, str]:
    """Return the media type and the text of a resource.

    Raises:
        RuleError: there is none.
    """
    if uri == "shop://policies":
        return RESOURCES[uri][1], _POLICIES
    if uri == "shop://catalogue":
        rows = shop.rows("SELECT * FROM products ORDER BY sku")
        lines = [f'{row["sku"]},"{row["name"]}",{row["category"]},{row["price_cents"]},{row["stock"]}' for row in rows]
        return RESOURCES[uri][1], "\n".join(["sku,name,category,price_cents,stock", *lines, ""])
    kind, _, name = uri.removeprefix("shop://").partition("/")
    if kind == "orders" and name:
        return "application/json", json.dumps(orders.shown(shop, name), ensure_ascii=False)
    if kind == "customers" and name:
        return "application/json", json.dumps(people.shown(people.customer_of(shop, name)), ensure_ascii=False)
    raise RuleError("not_found", f"There is no resource {uri!r}.")


def prompt(shop: Shop, name: str, arguments: dict[str, Any]) -> str:
    """Return the text of a prompt.

    Raises:
        RuleError: there is none, an argument is missing, or it names nothing.
    """
    if name not in PROMPTS:
        raise RuleError("not_found", f"There is no prompt {name!r}. Known: {', '.join(PROMPTS)}.")
    for key, (required, _) in PROMPTS[name][1].items():
        if required and not arguments.get(key):
            raise RuleError("invalid_arguments", f"The prompt {name} needs {key}.")
    if name == "answer_complaint":
        order = orders.shown(shop, arguments["order_id"])
        customer = people.customer_of(shop, order["customer_id"])
        lines = "\n".join(f"- {item['quantity']} x {item['name']}" for item in order["items"])
        return (
            f"Write a {arguments.get('tone', 'warm')} answer to {customer['name']} about order {order['id']} "
            f"({order['status']}, {money(order['total_cents'])}).\nThe order holds:\n{lines}\n"
            "Say what happened, what we do now, and by when."
        )
    rows = shop.rows("SELECT * FROM products WHERE category = ? ORDER BY sku", arguments["category"])
    low = [products.shown(row) for row in rows if products.shown(row)["low"] and not row["discontinued"]]
    told = "\n".join(
        f"- {row['sku']} {row['name']}: {row['stock']} left, reorder at {row['reorder_level']}" for row in low
    )
    return f"Plan what to buy for {arguments['category']}. Low in stock:\n{told or '- nothing'}"


__all__ = ["PROMPTS", "RESOURCES", "TEMPLATES", "prompt", "read"]
