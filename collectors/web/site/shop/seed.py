"""A shop as a seed fills it."""

from __future__ import annotations

import re
import unicodedata
from datetime import datetime, timedelta
from random import Random
from typing import Any

from worldtape.collectors.web.site.clock import Clock
from worldtape.collectors.web.site.content import read_content
from worldtape.collectors.web.site.shop.model import Address, Customer, Line, Order, Product, Review
from worldtape.collectors.web.site.shop.store import Shop

_SHELF = (6, 7)
"""Between so many products of a shelf are there."""
_STATUSES = ("delivered", "delivered", "sent", "received")
"""Of a customer's orders, oldest first."""


def fill(seed: int) -> Shop:
    """Return a shop: which products there are, prices, stock, reviews and past orders follow from `seed`."""
    rng = Random(f"worldtape shop {seed}")  # noqa: S311
    clock = Clock(datetime(2026, 3, rng.randint(3, 24), rng.randint(8, 18), rng.randint(0, 59)))  # noqa: DTZ001
    products: dict[str, Product] = {}
    for shelf in read_content("shop", "catalogue"):
        rows = shelf["products"]
        chosen = set(rng.sample(range(len(rows)), min(len(rows), rng.randint(*_SHELF))))
        for row in (row for index, row in enumerate(rows) if index in chosen):
            product = _product(row, shelf["slug"], rng, clock)
            products[product.slug] = product
    title, text = rng.choice(read_content("shop", "pages")["slogans"])
    shop = Shop(clock, (title, text), products, {}, {})
    number = rng.randint(20100, 48000)
    for account in read_content("shop", "people")["accounts"]:
        customer = _customer(account)
        customer.wishes = rng.sample(sorted(products), 2)
        shop.customers[customer.email] = customer
        if customer.staff:
            continue
        for index, status in enumerate(_STATUSES):
            number += rng.randint(3, 90)
            shop.orders[number] = _order(number, customer, shop, rng, days=40 - 12 * index, status=status)
    return shop


def slug_of(name: str) -> str:
    """Return a name as it stands in addresses: `chefs-knife`."""
    plain = unicodedata.normalize("NFKD", name.replace("'", "")).encode("ascii", "ignore").decode().lower()
    return re.sub(r"[^a-z0-9]+", "-", plain).strip("-")


def _product(row: dict[str, Any], category: str, rng: Random, clock: Clock) -> Product:
    price = row["price"] + rng.choice((-200, -100, 0, 0, 100, 250))
    on_sale = rng.random() < 0.2  # noqa: PLR2004
    option, values = row.get("options", (None, ()))
    return Product(
        slug=slug_of(row["name"]),
        name=row["name"],
        brand=row["brand"],
        category=category,
        price=price * rng.choice((80, 85, 90)) // 1000 * 10 if on_sale else price,
        blurb=row["blurb"],
        specs=row["specs"],
        option=option,
        values=tuple(values),
        was=price if on_sale else None,
        stock=rng.choice((0, 2, 3, 5, 8, 12, 20, 34)),
        added=clock.ago(days=rng.randint(2, 300)),
        reviews=_reviews(category, rng, clock),
    )


def _reviews(category: str, rng: Random, clock: Clock) -> list[Review]:
    pools, people = read_content("shop", "reviews"), read_content("shop", "people")["reviewers"]
    pool = [*pools[category], *pools["any"]]
    texts = rng.sample(pool, rng.choice((0, 1, 2, 3, 3, 4, 5)))
    names = rng.sample(people, len(texts))
    days = sorted((rng.randint(1, 280) for _ in texts), reverse=True)
    return [
        Review(name, stars, title, text, clock.ago(days=ago, minutes=rng.randint(0, 700)))
        for name, (stars, title, text), ago in zip(names, texts, days, strict=True)
    ]


def _customer(account: dict[str, Any]) -> Customer:
    address = Address(*(account[name] for name in ("name", "street", "postcode", "city", "country")))
    staff = account.get("staff", False)
    return Customer(account["email"], account["name"], account["password"], address, staff=staff)


def _order(number: int, customer: Customer, shop: Shop, rng: Random, *, days: int, status: str) -> Order:
    lines = []
    for slug in rng.sample(sorted(shop.products), rng.randint(1, 3)):
        product = shop.products[slug]
        choice = rng.choice(product.values) if product.values else None
        lines.append(Line(slug, product.name, choice, rng.randint(1, 2), product.price))
    assert customer.address is not None
    return Order(
        number=number,
        email=customer.email,
        placed=shop.clock.ago(days=days) + timedelta(minutes=rng.randint(-200, 200)),
        status=status,
        lines=lines,
        discount=0,
        delivery="standard",
        delivery_price=490 if sum(line.total for line in lines) < 8000 else 0,  # noqa: PLR2004
        address=customer.address,
    )
