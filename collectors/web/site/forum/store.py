"""Everything that one instance of the forum knows."""

from __future__ import annotations

from dataclasses import asdict, dataclass, field
from typing import Any

from worldtape.collectors.web.site.clock import Clock
from worldtape.collectors.web.site.content import read_content
from worldtape.collectors.web.site.forum.model import Letter, Member, Post, Report, Thread
from worldtape.collectors.web.site.session import Session


@dataclass(slots=True)
class Forum:
    """The state behind the pages."""

    clock: Clock
    members: dict[str, Member]
    threads: dict[int, Thread]
    reports: list[Report] = field(default_factory=list)
    letters: list[Letter] = field(default_factory=list)
    shouts: list[tuple[str, str]] = field(default_factory=list)
    """Author and text of the short messages in the frame, oldest first."""

    @property
    def boards(self) -> list[dict[str, Any]]:
        """The boards, as the content has them."""
        return [{"closed": False} | board for board in read_content("forum", "people")["boards"]]

    @property
    def reasons(self) -> list[str]:
        """Why a post can be reported."""
        found: list[str] = read_content("forum", "people")["reasons"]
        return found

    def member(self, session: Session) -> Member | None:
        """Return who is signed in."""
        return self.members.get(session.user) if session.user else None

    def board(self, slug: str) -> dict[str, Any] | None:
        """Return one board; None where there is no such."""
        return next((board for board in self.boards if board["slug"] == slug), None)

    def on(self, slug: str) -> list[Thread]:
        """Return the threads of a board: pinned ones first, then the newest."""
        found = [thread for thread in self.threads.values() if thread.board == slug]
        return sorted(found, key=lambda thread: (not thread.pinned, -thread.newest.timestamp(), thread.number))

    def open_to(self, member: Member | None) -> list[Thread]:
        """Return every thread that somebody may read."""
        closed = {board["slug"] for board in self.boards if board["closed"]}
        allowed = member is not None and member.moderator
        return [thread for thread in self.threads.values() if allowed or thread.board not in closed]

    def post(self, number: int) -> tuple[Thread, Post] | None:
        """Find a post by its number."""
        pairs = ((thread, post) for thread in self.threads.values() for post in thread.posts)
        return next(((thread, post) for thread, post in pairs if post.number == number), None)

    def next_post(self) -> int:
        """Return the number of the next post."""
        return 1 + max(post.number for thread in self.threads.values() for post in thread.posts)

    def written_by(self, name: str) -> list[tuple[Thread, Post]]:
        """Return what a member wrote on open boards, newest first."""
        found = [(thread, post) for thread in self.open_to(None) for post in thread.posts if post.author == name]
        return sorted(found, key=lambda pair: pair[1].written, reverse=True)

    def state(self, session: Session) -> dict[str, Any]:  # noqa: ARG002
        """Return the facts a verifier can ask for."""
        return {
            "threads": {str(number): _thread(thread) for number, thread in self.threads.items()},
            "members": {
                name: {
                    "about": member.about,
                    "place": member.place,
                    "digest": member.digest,
                    "moderator": member.moderator,
                    "banned": member.banned,
                    "password": member.password,
                }
                for name, member in self.members.items()
            },
            "reports": [asdict(report) for report in self.reports],
            "letters": [asdict(letter) | {"sent": letter.sent.isoformat()} for letter in self.letters],
            "shouts": [{"author": author, "text": text} for author, text in self.shouts],
        }


def _thread(thread: Thread) -> dict[str, Any]:
    return {
        "board": thread.board,
        "title": thread.title,
        "tags": list(thread.tags),
        "author": thread.author,
        "pinned": thread.pinned,
        "locked": thread.locked,
        "solved": thread.solved,
        "followers": list(thread.followers),
        "posts": [
            {
                "number": post.number,
                "author": post.author,
                "text": post.text,
                "likes": list(post.likes),
                "edited": post.edited is not None,
                "removed": post.removed,
            }
            for post in thread.posts
        ],
    }
