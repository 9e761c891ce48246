"""The cart."""

from __future__ import annotations

from worldtape.collectors.web.site.app import Routes
from worldtape.collectors.web.site.form import Form
from worldtape.collectors.web.site.response import Response
from worldtape.collectors.web.site.shop.browse import product as product_page
from worldtape.collectors.web.site.shop.model import Cart, Line
from worldtape.collectors.web.site.shop.store import Shop
from worldtape.collectors.web.site.visit import Visit

_MOST = 20
"""Of one line."""


def show(visit: Visit[Shop], form: Form | None = None) -> Response:
    """The cart with its sums."""
    cart = visit.store.cart(visit.session)
    status = 422 if form and form.errors else 200
    return visit.page("cart.html.j2", status=status, cart=cart, form=form or Form(code=cart.code))


def add(visit: Visit[Shop]) -> Response:
    """Put a product into the cart."""
    found = visit.store.products.get(visit.form.one("slug"))
    if found is None:
        return visit.missing("product")
    form = Form(visit.form)
    quantity = form.whole("quantity", "Quantity", least=1, most=_MOST)
    choice = form.choice("choice", found.option, found.values) if found.option else None
    cart = visit.store.cart(visit.session)
    line = next((one for one in cart.lines if (one.slug, one.choice) == (found.slug, choice)), None)
    there = sum(one.quantity for one in cart.lines if one.slug == found.slug)
    if found.stock == 0:
        form.fault("quantity", "This product is sold out at the moment.")
    elif there + quantity > found.stock:
        form.fault("quantity", f"Only {found.stock} left, and {there or 'none'} of them in your cart.")
    if form.errors:
        return product_page(visit, found.slug, form)
    if line is None:
        cart.lines.append(Line(found.slug, found.name, choice, quantity, found.price))
    else:
        line.quantity += quantity
    what = f"{quantity} × {found.name}" + (f" ({choice})" if choice else "")
    return visit.go("/cart", f"{what} added to your cart.")


def change(visit: Visit[Shop]) -> Response:
    """Change how many there are of each line; 0 takes it out."""
    cart, form = visit.store.cart(visit.session), Form(visit.form)
    wanted = {index: _wanted(visit, form, index, line) for index, line in enumerate(cart.lines)}
    if form.errors:
        return show(visit, form)
    for index, quantity in wanted.items():
        cart.lines[index].quantity = quantity
    cart.lines = [line for line in cart.lines if line.quantity]
    return visit.go("/cart", "Your cart has been updated.")


def remove(visit: Visit[Shop]) -> Response:
    """Take one line out."""
    cart, index = visit.store.cart(visit.session), visit.form.whole("line", -1)
    if not 0 <= index < len(cart.lines):
        return visit.go("/cart", "That line is not in your cart any more.", kind="alert")
    gone = cart.lines.pop(index)
    return visit.go("/cart", f"{gone.name} removed from your cart.")


def empty(visit: Visit[Shop]) -> Response:
    """Take everything out."""
    visit.session.data["cart"] = Cart()
    return visit.go("/cart", "Your cart is empty now.")


def code(visit: Visit[Shop]) -> Response:
    """Take a discount code, or say why not."""
    cart, form = visit.store.cart(visit.session), Form(visit.form)
    given = form.text("code", "Discount code", least=1, most=20).upper()
    found = visit.store.pages["codes"].get(given)
    if given and found is None:
        form.fault("code", f"We do not know the code “{given}”.")
    elif found and found.get("expired"):
        form.fault("code", f"This code expired on {found['expired']}.")
    elif found and cart.subtotal < found["least"]:
        form.fault("code", f"This code is valid from a subtotal of €{found['least'] / 100:,.2f}.")
    if form.errors:
        return show(visit, form)
    cart.code = given
    return visit.go("/cart", f"Code {given} applied: {found['about']}.")


def _wanted(visit: Visit[Shop], form: Form, index: int, line: Line) -> int:
    name = f"quantity-{index}"
    if name not in visit.form:
        return line.quantity
    quantity = form.whole(name, line.name, least=0, most=_MOST)
    stock = visit.store.products[line.slug].stock
    if quantity > stock:
        form.fault(name, f"Only {stock} of {line.name} left.")
    return quantity


ROUTES: Routes = (
    ("GET", "/cart", show),
    ("POST", "/cart", change),
    ("POST", "/cart/add", add),
    ("POST", "/cart/remove", remove),
    ("POST", "/cart/empty", empty),
    ("POST", "/cart/code", code),
)
