"""Texts and numbers for arguments of which nothing was seen."""

from __future__ import annotations

import re
import uuid
from collections.abc import Callable
from functools import lru_cache
from importlib.resources import files
from random import Random
from typing import Any

from worldtape.collectors.policies.explore_tools.names import Words, identifies
from worldtape.collectors.policies.explore_tools.pattern import matching
from worldtape.collectors.policies.explore_tools.prose import piece
from worldtape.collectors.policies.explore_tools.seen import Seen

_ASKING = {"query", "search", "term", "topic", "keyword", "question", "q"}
_QUOTING = {"old", "find", "needle", "substring"}
"""Such a property quotes what stands there."""
_LONGEST = 400
_BIG = 1_000_000
_WAITS = {"delay", "duration", "interval", "second", "sleep", "timeout", "wait", "ms", "step"}
_COUNTS = {"count", "limit", "max", "n", "num", "number", "quantity", "size", "top", "page", "head", "tail"}


@lru_cache
def _table() -> tuple[tuple[re.Pattern[str], tuple[str, ...]], ...]:
    import yaml

    rows = yaml.safe_load(files(__package__).joinpath("words.yaml").read_text(encoding="utf-8"))
    return tuple((re.compile(row["match"]), tuple(row["values"])) for row in rows)


def text(name: Words, schema: dict[str, Any], seen: Seen, rng: Random) -> str:
    """Return a text for a property: by its format, its pattern, what it is called, and at the limits of its length."""
    form = _FORMATS.get(str(schema.get("format")))
    made = None if form is None else form(rng)
    if made is None and isinstance(schema.get("pattern"), str):
        made = matching(schema["pattern"], rng)
    if made is not None:
        return made
    return _measured(_worded(name, seen, rng), schema, rng)


def _worded(name: Words, seen: Seen, rng: Random) -> str:
    known = list(seen.vocabulary)
    if name and seen.phrases and name[-1] in _ASKING and rng.random() < 0.85:  # noqa: PLR2004
        return piece(rng.choice(list(seen.phrases)[-60:]), rng)
    if seen.phrases and _QUOTING & set(name):
        return piece(rng.choice(list(seen.phrases)[-12:]), rng)
    joined = "_".join(name)
    for pattern, values in _table():
        if pattern.search(joined):
            return rng.choice(values)
    if identifies(name):
        return f"{name[0][:3]}-{rng.randint(1, 9999)}"
    return " ".join(rng.sample(known, 2)) if len(known) > 1 else rng.choice(("blue", "harbour", "seven", "draft"))


def _measured(made: str, schema: dict[str, Any], rng: Random) -> str:
    least, most = _size(schema.get("minLength"), 0), _size(schema.get("maxLength"), None)
    assert least is not None
    if rng.random() < 0.06 and (least or most is not None):  # noqa: PLR2004
        bound = least if most is None or rng.random() < 0.5 else most  # noqa: PLR2004
        least = max(least, min(bound, _LONGEST))
        most = least
    while len(made) < least:
        made = made + (" " + made if made else "x")
        made = made[: max(least, 1)] if len(made) > least else made
    return made if most is None else made[:most]


def _size(value: Any, other: int | None) -> int | None:
    return value if isinstance(value, int) and not isinstance(value, bool) and value >= 0 else other


def number(name: Words, schema: dict[str, Any], rng: Random, *, whole: bool) -> int | float:
    """Return a number between the limits of a schema, sometimes one of them."""
    low, high = _limit(schema, "minimum", 1, whole=whole), _limit(schema, "maximum", -1, whole=whole)
    step = schema.get("multipleOf")
    if isinstance(step, (int, float)) and step > 0:
        first = -(-low // step) if low is not None else 0
        last = high // step if high is not None else first + 12
        made = int(rng.randint(int(first), max(int(first), min(int(last), int(first) + 1000)))) * step
        return int(made) if whole else made
    bounds = [bound for bound in (low, high) if bound is not None and abs(bound) <= _BIG]
    if bounds and rng.random() < 0.25:  # noqa: PLR2004
        return rng.choice(bounds)
    first, last = _usual(name)
    if low is not None:
        first, last = max(first, low), max(last, low)
    if high is not None:
        first, last = min(first, high), min(last, high)
    if whole or _COUNTS & set(name) or (rng.random() < 0.6 and -(-first // 1) <= last):  # noqa: PLR2004
        return rng.randint(int(-(-first // 1)), max(int(-(-first // 1)), int(last)))
    return min(max(round(rng.uniform(first, last), rng.choice((0, 1, 2))), first), last)


def _usual(name: Words) -> tuple[float, float]:
    if _WAITS & set(name):
        return 0, 2
    if _COUNTS & set(name):
        return 1, 12
    return {"year": (1990, 2026), "latitude": (-60, 70), "longitude": (-170, 170)}.get("".join(name[-1:]), (0, 120))


def _limit(schema: dict[str, Any], key: str, inward: int, *, whole: bool) -> float | None:
    bound, open_bound = schema.get(key), schema.get(f"exclusive{key.title()}")
    found = [bound] if isinstance(bound, (int, float)) and not isinstance(bound, bool) else []
    if open_bound is True and found:  # draft 4: the limit itself is out
        found = [found[0] + (inward if whole else inward * 0.01)]
    elif isinstance(open_bound, (int, float)) and not isinstance(open_bound, bool):
        found.append(open_bound + (inward if whole else inward * 0.01))
    if not found:
        return None
    tight = max(found) if inward > 0 else min(found)
    return (-int(-tight // 1) if inward > 0 else int(tight // 1)) if whole else tight


def _date(rng: Random) -> str:
    return f"{rng.randint(2024, 2026)}-{rng.randint(1, 12):02d}-{rng.randint(1, 28):02d}"


def _time(rng: Random) -> str:
    return f"{rng.randint(0, 23):02d}:{rng.choice((0, 15, 30, 59)):02d}:00Z"


def _mail(rng: Random) -> str:
    name = rng.choice(("mara.lind", "j.okafor", "yuki", "ana-prieto", "bo", "noor.vos"))
    more = rng.choice(("", str(rng.randint(2, 99)), f"+{rng.randint(2, 99)}"))
    return f"{name}{more}@example.{rng.choice(('com', 'org', 'net'))}"


_FORMATS: dict[str, Callable[[Random], str]] = {
    "date": _date,
    "date-time": lambda rng: f"{_date(rng)}T{_time(rng)}",
    "time": _time,
    "duration": lambda rng: f"P{rng.randint(1, 30)}D",
    "email": _mail,
    "hostname": lambda rng: rng.choice(("example.com", "mail.example.org")),
    "ipv4": lambda rng: f"192.0.2.{rng.randint(1, 254)}",
    "ipv6": lambda rng: f"2001:db8::{rng.randint(1, 9999):x}",
    "json-pointer": lambda rng: rng.choice(("", "/items/0", "/name")),
    "uri": lambda rng: rng.choice(("https://example.com/", "https://example.org/help?page=2")),
    "uri-reference": lambda rng: rng.choice(("/help", "notes.txt", "https://example.com/")),
    "uuid": lambda rng: str(uuid.UUID(int=rng.getrandbits(128), version=4)),
}

__all__ = ["number", "text"]
