"""Money back, and what was sold."""

from __future__ import annotations

from typing import Any

from worldtape.collectors.mcp.servers.orders.answer import Answer, Query, page
from worldtape.collectors.mcp.servers.orders.rules import RuleError, missing, money
from worldtape.collectors.mcp.servers.orders.shop import Row, Shop
from worldtape.collectors.mcp.servers.orders.tools.orders import order_of

_REFUNDABLE = ("paid", "shipped", "delivered")
_CLERKS_LIMIT = 5000
_GROUPS = {
    "status": "orders.status",
    "day": "substr(orders.placed_at, 1, 10)",
    "customer": "orders.customer_id",
    "category": "products.category",
}


def request_refund(shop: Shop, args: dict[str, Any]) -> Answer:
    """Ask for money back."""
    order = order_of(shop, args["order_id"])
    if order["status"] not in _REFUNDABLE:
        message = f"{order['id']} is {order['status']}: only orders that were paid can be refunded."
        raise RuleError("wrong_status", message, status=order["status"])
    found = shop.row(
        "SELECT coalesce(sum(amount_cents), 0) AS n FROM refunds WHERE order_id = ? AND status != 'rejected'",
        order["id"],
    )
    left = order["total_cents"] - (found["n"] if found else 0)
    amount = args.get("amount_cents", left)
    if amount > left or left <= 0:
        message = f"{money(max(left, 0))} of {order['id']} can still be refunded, not {money(amount)}."
        raise RuleError("over_total", message, left_cents=max(left, 0))
    with shop.change():
        name = shop.next_id("RF", 301)
        values = (name, order["id"], amount, args["reason"], shop.now(), shop.user["badge"])
        shop.run("INSERT INTO refunds VALUES (?, ?, ?, ?, 'requested', ?, ?, NULL, NULL)", *values)
    return Answer(refund_of(shop, name), f"Refund {name} of {money(amount)} requested for {order['id']}.")


def decide_refund(shop: Shop, args: dict[str, Any]) -> Answer:
    """Approve or reject a refund."""
    refund = refund_of(shop, args["refund_id"])
    if refund["status"] != "requested":
        message = f"{refund['id']} was {refund['status']} by {refund['decided_by']}; that stands."
        raise RuleError("already_decided", message, status=refund["status"])
    if refund["amount_cents"] > _CLERKS_LIMIT:
        shop.allow(f"the decision about {money(refund['amount_cents'])}", ["manager"])
    if refund["requested_by"] == shop.user["badge"]:
        message = f"{shop.user['name']} asked for {refund['id']}; somebody else has to decide."
        raise RuleError("own_request", message)
    if args["decision"] == "rejected" and not args.get("note"):
        raise RuleError("note_missing", "A rejection needs a note: the customer will ask why.")
    with shop.change():
        shop.run(
            "UPDATE refunds SET status = ?, decided_by = ?, note = ? WHERE id = ?",
            *(args["decision"], shop.user["badge"], args.get("note"), refund["id"]),
        )
    after = refund_of(shop, refund["id"])
    return Answer(after, f"Refund {after['id']} of {money(after['amount_cents'])} {after['status']}.")


def list_refunds(shop: Shop, args: dict[str, Any]) -> Answer:
    """List refunds."""
    query = Query()
    query.add("status = ?", args.get("status"))
    query.add("order_id = ?", args.get("order_id"))
    query.add("amount_cents >= ?", args.get("least_cents"))
    return Answer(page(shop, "refunds", "id", query, args))


def sales_report(shop: Shop, args: dict[str, Any]) -> Answer:
    """Sum up what was sold."""
    key = _GROUPS[args["group_by"]]
    query = Query()
    query.add("orders.status != ?", "cancelled")
    query.add("orders.placed_at >= ?", args.get("from"))
    if "to" in args:
        query.add("orders.placed_at < ?", f"{args['to']}T99")
    if "from" in args and "to" in args and args["from"] > args["to"]:
        raise RuleError("bad_period", f"The period ends ({args['to']}) before it begins ({args['from']}).")
    sql = (
        f"SELECT {key} AS name, count(DISTINCT orders.id) AS orders, sum(quantity) AS pieces, "  # noqa: S608
        "sum(quantity * unit_cents * (100 - discount_percent) / 100) AS cents FROM orders "
        "JOIN order_lines ON order_id = orders.id JOIN products USING (sku) "
        f"WHERE {' AND '.join(query.where)} GROUP BY 1 ORDER BY 1"
    )
    rows = shop.rows(sql, *query.values)
    head = f"| {args['group_by']} | orders | pieces | sum |"
    body = [f"| {row['name']} | {row['orders']} | {row['pieces']} | {money(row['cents'])} |" for row in rows]
    return Answer({"rows": rows}, "\n".join([head, "| --- | --- | --- | --- |", *body]))


def refund_of(shop: Shop, name: str) -> Row:
    """Return a refund."""
    found = shop.row("SELECT * FROM refunds WHERE id = ?", name)
    if found is None:
        raise missing("refund", name, "list_refunds shows the ids.")
    return found
