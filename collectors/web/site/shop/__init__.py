"""A small shop: catalogue, cart, checkout, accounts, help, and pages that fail."""

from pathlib import Path

from worldtape.collectors.web.site.app import App
from worldtape.collectors.web.site.shop import account, basket, browse, checkout, service
from worldtape.collectors.web.site.shop.seed import fill
from worldtape.collectors.web.site.shop.store import Shop

ROUTES = (*browse.ROUTES, *basket.ROUTES, *checkout.ROUTES, *account.ROUTES, *service.ROUTES)

__all__ = ["ROUTES", "Shop", "make_shop"]


def make_shop(seed: int) -> App[Shop]:
    """Return a shop as `seed` fills it."""
    shop = fill(seed)
    return App(shop, shop.clock, ROUTES, Path(__file__).parent / "templates")
