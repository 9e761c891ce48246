"""What is sold, and how much of it there is."""

from __future__ import annotations

from typing import Any

from worldtape.collectors.mcp.servers.orders.answer import Answer, Query, page
from worldtape.collectors.mcp.servers.orders.rules import RuleError, missing, money
from worldtape.collectors.mcp.servers.orders.shop import Row, Shop

_SORTS = {"name": "name", "price": "price_cents", "stock": "stock DESC"}
_MOST_CUT = 50


def search_products(shop: Shop, args: dict[str, Any]) -> Answer:
    """Find products."""
    query = Query()
    for word in str(args.get("query", "")).split():
        query.add("(name LIKE ? OR sku LIKE ?)", f"%{word}%", f"%{word}%")
    query.add("category = ?", args.get("category"))
    query.add("price_cents <= ?", args.get("max_price_cents"))
    if args.get("in_stock"):
        query.add("stock > 0 AND discontinued = 0")
    found = page(shop, "products", "sku", query, args, order=_SORTS[args.get("sort", "name")])
    lines = [
        f"{row['sku']}  {row['name']}  {money(row['price_cents'])}  stock {row['stock']}"
        f"{'  (discontinued)' * row['discontinued']}"
        for row in found["items"]
    ]
    found["items"] = [shown(row) for row in found["items"]]
    head = f"{found['total']} product{'s' * (found['total'] != 1)} found."
    more = [f"More: cursor {found['next_cursor']}"] if "next_cursor" in found else []
    return Answer(found, "\n".join([head, *lines, *more]))


def get_product(shop: Shop, args: dict[str, Any]) -> Answer:
    """Show a product."""
    return Answer(shown(product_of(shop, args["sku"])))


def adjust_stock(shop: Shop, args: dict[str, Any]) -> Answer:
    """Add or take pieces."""
    product = product_of(shop, args["sku"])
    change = args["change"]
    if change == 0:
        raise RuleError("no_change", "A change of 0 pieces is none.")
    if product["stock"] + change < 0:
        message = f"{product['sku']} has {product['stock']} in stock; {-change} cannot be taken away."
        raise RuleError("out_of_stock", message, stock=product["stock"])
    if product["discontinued"] and change > 0:
        raise RuleError("discontinued", f"{product['sku']} is discontinued; its stock can only go down.")
    with shop.change():
        move(shop, product["sku"], change, args["reason"])
    after = shown(product_of(shop, product["sku"]))
    low = f" That is at or below the reorder level of {after['reorder_level']}." if after["low"] else ""
    return Answer(after, f"{after['sku']}: {product['stock']} {change:+d} = {after['stock']} in stock.{low}")


def set_price(shop: Shop, args: dict[str, Any]) -> Answer:
    """Change a price, within limits."""
    product = product_of(shop, args["sku"])
    cents = args["price_cents"]
    if cents * 100 < product["price_cents"] * (100 - _MOST_CUT):
        message = (
            f"{money(cents)} is less than half of {money(product['price_cents'])}, the price of {product['sku']}. "
            f"A price may fall by {_MOST_CUT} % at once; lower it in two steps, or discontinue the product."
        )
        raise RuleError("price_cut_too_big", message, price_cents=product["price_cents"])
    with shop.change():
        shop.run("UPDATE products SET price_cents = ? WHERE sku = ?", cents, product["sku"])
    told = f"{product['sku']}: {money(product['price_cents'])} -> {money(cents)}. Open orders keep their price."
    return Answer(shown(product_of(shop, product["sku"])), told)


def discontinue_product(shop: Shop, args: dict[str, Any]) -> Answer:
    """Take a product out of the range."""
    product = product_of(shop, args["sku"])
    if product["discontinued"]:
        raise RuleError("already_discontinued", f"{product['sku']} is discontinued already.")
    with shop.change():
        shop.run("UPDATE products SET discontinued = 1 WHERE sku = ?", product["sku"])
    told = f"{product['sku']} ({product['name']}) is discontinued. {product['stock']} pieces may still be sold."
    return Answer(shown(product_of(shop, product["sku"])), told)


def list_stock_moves(shop: Shop, args: dict[str, Any]) -> Answer:
    """List what went in and out."""
    query = Query()
    query.add("sku = ?", args.get("sku"))
    query.add("reason = ?", args.get("reason"))
    return Answer(page(shop, "stock_moves", "id", query, args, order="id DESC"))


def move(shop: Shop, sku: str, change: int, reason: str) -> None:
    """Change what is in stock, inside a change, and write it down."""
    shop.run("UPDATE products SET stock = stock + ? WHERE sku = ?", change, sku)
    sql = "INSERT INTO stock_moves (sku, change, reason, made_at, made_by) VALUES (?, ?, ?, ?, ?)"
    shop.run(sql, sku, change, reason, shop.now(), shop.user["badge"])


def product_of(shop: Shop, sku: str) -> Row:
    """Return a product."""
    found = shop.row("SELECT * FROM products WHERE sku = ?", sku)
    if found is None:
        raise missing("product", sku, "search_products shows what there is.")
    return found


def shown(product: Row) -> Row:
    """Return a product as callers see it."""
    low = product["stock"] <= product["reorder_level"]
    return product | {"discontinued": bool(product["discontinued"]), "low": low}
