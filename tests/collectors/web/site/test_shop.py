"""The shop: what can be done on it, what cannot, and what its state says afterwards."""

from __future__ import annotations

import pytest

from tests.collectors.web.site._browser import Browser
from worldtape.collectors.web.site import Site

MAYA = {"email": "maya@post.example", "password": "pinecone-7"}
HOME = {"name": "Maya Lindqvist", "street": "Lindenweg 14", "postcode": "50667", "city": "Cologne", "country": "DE"}
CARD = {"holder": "Maya Lindqvist", "number": "4242 4242 4242 4242", "expiry": "12/29", "cvc": "123"}


@pytest.fixture
def site() -> Site:
    return Site("shop", seed=1)


@pytest.fixture
def browser(site: Site) -> Browser:
    return Browser(site)


def plain(site: Site, *, stock: int = 3) -> str:
    """Return a product that can be bought without choosing, with at least so many in stock."""
    products = site.app.store.products.values()
    return str(next(one.slug for one in products if one.option is None and stock <= one.stock < 20))


def add(site: Site, browser: Browser, quantity: int = 1) -> str:
    slug = plain(site)
    assert browser.post("/cart/add", slug=slug, quantity=quantity) == 200
    return slug


def test_lists_are_filtered_sorted_and_cut(browser: Browser) -> None:
    assert browser.get("/catalogue") == 200
    assert "1–9 of" in browser.text
    assert browser.get("/catalogue?page=2") == 200
    assert "10–18 of" in browser.text
    assert browser.get("/catalogue?category=kitchen&sort=price-up&stock=on") == 200
    prices = [
        float(word[1:]) for word in browser.text.split() if word.startswith("€") and word[1:].replace(".", "").isdigit()
    ]
    assert "Kitchen" in browser.text
    assert len(prices) >= 3
    assert browser.get("/catalogue?brand=Varde&max=60") == 200
    assert browser.get("/catalogue?page=99") == 404


@pytest.mark.parametrize(
    ("query", "told"),
    [("min=ten", "must be a whole number"), ("min=90&max=20", "must not be below"), ("max=-1", "between 0 and 10000")],
)
def test_filters_are_checked(browser: Browser, query: str, told: str) -> None:
    assert browser.get(f"/catalogue?{query}") == 422
    assert told in browser.text


def test_what_is_bought_leaves_the_stock(site: Site, browser: Browser) -> None:
    slug = add(site, browser, 2)
    before = site.state()["stock"][slug]
    assert browser.post("/checkout/address", email="guest@post.example", terms="on", **HOME) == 200
    assert browser.at == "/checkout/delivery"
    browser.post("/checkout/delivery", delivery="express")
    browser.post("/checkout/payment", **CARD)
    assert "ending in 4242" in browser.text
    assert browser.post("/checkout/review") == 200
    state = site.state()
    order = state["orders"][-1]
    assert (order["email"], order["delivery"], order["lines"][0]["slug"]) == ("guest@post.example", "express", slug)
    assert order["total"] == order["lines"][0]["price"] * 2 + 1290
    assert state["stock"][slug] == before - 2
    assert state["cart"]["lines"] == []
    assert browser.get(f"/orders/{order['number']}") == 200, "who placed an order may see it without an account"


@pytest.mark.parametrize(
    ("field", "value", "told"),
    [
        ("postcode", "5066", "has five digits"),
        ("country", "XX", "choose one of the options"),
        ("email", "nobody", "not a valid email address"),
        ("name", "", "Full name is required"),
        ("terms", None, "accept the terms"),
    ],
)
def test_addresses_are_checked(site: Site, browser: Browser, field: str, value: str | None, told: str) -> None:
    add(site, browser)
    fields = {"email": "guest@post.example", "terms": "on"} | HOME | {field: value}
    assert browser.post("/checkout/address", **{key: one for key, one in fields.items() if one is not None}) == 422
    assert told in browser.text
    assert f'aria-describedby="{field}-fault"' in browser.page


@pytest.mark.parametrize(
    ("field", "value", "told"),
    [
        ("number", "4242 4242 4242 4241", "not valid"),
        ("number", "4242", "has 16 digits"),
        ("number", "4000 0000 0000 0002", "declined"),
        ("expiry", "13/29", "as MM/YY"),
        ("expiry", "01/26", "has expired"),
        ("cvc", "12", "has 3 digits"),
    ],
)
def test_cards_are_checked(site: Site, browser: Browser, field: str, value: str, told: str) -> None:
    add(site, browser)
    browser.post("/checkout/address", email="guest@post.example", terms="on", **HOME)
    browser.post("/checkout/delivery", delivery="standard")
    assert browser.post("/checkout/payment", **(CARD | {field: value})) == 422
    assert told in browser.text


def test_steps_cannot_be_skipped(site: Site, browser: Browser) -> None:
    browser.get("/checkout/payment")
    assert browser.at == "/cart"
    add(site, browser)
    browser.get("/checkout/review")
    assert browser.at == "/checkout/address"
    assert browser.post("/checkout/review") == 200
    assert "Something is missing" in browser.text


def test_carts_are_changed_and_emptied(site: Site, browser: Browser) -> None:
    add(site, browser)
    assert browser.post("/cart", **{"quantity-0": 2}) == 200
    assert site.state()["cart"]["lines"][0]["quantity"] == 2
    assert browser.post("/cart", **{"quantity-0": 21}) == 422
    assert browser.post("/cart", **{"quantity-0": 20}) == 422, "there are fewer in stock"
    assert browser.post("/cart", **{"quantity-0": 0}) == 200
    assert site.state()["cart"]["lines"] == []
    assert browser.post("/cart/remove", line=0) == 200
    assert "not in your cart" in browser.text


def test_what_is_sold_out_or_not_chosen_is_not_added(site: Site, browser: Browser) -> None:
    products = site.app.store.products.values()
    gone = next(one for one in products if one.stock == 0)
    assert browser.post("/cart/add", slug=gone.slug, quantity=1, choice=(gone.values or ("",))[0]) == 422
    assert "sold out" in browser.text
    open_ = next(one for one in products if one.option and one.stock)
    assert browser.post("/cart/add", slug=open_.slug, quantity=1) == 422
    assert "choose one of the options" in browser.text
    assert browser.post("/cart/add", slug="nothing", quantity=1) == 404


@pytest.mark.parametrize(
    ("code", "told"),
    [
        ("welcome10", "Code WELCOME10 applied"),
        ("WINTER20", "expired on"),
        ("HELLO", "do not know"),
        ("", "is required"),
    ],
)
def test_discount_codes(site: Site, browser: Browser, code: str, told: str) -> None:
    add(site, browser)
    browser.post("/cart/code", code=code)
    assert told in browser.text


def test_accounts_are_made_and_used(site: Site, browser: Browser) -> None:
    new = {"name": "Ola Nord", "email": "ola@post.example", "password": "seven-7s", "repeat": "seven-7s", "terms": "on"}
    assert browser.post("/register", **(new | {"repeat": "other"})) == 422
    assert browser.post("/register", **(new | {"password": "letters-only", "repeat": "letters-only"})) == 422
    assert browser.post("/register", **(new | {"email": MAYA["email"]})) == 422
    assert browser.post("/register", **new) == 200
    assert site.state()["user"] == "ola@post.example"
    browser.post("/logout")
    assert site.state()["user"] is None
    assert browser.post("/login", email="ola@post.example", password="wrong") == 401
    assert browser.post("/login", email="ola@post.example", password="seven-7s", next="/orders") == 200
    assert browser.at == "/orders"
    browser.post("/login", next="//elsewhere.example/", **MAYA)
    assert browser.at == "/account", "nobody is sent to another site"


def test_orders_are_cancelled_returned_and_private(site: Site, browser: Browser) -> None:
    browser.post("/login", **MAYA)
    orders = site.state()["orders"]
    mine = {one["status"]: one["number"] for one in orders if one["email"] == MAYA["email"]}
    other = next(one["number"] for one in orders if one["email"] != MAYA["email"])
    assert browser.get(f"/orders/{other}") == 403
    assert browser.get("/orders/7") == 404
    browser.post(f"/orders/{mine['received']}/cancel")
    assert "has been cancelled" in browser.text
    browser.post(f"/orders/{mine['sent']}/cancel")
    assert "cannot be cancelled" in browser.text
    assert browser.post(f"/orders/{mine['delivered']}/return", reason="") == 422
    browser.post(f"/orders/{mine['delivered']}/return", reason="Wrong size")
    status = {one["number"]: one["status"] for one in site.state()["orders"]}
    assert status[mine["received"]] == "cancelled"
    assert status[mine["delivered"]] == "return requested"
    assert browser.get(f"/orders/{mine['delivered']}/invoice.txt") == 200
    assert "attachment" in browser.response.headers["content-disposition"]


def test_reviews_wishes_letters(site: Site, browser: Browser) -> None:
    slug = plain(site)
    browser.post("/wishes", slug=slug)
    assert browser.at.startswith("/login")
    browser.post("/login", **MAYA)
    browser.post("/wishes", slug=slug)
    assert (slug in site.state()["customers"][MAYA["email"]]["wishes"]) == ("is on your wish list" in browser.text)
    words = "It has done everything I asked of it so far."
    assert browser.post(f"/product/{slug}/review", stars=4, title="Good", text="Too short") == 422
    assert browser.post(f"/product/{slug}/review", stars=4, title="Good", text=words) == 200
    assert browser.post(f"/product/{slug}/review", stars=4, title="Good", text=words) == 422
    assert site.state()["reviews"][slug][-1] == {"author": "Maya", "stars": 4, "title": "Good"}
    assert browser.post("/contact", email="a@b.example", topic="Returns", text="Where is my label?") == 200
    assert browser.post("/newsletter", email="a@b.example") == 200
    assert browser.post("/newsletter", email="a@b.example") == 422
    assert site.state()["messages"][0]["topic"] == "Returns"


def test_staff_only(site: Site, browser: Browser) -> None:
    slug = plain(site)
    assert browser.get("/warehouse") == 403
    assert browser.post("/warehouse", slug=slug, count=50) == 403
    browser.post("/login", email="staff@fernhill.example", password="open-sesame-42")
    assert browser.get("/warehouse") == 200
    browser.post("/warehouse", slug=slug, count=50)
    assert site.state()["stock"][slug] == 50


@pytest.mark.parametrize(
    ("page", "status"), [("/gift-cards", 500), ("/tracking", 502), ("/product/x", 404), ("/x", 404)]
)
def test_pages_that_fail(browser: Browser, page: str, status: int) -> None:
    assert browser.get(page) == status
    assert "<h1>" in browser.page


def test_methods_and_torn_input(browser: Browser) -> None:
    assert browser.get("/cart/add") == 405
    assert browser.post("/cart/add", slug="x", quantity="9" * 40) == 404
    assert browser.get("/catalogue?page=%ff&min=%00&sort=nope") in {200, 422}
    assert browser.get("/orders/" + "9" * 30) in {404, 200}
