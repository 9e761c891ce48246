"""Accounts of the shop: signing in, profile, orders, wishes."""

from __future__ import annotations

from http import HTTPStatus

from worldtape.collectors.web.site.app import Routes
from worldtape.collectors.web.site.form import Form
from worldtape.collectors.web.site.request import whole
from worldtape.collectors.web.site.response import Response
from worldtape.collectors.web.site.shop.checkout import read_address
from worldtape.collectors.web.site.shop.model import Customer, Order
from worldtape.collectors.web.site.shop.store import Shop
from worldtape.collectors.web.site.visit import Visit

_PASSWORD = 8
_ADDRESS = ("name", "street", "postcode", "city", "country")


def sign_in(visit: Visit[Shop], form: Form | None = None, status: int = HTTPStatus.OK) -> Response:
    """The login form."""
    return visit.page("login.html.j2", status=status, form=form or Form(next=visit.query.one("next")))


def take_sign_in(visit: Visit[Shop]) -> Response:
    """Check email address and password."""
    form = Form(visit.form, next=visit.form.one("next"))
    email = form.email()
    password = form.text("password", "Password", least=1)
    if form.errors:
        return sign_in(visit, form, HTTPStatus.UNPROCESSABLE_ENTITY)
    customer = visit.store.customers.get(email)
    if customer is None or customer.password != password:
        form.fault("password", "Email address or password is not right.")
        return sign_in(visit, form, HTTPStatus.UNAUTHORIZED)
    visit.session.user = email
    back = form.values["next"]
    safe = back.startswith("/") and not back.startswith("//")
    return visit.go(back if safe else "/account", f"Welcome back, {customer.name.split()[0]}.")


def sign_out(visit: Visit[Shop]) -> Response:
    """Forget who it was; the cart stays."""
    visit.session.user = None
    return visit.go("/", "You are signed out.")


def register(visit: Visit[Shop], form: Form | None = None) -> Response:
    """The form for a new account."""
    return visit.page("register.html.j2", status=422 if form and form.errors else 200, form=form or Form())


def take_register(visit: Visit[Shop]) -> Response:
    """Make an account."""
    form = Form(visit.form)
    name, email = form.text("name", "Full name", least=2, most=60), form.email()
    password = form.text("password", "Password", least=_PASSWORD)
    if form.ok and not any(char.isdigit() for char in password):
        form.fault("password", "Password must contain a digit.")
    if visit.form.one("repeat") != password:
        form.fault("repeat", "The two passwords are not the same.")
    if email in visit.store.customers:
        form.fault("email", "There is already an account with this email address.")
    form.ticked("terms", "Please accept the terms of use.")
    newsletter = form.ticked("newsletter")
    if form.errors:
        return register(visit, form)
    visit.store.customers[email] = Customer(email, name, password, newsletter=newsletter)
    visit.session.user = email
    return visit.go("/account", f"Your account is ready, {name.split()[0]}.")


def account(visit: Visit[Shop], form: Form | None = None) -> Response:
    """Profile and address."""
    customer = visit.store.customer(visit.session)
    if customer is None:
        return visit.sign_in()
    if form is None:
        known = customer.address
        known_fields = {name: getattr(known, name, "") for name in _ADDRESS}
        form = Form(None, newsletter="on" * customer.newsletter, **known_fields)
    return visit.page("account.html.j2", status=422 if form.errors else 200, form=form, customer=customer)


def take_address(visit: Visit[Shop]) -> Response:
    """Change the address of the account."""
    customer = visit.store.customer(visit.session)
    if customer is None:
        return visit.sign_in()
    form = Form(visit.form)
    found = read_address(form, visit.store)
    newsletter = form.ticked("newsletter")
    if form.errors:
        return account(visit, form)
    customer.address, customer.newsletter = found, newsletter
    return visit.go("/account", "Your details have been saved.")


def take_password(visit: Visit[Shop]) -> Response:
    """Change the password."""
    customer = visit.store.customer(visit.session)
    if customer is None:
        return visit.sign_in()
    form = Form(visit.form, **{name: getattr(customer.address, name, "") for name in _ADDRESS})
    form.values["newsletter"] = "on" * customer.newsletter
    if visit.form.one("old") != customer.password:
        form.fault("old", "This is not your current password.")
    password = form.text("password", "New password", least=_PASSWORD)
    if form.errors:
        return account(visit, form)
    customer.password = password
    return visit.go("/account", "Your password has been changed.")


def orders(visit: Visit[Shop]) -> Response:
    """All orders of the customer."""
    customer = visit.store.customer(visit.session)
    if customer is None:
        return visit.sign_in()
    return visit.page("orders.html.j2", orders=visit.store.orders_of(customer.email))


def order(visit: Visit[Shop], number: str, form: Form | None = None) -> Response:
    """One order."""
    found = _own(visit, number)
    if isinstance(found, Response):
        return found
    status = 422 if form and form.errors else 200
    return visit.page("order.html.j2", status=status, order=found, form=form or Form())


def cancel(visit: Visit[Shop], number: str) -> Response:
    """Cancel an order that is not packed yet."""
    found = _own(visit, number)
    if isinstance(found, Response):
        return found
    if found.status != "received":
        return visit.go(f"/orders/{number}", f"An order that is {found.status} cannot be cancelled.", kind="alert")
    found.status = "cancelled"
    for line in found.lines:
        visit.store.products[line.slug].stock += line.quantity
    return visit.go(f"/orders/{number}", f"Order {number} has been cancelled.")


def give_back(visit: Visit[Shop], number: str) -> Response:
    """Ask for a return of what was delivered."""
    found = _own(visit, number)
    if isinstance(found, Response):
        return found
    form = Form(visit.form)
    reason = form.choice("reason", "Reason", visit.store.pages["reasons"])
    if found.status != "delivered":
        form.fault("reason", "Only delivered orders can be sent back.")
    if form.errors:
        return order(visit, number, form)
    found.status, found.reason = "return requested", reason
    return visit.go(f"/orders/{number}", "Your return has been registered. The label is on its way to your inbox.")


def invoice(visit: Visit[Shop], number: str) -> Response:
    """Hand out the invoice."""
    found = _own(visit, number)
    if isinstance(found, Response):
        return found
    text = visit.app.render("invoice.txt.j2", order=found)
    return Response.download(f"invoice-{number}.txt", text, "text/plain; charset=utf-8")


def wishes(visit: Visit[Shop]) -> Response:
    """What the customer would like to have."""
    customer = visit.store.customer(visit.session)
    if customer is None:
        return visit.sign_in()
    found = [visit.store.products[slug] for slug in customer.wishes]
    return visit.page("wishes.html.j2", found=found)


def wish(visit: Visit[Shop]) -> Response:
    """Put a product on the list, or take it off."""
    customer, slug = visit.store.customer(visit.session), visit.form.one("slug")
    if customer is None:
        return visit.sign_in()
    if slug not in visit.store.products:
        return visit.missing("product")
    name = visit.store.products[slug].name
    if slug in customer.wishes:
        customer.wishes.remove(slug)
        return visit.go("/wishes", f"{name} is no longer on your wish list.")
    customer.wishes.append(slug)
    return visit.go("/wishes", f"{name} is on your wish list now.")


def _own(visit: Visit[Shop], number: str) -> Order | Response:
    """Return an order that the visitor may see, or the page that says why not."""
    found = visit.store.orders.get(wanted) if (wanted := whole(number)) is not None else None
    if found is None:
        return visit.missing("order")
    placed = visit.session.data.get("placed", [])
    customer = visit.store.customer(visit.session)
    if found.number in placed or (customer and (customer.staff or customer.email == found.email)):
        return found
    return visit.denied("This order belongs to somebody else.") if customer else visit.sign_in()


ROUTES: Routes = (
    ("GET", "/login", sign_in),
    ("POST", "/login", take_sign_in),
    ("POST", "/logout", sign_out),
    ("GET", "/register", register),
    ("POST", "/register", take_register),
    ("GET", "/account", account),
    ("POST", "/account", take_address),
    ("POST", "/account/password", take_password),
    ("GET", "/orders", orders),
    ("GET", "/orders/<number>", order),
    ("POST", "/orders/<number>/cancel", cancel),
    ("POST", "/orders/<number>/return", give_back),
    ("GET", "/orders/<number>/invoice.txt", invoice),
    ("GET", "/wishes", wishes),
    ("POST", "/wishes", wish),
)
