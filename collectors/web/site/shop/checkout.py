"""From the cart to an order: address, delivery, payment, review."""

from __future__ import annotations

import re

from worldtape.collectors.web.site.app import Routes
from worldtape.collectors.web.site.form import Form
from worldtape.collectors.web.site.response import Response
from worldtape.collectors.web.site.shop.model import Address, Cart, Order
from worldtape.collectors.web.site.shop.store import Shop
from worldtape.collectors.web.site.visit import Visit

_DECLINED = "4000000000000002"
_CARD_DIGITS = 16


def address(visit: Visit[Shop], form: Form | None = None) -> Response:
    """Ask where it goes."""
    cart = visit.store.cart(visit.session)
    if not cart.lines:
        return visit.go("/cart", "Your cart is empty. Add something before you check out.", kind="alert")
    customer = visit.store.customer(visit.session)
    known = cart.address or (customer.address if customer else None)
    email = cart.email or (customer.email if customer else "")
    if form is None:
        names = ("name", "street", "postcode", "city", "country")
        form = Form(None, email=email, **{name: getattr(known, name, "") for name in names})
    return _step(visit, "address", form)


def take_address(visit: Visit[Shop]) -> Response:
    """Check the address and go on to delivery."""
    form = Form(visit.form)
    email, found = form.email(), read_address(form, visit.store)
    form.ticked("terms", "Please accept the terms of sale.")
    if form.errors:
        return address(visit, form)
    cart = visit.store.cart(visit.session)
    cart.email, cart.address = email, found
    return visit.go("/checkout/delivery")


def delivery(visit: Visit[Shop], form: Form | None = None) -> Response:
    """Ask how it gets there."""
    cart = visit.store.cart(visit.session)
    if cart.address is None or not cart.lines:
        return visit.go("/checkout/address", "Please tell us first where to send it.", kind="alert")
    return _step(visit, "delivery", form or Form(delivery=cart.delivery))


def take_delivery(visit: Visit[Shop]) -> Response:
    """Check the kind of delivery and go on to payment."""
    form = Form(visit.form)
    kind = form.choice("delivery", "Delivery", list(visit.store.pages["delivery"]))
    cart = visit.store.cart(visit.session)
    if kind == "pickup" and cart.address and cart.address.country in {"AT", "FR"}:
        form.fault("delivery", "There is no store in your country yet. Please choose a delivery.")
    if form.errors:
        return delivery(visit, form)
    cart.delivery = kind
    return visit.go("/checkout/payment")


def payment(visit: Visit[Shop], form: Form | None = None) -> Response:
    """Ask for a card."""
    if visit.store.cart(visit.session).delivery is None:
        return visit.go("/checkout/delivery", "Please choose a delivery first.", kind="alert")
    return _step(visit, "payment", form or Form())


def take_payment(visit: Visit[Shop]) -> Response:
    """Check the card and go on to the last look."""
    form = Form(visit.form)
    form.text("holder", "Name on the card", least=2)
    number = re.sub(r"[ -]", "", form.text("number", "Card number", least=1))
    if number and not (number.isascii() and number.isdigit() and len(number) == _CARD_DIGITS):
        form.fault("number", "A card number has 16 digits.")
    elif number and not _luhn(number):
        form.fault("number", "This card number is not valid. Please check the digits.")
    _check_expiry(form, visit.store)
    if not re.fullmatch(r"\d{3}", form.text("cvc", "Security code", least=1)):
        form.fault("cvc", "The security code has 3 digits.")
    if form.ok and number == _DECLINED:
        form.fault("number", "Your bank has declined this card.")
    if form.errors:
        return payment(visit, form)
    visit.store.cart(visit.session).card = number[-4:]
    return visit.go("/checkout/review")


def review(visit: Visit[Shop]) -> Response:
    """Show everything once more."""
    cart = visit.store.cart(visit.session)
    if cart.card is None:
        return visit.go("/checkout/payment", "Please enter a card first.", kind="alert")
    return _step(visit, "review", Form())


def place(visit: Visit[Shop]) -> Response:
    """Make an order of the cart."""
    shop, cart = visit.store, visit.store.cart(visit.session)
    if not cart.lines or cart.address is None or cart.delivery is None or cart.card is None or cart.email is None:
        return visit.go("/checkout/address", "Something is missing. Please go through the steps again.", kind="alert")
    short = [line.name for line in cart.lines if shop.products[line.slug].stock < line.quantity]
    if short:
        return visit.go("/cart", f"No longer in stock: {', '.join(short)}.", kind="alert")
    for line in cart.lines:
        shop.products[line.slug].stock -= line.quantity
    number = max(shop.orders) + 1
    shop.orders[number] = Order(
        number=number,
        email=visit.session.user or cart.email,
        placed=shop.clock.now,
        status="received",
        lines=cart.lines,
        discount=shop.discount(cart),
        delivery=cart.delivery,
        delivery_price=shop.delivery_price(cart, cart.delivery),
        address=cart.address,
        code=cart.code,
        card=cart.card,
    )
    visit.session.data["cart"] = Cart()
    visit.session.data.setdefault("placed", []).append(number)
    return visit.go(f"/orders/{number}", f"Thank you! Order {number} has been received.")


def read_address(form: Form, shop: Shop) -> Address:
    """Read the fields of an address; the postcode must be one of the chosen country."""
    name = form.text("name", "Full name", least=2, most=60)
    street = form.text("street", "Street and number", least=3, most=80)
    postcode = form.text("postcode", "Postcode", least=1, most=12).upper()
    city = form.text("city", "City", least=2, most=60)
    country = form.choice("country", "Country", list(shop.countries))
    known = shop.countries.get(country)
    if known and postcode and not re.fullmatch(known["postcode"], postcode):
        form.fault("postcode", f"A postcode of {known['name']} has {known['hint']}.")
    return Address(name, street, postcode, city, country)


def _step(visit: Visit[Shop], step: str, form: Form) -> Response:
    cart = visit.store.cart(visit.session)
    status = 422 if form.errors else 200
    return visit.page(f"checkout_{step}.html.j2", status=status, form=form, cart=cart, step=step)


def _luhn(number: str) -> bool:
    """Say whether the check digit of a card number is right."""
    digits = [int(digit) for digit in reversed(number)]
    return sum(digits[0::2] + [sum(divmod(2 * digit, 10)) for digit in digits[1::2]]) % 10 == 0


def _check_expiry(form: Form, shop: Shop) -> None:
    text = form.text("expiry", "Valid until", least=1)
    match = re.fullmatch(r"(0[1-9]|1[0-2]) ?/ ?(\d{2})", text)
    if text and match is None:
        form.fault("expiry", "Please write the date as MM/YY.")
    elif match and (2000 + int(match[2]), int(match[1])) < (shop.clock.now.year, shop.clock.now.month):
        form.fault("expiry", "This card has expired.")


ROUTES: Routes = (
    ("GET", "/checkout/address", address),
    ("POST", "/checkout/address", take_address),
    ("GET", "/checkout/delivery", delivery),
    ("POST", "/checkout/delivery", take_delivery),
    ("GET", "/checkout/payment", payment),
    ("POST", "/checkout/payment", take_payment),
    ("GET", "/checkout/review", review),
    ("POST", "/checkout/review", place),
)
