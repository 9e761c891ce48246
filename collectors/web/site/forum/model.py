"""What the forum keeps."""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import datetime


@dataclass(slots=True)
class Member:
    """Somebody with an account."""

    name: str
    password: str
    joined: datetime
    about: str = ""
    place: str = ""
    moderator: bool = False
    digest: str = "never"
    """How often a summary is sent: `never`, `daily` or `weekly`."""
    banned: bool = False


@dataclass(slots=True)
class Post:
    """One contribution to a thread."""

    number: int
    """Unique in the forum."""
    author: str
    text: str
    written: datetime
    likes: list[str] = field(default_factory=list)
    """Names of those who like it."""
    edited: datetime | None = None
    removed: bool = False


@dataclass(slots=True)
class Thread:
    """Posts on one question, the oldest first."""

    number: int
    board: str
    title: str
    tags: list[str]
    posts: list[Post]
    views: int = 0
    pinned: bool = False
    locked: bool = False
    solved: bool = False
    followers: list[str] = field(default_factory=list)

    @property
    def author(self) -> str:
        """Who began it."""
        return self.posts[0].author

    @property
    def newest(self) -> datetime:
        """When the last post was written."""
        return self.posts[-1].written


@dataclass(slots=True)
class Report:
    """A post that somebody thinks should not stand here."""

    number: int
    post: int
    by: str
    reason: str
    note: str
    verdict: str | None = None
    """`kept` or `removed` once a moderator has looked at it."""


@dataclass(slots=True)
class Letter:
    """A private message."""

    sender: str
    receiver: str
    subject: str
    text: str
    sent: datetime
    read: bool = False
