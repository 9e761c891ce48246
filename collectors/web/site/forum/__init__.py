"""A small forum: boards, threads, search, members, messages, moderation, and pages that fail."""

from pathlib import Path

from worldtape.collectors.web.site.app import App
from worldtape.collectors.web.site.forum import account, read, write
from worldtape.collectors.web.site.forum.seed import fill
from worldtape.collectors.web.site.forum.store import Forum

ROUTES = (*read.ROUTES, *write.ROUTES, *account.ROUTES)

__all__ = ["ROUTES", "Forum", "make_forum"]


def make_forum(seed: int) -> App[Forum]:
    """Return a forum as `seed` fills it."""
    forum = fill(seed)
    return App(forum, forum.clock, ROUTES, Path(__file__).parent / "templates")
