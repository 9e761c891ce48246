"""A forum as a seed fills it."""

from __future__ import annotations

from datetime import datetime, timedelta
from random import Random
from typing import Any

from worldtape.collectors.web.site.clock import Clock
from worldtape.collectors.web.site.content import read_content
from worldtape.collectors.web.site.forum.model import Letter, Member, Post, Report, Thread
from worldtape.collectors.web.site.forum.store import Forum

_LEFT_OUT = 4
"""So many threads of the content are not there."""
_SHOUTS = (
    ("tobias", "Workshop open until eight tonight, coffee is on."),
    ("mrs_grease", "Looking for a bobbin case, class 15."),
    ("hedgehog", "First radishes!"),
    ("nomad42", "Stuck in Dijon. Does anybody have a 17 mm ring spanner?"),
)


def fill(seed: int) -> Forum:
    """Return a forum: which threads there are, their numbers, dates, likes and views follow from `seed`."""
    rng = Random(f"worldtape forum {seed}")  # noqa: S311
    clock = Clock(datetime(2026, 3, rng.randint(3, 24), rng.randint(8, 21), rng.randint(0, 59)))  # noqa: DTZ001
    members = {}
    for row in read_content("forum", "people")["members"]:
        joined = clock.ago(days=rng.randint(300, 3000))
        moderator = row.get("moderator", False)
        members[row["name"]] = Member(row["name"], row["password"], joined, row["about"], row["from"], moderator)
    rows = read_content("forum", "threads")
    kept = [row for row in rows if row.get("pinned") or row["board"] in {"moderators", "cafe"}]
    others = [row for row in rows if row not in kept]
    chosen = rng.sample(others, len(others) - _LEFT_OUT)
    forum = Forum(clock, members, {})
    number, post = rng.randint(400, 900), rng.randint(9000, 15000)
    for row in rng.sample([*kept, *chosen], len(kept) + len(chosen)):
        number += rng.randint(1, 9)
        forum.threads[number] = _thread(number, post, row, forum, rng)
        post += 40
    forum.shouts = rng.sample(_SHOUTS, 3)
    _complain(forum, rng)
    forum.letters.append(
        Letter(
            "oldsolder",
            "lena_k",
            "Your valve radio",
            "Please send me a photograph of the dial when it is finished. I had the same one as a boy.",
            clock.ago(days=2),
        )
    )
    return forum


def _thread(number: int, post: int, row: dict[str, Any], forum: Forum, rng: Random) -> Thread:
    moment = forum.clock.ago(days=rng.randint(1, 200), minutes=rng.randint(0, 1200))
    gap = (forum.clock.now - moment) / (len(row["posts"]) + 1)
    posts = []
    for index, (author, text) in enumerate(row["posts"]):
        likers = [name for name in forum.members if name != author]
        posts.append(Post(post + index, author, text, moment, rng.sample(likers, rng.choice((0, 0, 1, 2, 3, 5)))))
        moment += min(gap, timedelta(minutes=rng.randint(12, 2600)))
    return Thread(
        number=number,
        board=row["board"],
        title=row["title"],
        tags=list(row["tags"]),
        posts=posts,
        views=rng.randint(30, 2400),
        pinned=row.get("pinned", False),
        locked=rng.random() < 0.06 and not row.get("pinned"),  # noqa: PLR2004
        solved=row.get("solved", False),
    )


def _complain(forum: Forum, rng: Random) -> None:
    """Let three members report a post."""
    numbers = [post.number for thread in forum.open_to(None) for post in thread.posts[1:]]
    reasons = rng.sample(forum.reasons, 3)
    for index, (number, reason) in enumerate(zip(rng.sample(numbers, 3), reasons, strict=True)):
        by = rng.choice(("fernweh", "rivet", "ada_b"))
        forum.reports.append(Report(index + 1, number, by, reason, ""))
