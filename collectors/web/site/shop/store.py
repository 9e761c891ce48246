"""Everything that one instance of the shop knows."""

from __future__ import annotations

from dataclasses import asdict, dataclass, field
from typing import Any

from worldtape.collectors.web.site.clock import Clock
from worldtape.collectors.web.site.content import read_content
from worldtape.collectors.web.site.session import Session
from worldtape.collectors.web.site.shop.model import Cart, Customer, Order, Product

_FREE_FROM = 8000
"""Standard delivery costs nothing from here, cents."""


@dataclass(slots=True)
class Message:
    """Sent by the contact form."""

    email: str
    topic: str
    text: str


@dataclass(slots=True)
class Shop:
    """The state behind the pages."""

    clock: Clock
    slogan: tuple[str, str]
    products: dict[str, Product]
    customers: dict[str, Customer]
    orders: dict[int, Order]
    subscribers: list[str] = field(default_factory=list)
    messages: list[Message] = field(default_factory=list)

    @property
    def categories(self) -> list[dict[str, Any]]:
        """The shelves, as the content has them."""
        found: list[dict[str, Any]] = read_content("shop", "catalogue")
        return found

    @property
    def pages(self) -> dict[str, Any]:
        """The words of the other pages."""
        found: dict[str, Any] = read_content("shop", "pages")
        return found

    @property
    def countries(self) -> dict[str, dict[str, str]]:
        """Where the shop delivers: code to name, pattern of the postcode and hint."""
        found: dict[str, dict[str, str]] = read_content("shop", "people")["countries"]
        return found

    def cart(self, session: Session) -> Cart:
        """Return the cart of a browser."""
        found = session.data.get("cart")
        if not isinstance(found, Cart):
            found = session.data["cart"] = Cart()
        return found

    def customer(self, session: Session) -> Customer | None:
        """Return who is signed in."""
        return self.customers.get(session.user) if session.user else None

    def discount(self, cart: Cart) -> int:
        """Return what the code of a cart takes off, cents."""
        code = self.pages["codes"].get(cart.code)
        if code is None or cart.subtotal < code["least"]:
            return 0
        return int(cart.subtotal * code["percent"] // 100)

    def delivery_price(self, cart: Cart, kind: str) -> int:
        """Return what one kind of delivery costs for a cart, cents."""
        if kind == "standard" and cart.subtotal - self.discount(cart) >= _FREE_FROM:
            return 0
        return int(self.pages["delivery"][kind]["price"])

    def orders_of(self, email: str) -> list[Order]:
        """Return the orders of a customer, newest first."""
        return [order for order in reversed(self.orders.values()) if order.email == email]

    def state(self, session: Session) -> dict[str, Any]:
        """Return the facts a verifier can ask for; the cart is that of `session`."""
        cart = self.cart(session)
        return {
            "cart": asdict(cart) | {"subtotal": cart.subtotal, "discount": self.discount(cart)},
            "orders": [_order(order) for order in self.orders.values()],
            "customers": {
                one.email: {
                    "name": one.name,
                    "password": one.password,
                    "newsletter": one.newsletter,
                    "address": asdict(one.address) if one.address else None,
                    "wishes": list(one.wishes),
                }
                for one in self.customers.values()
            },
            "reviews": {
                slug: [{"author": one.author, "stars": one.stars, "title": one.title} for one in product.reviews]
                for slug, product in self.products.items()
                if product.reviews
            },
            "stock": {slug: product.stock for slug, product in self.products.items()},
            "subscribers": list(self.subscribers),
            "messages": [asdict(message) for message in self.messages],
        }


def _order(order: Order) -> dict[str, Any]:
    return asdict(order) | {"placed": order.placed.isoformat(), "total": order.total}
