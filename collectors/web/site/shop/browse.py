"""Pages of the shop to look around in: home, lists, products, search."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from worldtape.collectors.web.site.app import Routes
from worldtape.collectors.web.site.form import Form
from worldtape.collectors.web.site.paging import paged
from worldtape.collectors.web.site.response import Response
from worldtape.collectors.web.site.shop.model import Product, Review
from worldtape.collectors.web.site.shop.store import Shop
from worldtape.collectors.web.site.visit import Visit

_PAGE = 9
_SUGGESTIONS = 6
_SORTS: dict[str, tuple[str, Callable[[Product], Any]]] = {
    "relevance": ("Relevance", lambda product: 0),  # noqa: ARG005
    "price-up": ("Price: low to high", lambda product: product.price),
    "price-down": ("Price: high to low", lambda product: -product.price),
    "stars": ("Best rated", lambda product: -(product.stars or 0)),
    "newest": ("Newest", lambda product: -product.added.timestamp()),
    "name": ("Name", lambda product: product.name),
}


def home(visit: Visit[Shop]) -> Response:
    """What is new and what is reduced."""
    products = list(visit.store.products.values())
    newest = sorted(products, key=_SORTS["newest"][1])[:4]
    reduced = [product for product in products if product.was][:4]
    return visit.page("home.html.j2", newest=newest, reduced=reduced)


def catalogue(visit: Visit[Shop]) -> Response:
    """All products, filtered, sorted and cut into pages by the query."""
    form = Form(visit.query)
    low, high = _bound(form, "min", "Lowest price"), _bound(form, "max", "Highest price")
    if low is not None and high is not None and low > high:
        form.fault("max", "The highest price must not be below the lowest.")
    if form.errors:
        return visit.page("catalogue.html.j2", status=422, form=form, page=None, **_choices(visit))
    found = [product for product in visit.store.products.values() if _fits(product, visit, low, high)]
    sort = visit.query.one("sort", "relevance")
    found.sort(key=_SORTS.get(sort, _SORTS["relevance"])[1])
    page = paged(found, visit.query.whole("page", 1), _PAGE)
    if page is None:
        return visit.missing("page of results")
    return visit.page("catalogue.html.j2", form=form, page=page, **_choices(visit))


def product(visit: Visit[Shop], slug: str, form: Form | None = None) -> Response:
    """One product with its tabs."""
    found = visit.store.products.get(slug)
    if found is None:
        return visit.missing("product")
    others = [one for one in visit.store.products.values() if one.category == found.category and one is not found]
    status = 422 if form and form.errors else 200
    return visit.page("product.html.j2", status=status, product=found, others=others[:3], form=form or Form())


def printable(visit: Visit[Shop], slug: str) -> Response:
    """The facts of a product for a printer; opens in a tab of its own."""
    found = visit.store.products.get(slug)
    return visit.page("print.html.j2", product=found) if found else visit.missing("product")


def review(visit: Visit[Shop], slug: str) -> Response:
    """Take a review."""
    found, customer = visit.store.products.get(slug), visit.store.customer(visit.session)
    if found is None:
        return visit.missing("product")
    if customer is None:
        return visit.sign_in()
    form = Form(visit.form)
    stars = form.choice("stars", "Stars", ("1", "2", "3", "4", "5"))
    title = form.text("title", "Title", least=1, most=80)
    text = form.text("text", "Your review", least=20, most=1000)
    author = customer.name.split()[0]
    if any(one.author == author for one in found.reviews):
        form.fault("title", "You have already reviewed this product.")
    if form.errors:
        return product(visit, slug, form)
    found.reviews.append(Review(author, int(stars), title, text, visit.store.clock.now))
    return visit.go(f"/product/{slug}?tab=reviews", "Thank you. Your review is online.")


def stock(visit: Visit[Shop], slug: str) -> Response:
    """Ask the warehouses, which takes a while."""
    found = visit.store.products.get(slug)
    return visit.page("stock.html.j2", delay_s=1.2, product=found) if found else visit.missing("product")


def suggest(visit: Visit[Shop]) -> Response:
    """Return the list below the search field, as a piece of HTML."""
    words = visit.query.one("q").lower()
    found = [one for one in visit.store.products.values() if len(words) > 1 and words in one.name.lower()]
    return visit.page("suggest.html.j2", found=found[:_SUGGESTIONS])


def price_list(visit: Visit[Shop]) -> Response:
    """Hand out all prices as a table."""
    rows = [f'"{one.name}","{one.brand}",{one.price / 100:.2f},{one.stock}' for one in visit.store.products.values()]
    return Response.download("fernhill-prices.csv", "\n".join(["name,brand,price_eur,in_stock", *rows, ""]))


def picture(visit: Visit[Shop], slug: str) -> Response:
    """Draw a stand-in for a photograph."""
    found = visit.store.products.get(slug)
    if found is None:
        return visit.missing("picture")
    hue = sum(map(ord, slug)) * 7 % 360
    body = visit.app.render("picture.svg.j2", product=found, hue=hue)
    return Response(body.encode(), media_type="image/svg+xml", headers={"cache-control": "max-age=3600"})


def _bound(form: Form, name: str, label: str) -> int | None:
    """Return a price of the filter in cents; None where the field is empty."""
    if not form.given.one(name):
        form.values[name] = ""
        return None
    return form.whole(name, label, least=0, most=10000) * 100


def _fits(product: Product, visit: Visit[Shop], low: int | None, high: int | None) -> bool:
    query = visit.query
    words = query.one("q").lower().split()
    text = f"{product.name} {product.brand} {product.category} {product.blurb}".lower()
    brands = [brand for brand in query.get("brand", []) if brand]
    return (
        all(word in text for word in words)
        and (not query.one("category") or product.category == query.one("category"))
        and (not brands or product.brand in brands)
        and (low is None or product.price >= low)
        and (high is None or product.price <= high)
        and (not query.one("stock") or product.stock > 0)
        and (not query.one("sale") or product.was is not None)
    )


def _choices(visit: Visit[Shop]) -> dict[str, Any]:
    category = visit.query.one("category")
    shelf = next((one for one in visit.store.categories if one["slug"] == category), None)
    brands = sorted({one.brand for one in visit.store.products.values() if not category or one.category == category})
    return {"shelf": shelf, "brands": brands, "sorts": {name: label for name, (label, _) in _SORTS.items()}}


ROUTES: Routes = (
    ("GET", "/", home),
    ("GET", "/catalogue", catalogue),
    ("GET", "/product/<slug>", product),
    ("POST", "/product/<slug>/review", review),
    ("GET", "/product/<slug>/print", printable),
    ("GET", "/product/<slug>/stock", stock),
    ("GET", "/picture/<slug>", picture),
    ("GET", "/suggest", suggest),
    ("GET", "/prices.csv", price_list),
)
