"""What the shop keeps."""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import datetime


@dataclass(slots=True)
class Review:
    """What a customer wrote; stars are 1 to 5."""

    author: str
    stars: int
    title: str
    text: str
    written: datetime


@dataclass(slots=True)
class Product:
    """Something to buy; prices are cents."""

    slug: str
    name: str
    brand: str
    category: str
    price: int
    blurb: str
    specs: dict[str, str]
    option: str | None
    values: tuple[str, ...]
    """What can be chosen as `option`."""
    was: int | None
    """The price before the sale."""
    stock: int
    added: datetime
    reviews: list[Review] = field(default_factory=list)

    @property
    def stars(self) -> float | None:
        """The mean of its reviews, one digit; None where there is none."""
        if not self.reviews:
            return None
        return round(sum(review.stars for review in self.reviews) / len(self.reviews), 1)


@dataclass(slots=True)
class Address:
    """Where a parcel goes."""

    name: str
    street: str
    postcode: str
    city: str
    country: str


@dataclass(slots=True)
class Customer:
    """Somebody with an account."""

    email: str
    name: str
    password: str
    address: Address | None = None
    staff: bool = False
    newsletter: bool = False
    wishes: list[str] = field(default_factory=list)
    """Slugs, oldest first."""


@dataclass(slots=True)
class Line:
    """So many of one product in one version."""

    slug: str
    name: str
    choice: str | None
    quantity: int
    price: int
    """Of one, cents."""

    @property
    def total(self) -> int:
        """Of all, cents."""
        return self.price * self.quantity


@dataclass(slots=True)
class Cart:
    """What a browser has gathered so far."""

    lines: list[Line] = field(default_factory=list)
    code: str | None = None
    email: str | None = None
    address: Address | None = None
    delivery: str | None = None
    card: str | None = None
    """The last four digits."""

    @property
    def count(self) -> int:
        """All pieces."""
        return sum(line.quantity for line in self.lines)

    @property
    def subtotal(self) -> int:
        """Before discount and delivery, cents."""
        return sum(line.total for line in self.lines)


@dataclass(slots=True)
class Order:
    """What was bought."""

    number: int
    email: str
    placed: datetime
    status: str
    """`received`, `packed`, `sent`, `delivered`, `cancelled` or `return requested`."""
    lines: list[Line]
    discount: int
    delivery: str
    delivery_price: int
    address: Address
    code: str | None = None
    card: str = "4242"
    reason: str | None = None
    """Why it is sent back."""

    @property
    def total(self) -> int:
        """What was paid, cents."""
        return sum(line.total for line in self.lines) - self.discount + self.delivery_price
