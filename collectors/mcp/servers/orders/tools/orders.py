"""Orders, from the till to the door."""

from __future__ import annotations

from typing import Any

from worldtape.collectors.mcp.servers.orders.answer import Answer, Query, page
from worldtape.collectors.mcp.servers.orders.rules import RuleError, missing, money
from worldtape.collectors.mcp.servers.orders.shop import Row, Shop
from worldtape.collectors.mcp.servers.orders.tools.people import customer_of
from worldtape.collectors.mcp.servers.orders.tools.products import move, product_of

_SORTS = {"placed": "placed_at", "newest": "placed_at DESC", "total": "total_cents DESC"}
_FREE_DISCOUNT = 10


def place_order(shop: Shop, args: dict[str, Any]) -> Answer:
    """Order products, and take them from stock."""
    customer = customer_of(shop, args["customer_id"])
    if customer["blocked"]:
        message = (
            f"{customer['id']} ({customer['name']}) is blocked and cannot order. A manager can unblock the customer."
        )
        raise RuleError("customer_blocked", message)
    percent = args.get("discount_percent", 0)
    if percent > _FREE_DISCOUNT:
        shop.allow(f"a discount of {percent} %", ["manager"])
    lines = _checked(shop, args["items"])
    total = _total(lines, percent)
    if total > customer["credit_cents"]:
        message = (
            f"The order comes to {money(total)}; {customer['id']} may owe {money(customer['credit_cents'])} at most. "
            "Order less, or raise the customer's tier."
        )
        raise RuleError("over_credit", message, total_cents=total, credit_cents=customer["credit_cents"])
    with shop.change():
        name = shop.next_id("ORD", 2001)
        values = (name, customer["id"], shop.now(), percent, total, args.get("note"))
        shop.run("INSERT INTO orders VALUES (?, ?, 'open', ?, ?, ?, NULL, NULL, ?)", *values)
        for product, quantity in lines:
            shop.run(
                "INSERT INTO order_lines VALUES (?, ?, ?, ?)", name, product["sku"], quantity, product["price_cents"]
            )
            move(shop, product["sku"], -quantity, "sale")
    told = ", ".join(f"{quantity} x {product['name']}" for product, quantity in lines)
    return Answer(shown(shop, name), f"Order {name} placed for {customer['name']}: {told}. Total {money(total)}. Open.")


def get_order(shop: Shop, args: dict[str, Any]) -> Answer:
    """Show an order."""
    return Answer(shown(shop, order_of(shop, args["order_id"])["id"]))


def list_orders(shop: Shop, args: dict[str, Any]) -> Answer:
    """List orders."""
    query = Query()
    query.add("status = ?", args.get("status"))
    query.add("customer_id = ?", args.get("customer_id"))
    query.add("placed_at >= ?", args.get("placed_from"))
    if "placed_to" in args:
        query.add("placed_at < ?", f"{args['placed_to']}T99")
    return Answer(page(shop, "orders", "id", query, args, order=_SORTS[args.get("sort", "newest")]))


def update_order(shop: Shop, args: dict[str, Any]) -> Answer:
    """Change the lines or the note of an open order."""
    order = _in(shop, args["order_id"], ["open"], "changed")
    drop, add = args.get("remove", []), args.get("add", [])
    if not drop and not add and "note" not in args:
        raise RuleError("no_change", "Nothing is to be changed: give add, remove or note.")
    held = {row["sku"]: row for row in shop.rows("SELECT * FROM order_lines WHERE order_id = ?", order["id"])}
    for sku in drop:
        if sku not in held:
            raise missing("line", sku, f"{order['id']} has {', '.join(held)}.")
    lines = _checked(shop, add) if add else []
    if not set(held) - set(drop) and not lines:
        raise RuleError("empty_order", f"{order['id']} would have no line left. Use cancel_order instead.")
    with shop.change():
        for sku in drop:
            move(shop, sku, held[sku]["quantity"], "order change")
            shop.run("DELETE FROM order_lines WHERE order_id = ? AND sku = ?", order["id"], sku)
        for product, quantity in lines:
            shop.run(
                "INSERT INTO order_lines VALUES (?, ?, ?, ?) ON CONFLICT DO UPDATE SET quantity = quantity + ?",
                *(order["id"], product["sku"], quantity, product["price_cents"], quantity),
            )
            move(shop, product["sku"], -quantity, "order change")
        left = shop.rows("SELECT * FROM order_lines WHERE order_id = ?", order["id"])
        full = sum(row["quantity"] * row["unit_cents"] for row in left)
        note = args.get("note", order["note"])
        shop.run(
            "UPDATE orders SET total_cents = ?, note = ? WHERE id = ?",
            *(_less(full, order["discount_percent"]), note, order["id"]),
        )
    after = shown(shop, order["id"])
    return Answer(after, f"{order['id']} changed: {money(order['total_cents'])} -> {money(after['total_cents'])}.")


def pay_order(shop: Shop, args: dict[str, Any]) -> Answer:
    """Take the payment of an open order."""
    order = _in(shop, args["order_id"], ["open"], "paid")
    given: int = args.get("amount_cents") or order["total_cents"]
    if given != order["total_cents"]:
        message = (
            f"{order['id']} costs {money(order['total_cents'])}, not {money(given)}. Only the whole amount is taken."
        )
        raise RuleError("wrong_amount", message, total_cents=order["total_cents"])
    with shop.change():
        shop.run("UPDATE orders SET status = 'paid', payment = ? WHERE id = ?", args["method"], order["id"])
    told = f"{money(order['total_cents'])} received for {order['id']} by {args['method']}. Paid."
    return Answer(shown(shop, order["id"]), told)


def ship_order(shop: Shop, args: dict[str, Any]) -> Answer:
    """Hand a paid order to the carrier."""
    order = _in(shop, args["order_id"], ["paid"], "shipped")
    taken = shop.row("SELECT id FROM orders WHERE tracking = ?", args["tracking"])
    if taken is not None:
        message = f"The tracking number {args['tracking']} belongs to {taken['id']}."
        raise RuleError("tracking_taken", message, order_id=taken["id"])
    with shop.change():
        shop.run("UPDATE orders SET status = 'shipped', tracking = ? WHERE id = ?", args["tracking"], order["id"])
    return Answer(shown(shop, order["id"]), f"{order['id']} shipped with {args['tracking']}.")


def confirm_delivery(shop: Shop, args: dict[str, Any]) -> Answer:
    """Note that a parcel has arrived."""
    order = _in(shop, args["order_id"], ["shipped"], "delivered")
    with shop.change():
        shop.run("UPDATE orders SET status = 'delivered' WHERE id = ?", order["id"])
    return Answer(shown(shop, order["id"]), f"{order['id']} delivered.")


def cancel_order(shop: Shop, args: dict[str, Any]) -> Answer:
    """Cancel an order; its pieces return."""
    order = _in(shop, args["order_id"], ["open", "paid"], "cancelled")
    if order["status"] == "paid":
        shop.allow("the cancellation of a paid order", ["manager"])
    lines = shop.rows("SELECT * FROM order_lines WHERE order_id = ?", order["id"])
    with shop.change():
        for row in lines:
            move(shop, row["sku"], row["quantity"], "cancellation")
        note = "; ".join(filter(None, [order["note"], f"cancelled: {args['reason']}"]))
        shop.run("UPDATE orders SET status = 'cancelled', note = ? WHERE id = ?", note, order["id"])
    pieces = sum(row["quantity"] for row in lines)
    back = f" {money(order['total_cents'])} are to be paid back." if order["status"] == "paid" else ""
    told = f"{order['id']} cancelled; {pieces} piece{'s' * (pieces != 1)} returned to stock.{back}"
    return Answer(shown(shop, order["id"]), told)


def order_of(shop: Shop, name: str) -> Row:
    """Return an order without its lines."""
    found = shop.row("SELECT * FROM orders WHERE id = ?", name)
    if found is None:
        raise missing("order", name, "list_orders shows the ids.")
    return found


def shown(shop: Shop, name: str) -> Row:
    """Return an order with its lines, as callers see it."""
    lines = "SELECT sku, name, quantity, unit_cents FROM order_lines JOIN products USING (sku) WHERE order_id = ?"
    return order_of(shop, name) | {"items": shop.rows(f"{lines} ORDER BY sku", name)}


def _in(shop: Shop, name: str, statuses: list[str], done: str) -> Row:
    order = order_of(shop, name)
    if order["status"] not in statuses:
        message = (
            f"{order['id']} is {order['status']} and cannot be {done}: only orders that are "
            f"{' or '.join(statuses)} can."
        )
        raise RuleError("wrong_status", message, status=order["status"], needs=statuses)
    return order


def _checked(shop: Shop, items: list[dict[str, Any]]) -> list[tuple[Row, int]]:
    """Return products and quantities, which can all be sold."""
    lines: list[tuple[Row, int]] = []
    for item in items:
        product = product_of(shop, item["sku"])
        if any(product["sku"] == other["sku"] for other, _ in lines):
            raise RuleError("double_line", f"{product['sku']} stands there twice. Give one line with the sum.")
        if item["quantity"] > product["stock"]:
            message = (
                f"Only {product['stock']} of {product['sku']} ({product['name']}) in stock, {item['quantity']} wanted."
            )
            raise RuleError("out_of_stock", message, sku=product["sku"], stock=product["stock"])
        lines.append((product, item["quantity"]))
    return lines


def _total(lines: list[tuple[Row, int]], percent: int) -> int:
    return _less(sum(product["price_cents"] * quantity for product, quantity in lines), percent)


def _less(cents: int, percent: int) -> int:
    return (cents * (100 - percent) + 50) // 100
