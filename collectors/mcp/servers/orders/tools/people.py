"""Who is at the till, and customers."""

from __future__ import annotations

from typing import Any

from worldtape.collectors.mcp.servers.orders.answer import Answer, Query, page
from worldtape.collectors.mcp.servers.orders.rules import RuleError, missing, money
from worldtape.collectors.mcp.servers.orders.shop import Row, Shop

_CREDIT = {"standard": 15_000, "silver": 40_000, "gold": 100_000}


def whoami(shop: Shop, args: dict[str, Any]) -> Answer:  # noqa: ARG001
    """Say who is at the till."""
    user = shop.user
    return Answer(
        {**user, "time": shop.now()}, f"{user['name']} ({user['badge']}), {user['role']}. It is {shop.now()}."
    )


def list_staff(shop: Shop, args: dict[str, Any]) -> Answer:
    """List colleagues."""
    query = Query()
    query.add("role = ?", args.get("role"))
    return Answer(page(shop, "staff", "badge", query, {"limit": 50}))


def switch_user(shop: Shop, args: dict[str, Any]) -> Answer:
    """Let another colleague take the till."""
    found = shop.row("SELECT * FROM staff WHERE badge = ?", args["badge"])
    if found is None:
        raise missing("badge", args["badge"], "list_staff shows all of them.")
    if found["badge"] == shop.user["badge"]:
        raise RuleError("already_signed_in", f"{found['name']} is already at the till.")
    with shop.change():
        shop.set("badge", found["badge"])
    return Answer(found, f"Signed in: {found['name']} ({found['badge']}), {found['role']}.")


def list_customers(shop: Shop, args: dict[str, Any]) -> Answer:
    """List customers."""
    query = Query()
    query.add("city = ?", args.get("city"))
    query.add("tier = ?", args.get("tier"))
    query.add("blocked = ?", args.get("blocked"))
    found = page(shop, "customers", "id", query, args)
    found["items"] = [shown(row) for row in found["items"]]
    return Answer(found)


def get_customer(shop: Shop, args: dict[str, Any]) -> Answer:
    """Show a customer and their orders."""
    customer = shown(customer_of(shop, args["customer_id"]))
    orders = shop.rows("SELECT id, status, total_cents FROM orders WHERE customer_id = ? ORDER BY id", customer["id"])
    return Answer({**customer, "orders": orders})


def create_customer(shop: Shop, args: dict[str, Any]) -> Answer:
    """Add a customer."""
    email = args["email"].lower()
    _free_mail(shop, email, "")
    tier = args.get("tier", "standard")
    if tier != "standard":
        shop.allow(f"the tier {tier} for a new customer", ["manager"])
    with shop.change():
        name = shop.next_id("C", 1001)
        values = (name, args["name"].strip(), email, args.get("city", "Lisbon"), tier, _CREDIT[tier])
        shop.run("INSERT INTO customers VALUES (?, ?, ?, ?, ?, ?, 0, 1)", *values)
    customer = shown(customer_of(shop, name))
    told = f"Customer {name} created: {customer['name']}, {tier}, credit {money(_CREDIT[tier])}."
    return Answer(customer, told)


def update_customer(shop: Shop, args: dict[str, Any]) -> Answer:
    """Change fields of a customer."""
    customer = customer_of(shop, args["customer_id"])
    changes = dict(args["changes"])
    version = args.get("expected_version")
    if version is not None and version != customer["version"]:
        message = (
            f"{customer['id']} was changed meanwhile: it has version {customer['version']}, not {version}. "
            "Read it again and repeat your change."
        )
        raise RuleError("conflict", message, version=customer["version"])
    if "tier" in changes or "blocked" in changes:
        shop.allow("a change of tier or blocked", ["manager"])
    if "email" in changes:
        changes["email"] = changes["email"].lower()
        _free_mail(shop, changes["email"], customer["id"])
    if "tier" in changes:
        changes["credit_cents"] = _CREDIT[changes["tier"]]
    changed = {key: value for key, value in changes.items() if customer[key] != value}
    if not changed:
        raise RuleError("no_change", f"{customer['id']} has these values already; nothing was changed.")
    with shop.change():
        sets = ", ".join(f"{key} = ?" for key in changed)
        shop.run(
            f"UPDATE customers SET {sets}, version = version + 1 WHERE id = ?",  # noqa: S608
            *changed.values(),
            customer["id"],
        )
    after = shown(customer_of(shop, customer["id"]))
    told = ", ".join(f"{key}: {shown(customer)[key]} -> {after[key]}" for key in changed)
    return Answer(after, f"{customer['id']} updated to version {after['version']}. {told}.")


def delete_customer(shop: Shop, args: dict[str, Any]) -> Answer:
    """Remove a customer who never ordered."""
    customer = customer_of(shop, args["customer_id"])
    orders = [row["id"] for row in shop.rows("SELECT id FROM orders WHERE customer_id = ? ORDER BY id", customer["id"])]
    if orders:
        message = (
            f"{customer['id']} cannot be deleted: {len(orders)} order{'s' * (len(orders) > 1)} belong to this customer "
            f"({', '.join(orders)}). Block the customer instead."
        )
        raise RuleError("has_orders", message, orders=orders)
    with shop.change():
        shop.run("DELETE FROM customers WHERE id = ?", customer["id"])
    return Answer({"deleted": customer["id"]}, f"Customer {customer['id']} ({customer['name']}) deleted.")


def customer_of(shop: Shop, name: str) -> Row:
    """Return a customer."""
    found = shop.row("SELECT * FROM customers WHERE id = ?", name)
    if found is None:
        raise missing("customer", name, "list_customers shows the ids.")
    return found


def shown(customer: Row) -> Row:
    """Return a customer as callers see it."""
    return customer | {"blocked": bool(customer["blocked"])}


def _free_mail(shop: Shop, email: str, own: str) -> None:
    other = shop.row("SELECT id FROM customers WHERE email = ? AND id != ?", email, own)
    if other is not None:
        message = f"The address {email} belongs to {other['id']} already. Every customer needs one of their own."
        raise RuleError("email_taken", message, customer_id=other["id"])
