"""Help, stores, contact, newsletter, and the pages that fail."""

from __future__ import annotations

from http import HTTPStatus

from worldtape.collectors.web.site.app import Routes
from worldtape.collectors.web.site.form import Form
from worldtape.collectors.web.site.response import Response
from worldtape.collectors.web.site.shop.store import Message, Shop
from worldtape.collectors.web.site.visit import Visit


def help_page(visit: Visit[Shop]) -> Response:
    """Questions and answers."""
    return visit.page("help.html.j2")


def contact(visit: Visit[Shop], form: Form | None = None) -> Response:
    """The contact form."""
    customer = visit.store.customer(visit.session)
    form = form or Form(email=customer.email if customer else "", order=visit.query.one("order"))
    return visit.page("contact.html.j2", status=422 if form.errors else 200, form=form)


def take_contact(visit: Visit[Shop]) -> Response:
    """Take a message."""
    form = Form(visit.form)
    email = form.email()
    topic = form.choice("topic", "Topic", visit.store.pages["topics"])
    number = form.text("order", "Order number", most=8)
    if number and not (number.isascii() and number.isdigit()):
        form.fault("order", "An order number has digits only.")
    text = form.text("text", "Message", least=10, most=2000)
    if form.errors:
        return contact(visit, form)
    visit.store.messages.append(Message(email, topic, text))
    return visit.go("/contact", f"Thank you. We will answer {email} within two working days.")


def subscribe(visit: Visit[Shop]) -> Response:
    """Take an address for the newsletter."""
    form = Form(visit.form)
    email = form.email()
    if email in visit.store.subscribers:
        form.fault("email", f"{email} already receives our newsletter.")
    if form.errors:
        return visit.page("subscribe.html.j2", status=HTTPStatus.UNPROCESSABLE_ENTITY, form=form)
    visit.store.subscribers.append(email)
    return visit.go("/", f"Nearly done: please confirm the message that we sent to {email}.")


def stores(visit: Visit[Shop]) -> Response:
    """All stores, one of them shown in a frame."""
    known = {store["slug"] for store in visit.store.pages["stores"]}
    chosen = visit.query.one("store", "cologne")
    return visit.page("stores.html.j2", chosen=chosen) if chosen in known else visit.missing("store")


def store_frame(visit: Visit[Shop], slug: str) -> Response:
    """What stands in the frame: opening hours, by the day."""
    found = next((store for store in visit.store.pages["stores"] if store["slug"] == slug), None)
    if found is None:
        return visit.missing("store")
    day = visit.query.one("day")
    return visit.page("store_frame.html.j2", place=found, day=day if day in found["hours"] else "")


def gift_cards(visit: Visit[Shop]) -> Response:
    """A part of the shop that is broken."""
    return visit.page("broken.html.j2", status=HTTPStatus.INTERNAL_SERVER_ERROR, incident="GC-5071")


def tracking(visit: Visit[Shop]) -> Response:
    """A service of somebody else that does not answer."""
    return visit.page("broken.html.j2", status=HTTPStatus.BAD_GATEWAY, incident="TR-0312", delay_s=0.4)


def warehouse(visit: Visit[Shop]) -> Response:
    """For staff only."""
    customer = visit.store.customer(visit.session)
    if customer is None or not customer.staff:
        return visit.denied("The warehouse is for staff only.")
    return visit.page("warehouse.html.j2")


def restock(visit: Visit[Shop]) -> Response:
    """Change how many of a product there are."""
    customer = visit.store.customer(visit.session)
    if customer is None or not customer.staff:
        return visit.denied("The warehouse is for staff only.")
    found, form = visit.store.products.get(visit.form.one("slug")), Form(visit.form)
    if found is None:
        return visit.missing("product")
    count = form.whole("count", found.name, least=0, most=999)
    if form.errors:
        return visit.go("/warehouse", next(iter(form.errors.values())), kind="alert")
    found.stock = count
    return visit.go("/warehouse", f"{found.name}: {count} in stock now.")


def never(visit: Visit[Shop]) -> Response:
    """A page that takes a minute; nothing leads to it."""
    return visit.page("help.html.j2", delay_s=60)


def torn(visit: Visit[Shop]) -> Response:
    """A page whose connection is closed half way; nothing leads to it."""
    response = visit.page("help.html.j2")
    response.cut = True
    return response


ROUTES: Routes = (
    ("GET", "/help", help_page),
    ("GET", "/contact", contact),
    ("POST", "/contact", take_contact),
    ("POST", "/newsletter", subscribe),
    ("GET", "/stores", stores),
    ("GET", "/stores/<slug>/frame", store_frame),
    ("GET", "/gift-cards", gift_cards),
    ("GET", "/tracking", tracking),
    ("GET", "/warehouse", warehouse),
    ("POST", "/warehouse", restock),
    ("GET", "/never", never),
    ("GET", "/torn", torn),
)
